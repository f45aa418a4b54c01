/** The page at `/`: shows the address of this service in the request, and whether the service is well. */

const request = document.querySelector("#request");
if (request?.textContent) request.textContent = request.textContent.replace("http://127.0.0.1:3000", location.origin);

void showState();

/** The signing keys are read from the table: where they are answered, gateway, function and table work. */
async function showState(): Promise<void> {
  const state = document.querySelector("#state");
  if (!state) return;
  const started = performance.now();
  try {
    const { ok, status } = await fetch("/oauth2/jwks", { credentials: "omit", cache: "no-store" });
    const ms = Math.round(performance.now() - started);
    state.textContent = ok
      ? `The service is well: it answered in ${ms} ms.`
      : `The service answers with ${status}. Its log says why.`;
    state.classList.add(ok ? "good" : "bad");
  } catch {
    state.textContent = "The service does not answer. Is it running?";
    state.classList.add("bad");
  }
}

export {};
