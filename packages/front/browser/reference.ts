/**
 * The reference: gives the component the API document, and its requests the credential and the tenant that were chosen.
 * Credentials stay in variables of this page: they are never stored, and sent to this origin alone.
 */

/** The part of openapi-explorer that is used here. */
interface Explorer extends HTMLElement {
  loadSpec(document: unknown): Promise<void>;
  scrollTo(...where: unknown[]): void;
  /** Resolves when what was changed is rendered. */
  readonly updateComplete: Promise<unknown>;
}

/** A document that the component has read. */
interface Loaded {
  readonly tags: readonly {
    readonly name: string;
    readonly paths: readonly { readonly elementId: string; readonly summary: string }[];
  }[];
}

/** A component of lit: styles of all elements that are created later. */
interface Styled {
  readonly elementStyles?: CSSStyleSheet[];
}

/** A request that the component is about to send. */
interface TriedRequest {
  url: string;
  headers: Headers;
  credentials: RequestCredentials;
}

/** The paths that exist for each tenant, below `/t/{tenant}`. */
const ofTenants = /^\/(?:api\/server\/v1|scim2|svc\/scim|oauth2|ssf)(?:\/|$)/;
/**
 * What the style elements in the templates of the component contain, which the policy of the page blocks; and where the
 * keyboard is, which the component shows by a colour alone.
 */
const styles = `*, :after, :before { box-sizing: border-box }
.table .key { width: 260px; max-width: min(400px, 75%) }
.table .key-type { width: 150px; max-width: 25% }
code { font-weight: 700 }
:focus-visible { outline: 2px solid var(--primary-color) !important; outline-offset: -2px }
.m-btn.primary:hover, .m-btn.primary:focus-visible, .m-btn.nav:hover, .m-btn.nav:focus-visible {
  color: var(--primary-btn-text-color) !important; text-decoration: underline }
table.mono-font td { min-width: 7rem; overflow-wrap: anywhere }
table.mono-font .m-markdown-small { min-width: 14rem }`;

const credential = { authorization: undefined as string | undefined, tenant: "" };
const explorer = document.querySelector<Explorer>("#explorer");
const form = document.querySelector<HTMLFormElement>("#credential");
const operations = document.querySelector<HTMLSelectElement>("#operation");
const told = document.querySelector("#applied");

void start();

async function start(): Promise<void> {
  if (!explorer || !form) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  for (const name of ["schema-table", "schema-tree", "api-request", "api-response"]) {
    (customElements.get(name) as Styled | undefined)?.elementStyles?.push(sheet);
  }
  explorer.shadowRoot?.adoptedStyleSheets.push(sheet);
  explorer.addEventListener("before-try", (event) => {
    const { request } = (event as CustomEvent<{ readonly request: TriedRequest }>).detail;
    const url = new URL(request.url, location.origin);
    if (credential.tenant !== "" && ofTenants.test(url.pathname)) {
      url.pathname = `${tenantPrefix()}${url.pathname}`;
    }
    request.url = url.href;
    // Without it, the browser would ask for a password in a window of its own.
    request.credentials = "omit";
    if (url.origin !== location.origin) return;
    if (credential.authorization !== undefined) request.headers.set("Authorization", credential.authorization);
  });
  form.querySelector("select")?.addEventListener("change", showFields);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void apply();
  });
  showFields();
  keepFocusAtTop();
  const answer = await fetch(explorer.dataset.document ?? "", { credentials: "omit" });
  const description = (await answer.json()) as object;
  explorer.addEventListener("spec-loaded", (event) => listOperations((event as CustomEvent<Loaded>).detail));
  await explorer.loadSpec({ ...description, servers: [{ url: location.origin }] });
}

/**
 * The component takes the focus after it has loaded, at a moment that it does not tell. The keyboard begins at the top
 * of a page, as everywhere, unless the address names an operation or somebody has begun already.
 */
function keepFocusAtTop(): void {
  if (location.hash !== "") return;
  let hasBegun = false;
  for (const act of ["keydown", "pointerdown"]) {
    addEventListener(
      act,
      () => {
        hasBegun = true;
      },
      { once: true, capture: true },
    );
  }
  explorer?.addEventListener("focusin", () => {
    if (hasBegun) return;
    document.body.tabIndex = -1;
    document.body.focus({ preventScroll: true });
    document.body.removeAttribute("tabindex");
  });
}

