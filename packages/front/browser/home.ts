/** The page at `/`: shows the address of this service in the request, and whether the service is healthy. */

const request = document.querySelector("#request");
if (request?.textContent) request.textContent = request.textContent.replace("http://127.0.0.1:3000", location.origin);

void showState();
void showDemo();

/** The signing keys are read from the table: where they are answered, gateway, function and table work. */
async function showState(): Promise<void> {
  const state = document.querySelector("#state");
  if (!state) return;
  const started = performance.now();
  try {
    const { ok, status } = await fetch("/oauth2/jwks", { credentials: "omit", cache: "no-store" });
    const ms = Math.round(performance.now() - started);
    state.textContent = ok
      ? `Healthy: the service answered in ${ms} ms.`
      : `The service answered with ${status}. See its log for the reason.`;
    state.classList.add(ok ? "good" : "bad");
  } catch {
    state.textContent = "The service does not answer. Is it running?";
    state.classList.add("bad");
  }
}

/** `npm start` serves a demo on a port of its own, and leads to it. A deployed service has none. */
async function showDemo(): Promise<void> {
  const link = document.querySelector<HTMLElement>("#demo");
  if (!link || !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return;
  const { type } = await fetch("/demo", { credentials: "omit", redirect: "manual" });
  link.hidden = type !== "opaqueredirect";
}

export {};