/** The component hides its navigation on narrow screens: there, a list leads to the operations. */
function listOperations({ tags }: Loaded): void {
  // It scrolls, so the keyboard must reach it.
  void explorer?.updateComplete.then(() => {
    explorer.shadowRoot?.querySelector("main")?.setAttribute("tabindex", "0");
  });
  const groups = tags.map(({ name, paths }) => {
    const group = document.createElement("optgroup");
    group.label = name;
    group.append(...paths.map(({ elementId, summary }) => new Option(summary, elementId)));
    return group;
  });
  operations?.replaceChildren(new Option("Overview", "overview"), ...groups);
  operations?.addEventListener("change", () => explorer?.scrollTo(operations.value));
}

function valueIn(name: string): string {
  return form?.querySelector<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`)?.value ?? "";
}

/** Shows the fields of the chosen kind of credential. */
function showFields(): void {
  for (const label of form?.querySelectorAll<HTMLElement>("[data-kinds]") ?? []) {
    label.hidden = !label.dataset.kinds?.split(" ").includes(valueIn("kind"));
  }
}

/** Uses what was entered for the next requests, and says what it is. */
async function apply(): Promise<void> {
  credential.tenant = valueIn("tenant").trim();
  credential.authorization = undefined;
  const where = credential.tenant === "" ? "" : ` in the tenant ${credential.tenant}`;
  const kind = valueIn("kind");
  if (kind === "none") return tell(`Requests are sent without a credential${where}.`, true);
  if (kind === "bearer")
    return use(`Bearer ${valueIn("token").trim()}`, `Requests are sent with this access token${where}.`);
  if (kind === "basic") {
    return use(basic(valueIn("user"), valueIn("password")), `Requests are sent as ${valueIn("user")}${where}.`);
  }
  await requestToken(where);
}

/**
 * Uses a credential that the service accepts. Any answer but 401 says that it does: the caller may lack the scope, or
 * be no user.
 */
async function use(authorization: string, text: string): Promise<void> {
  tell("Checking the credential.", true);
  try {
    const headers = { Authorization: authorization, Accept: "application/scim+json" };
    const answer = await fetch(`${tenantPrefix()}/scim2/Me`, { headers, credentials: "omit" });
    if (answer.status === 401) {
      const { detail } = (await answer.json()) as { readonly detail?: string };
      return tell(`The service does not accept this credential: ${detail ?? "401"}`, false);
    }
    credential.authorization = authorization;
    tell(text, true);
  } catch {
    tell("The service does not answer.", false);
  }
}

/** The beginning of paths of the chosen tenant. */
function tenantPrefix(): string {
  return credential.tenant === "" ? "" : `/t/${encodeURIComponent(credential.tenant)}`;
}

async function requestToken(where: string): Promise<void> {
  const scope = valueIn("scope").trim();
  const body = new URLSearchParams({ grant_type: "client_credentials", ...(scope !== "" && { scope }) });
  // RFC 6749 section 2.3.1: both are encoded before they are joined.
  const authorization = basic(encodeURIComponent(valueIn("client")), encodeURIComponent(valueIn("secret")));
  try {
    const headers = { Authorization: authorization };
    const answer = await fetch(`${tenantPrefix()}/oauth2/token`, {
      method: "POST",
      headers,
      body,
      credentials: "omit",
    });
    const token = (await answer.json()) as Readonly<Record<string, string | undefined>>;
    if (!answer.ok) return tell(`No token: ${token.error_description ?? token.error ?? answer.status}`, false);
    credential.authorization = `Bearer ${token.access_token}`;
    tell(`Requests are sent with a token for ${valueIn("client")}${where}. Scopes: ${token.scope ?? "none"}.`, true);
  } catch {
    tell("The token endpoint does not answer.", false);
  }
}

/** A Basic credential of texts in UTF-8 (RFC 7617). */
function basic(name: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function tell(text: string, isGood: boolean): void {
  if (!told) return;
  told.textContent = text;
  told.className = isGood ? "good" : "bad";
}

export {};
