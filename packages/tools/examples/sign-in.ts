/** Sign-ins by the pages of the service, without a browser: they record the pages, and get the token of a user. */
import type { OperationId } from "#core/service/catalogue.ts";
import type { Recording } from "#core/service/documents/recordings.ts";
import { OIDC } from "#tools/operation-units/fixture.ts";
import { askedIn, codeAt, newAuthenticator, siteAt } from "./authenticator.ts";
import { PAGE } from "./exchange.ts";

interface Credential {
  readonly username: string;
  readonly password: string;
}

/** What a sign-in needs. */
interface Walk {
  readonly url: string;
  readonly client: Credential;
  /** Lets time pass, which stands still otherwise. */
  readonly pass: () => void;
}

/** A form that was taken, with the page that followed. */
type TakenForm = Required<Pick<Recording, "request" | "answer">>;
type Taken = Map<OperationId, TakenForm>;

interface Shown {
  readonly status: number;
  readonly html: string;
}

const [redirect_uri = ""] = OIDC.callbackURLs;

/** A browser that notes what becomes of its forms. */
function newBrowser(url: string, taken: Taken) {
  const cookies = new Map<string, string>();
  const open = async (address: string, form?: Readonly<Record<string, string>>): Promise<Shown> => {
    const response = await fetch(new URL(address, url), {
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(form && { "sec-fetch-site": "same-origin" }),
      },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, html: await response.text() };
  };
  return {
    open,
    /** Sends the form of a page, without fields for password managers. Throws an `Error` unless a page follows. */
    async submit(id: OperationId, { html }: Shown, entered: Readonly<Record<string, string>>): Promise<Shown> {
      const body = { request: hiddenIn(html).request ?? "", ...entered };
      const shown = await open(actionIn(html), body);
      if (shown.status !== 200) throw new Error(`${id} returned ${shown.status}: ${shown.html}`);
      if (!taken.has(id)) {
        taken.set(id, { request: { body }, answer: { status: shown.status, headers: {}, body: PAGE } });
      }
      return shown;
    },
  };
}

/** The address of an authorization request whose answer is a page, too. */
function requestOf(client: Credential, further: Readonly<Record<string, string>>): string {
  const parameters = { client_id: client.username, response_type: "code", response_mode: "form_post", redirect_uri };
  return `/oauth2/authorize?${new URLSearchParams({ ...parameters, ...further })}`;
}

/** Signs users in, each in another way. Returns a token of the first, and the forms that were taken. */
export async function signIns(
  walk: Walk,
  people: Readonly<Record<"withPassword" | "withCodes" | "withPasskey" | "withNewPassword", Credential>>,
): Promise<{ readonly token: string; readonly taken: ReadonlyMap<OperationId, TakenForm> }> {
  const taken: Taken = new Map();
  const token = await signedIn(walk, people.withPassword, taken);
  await signedInWithCodes(walk, people.withCodes, taken);
  await signedInWithNewPassword(walk, people.withNewPassword, taken);
  // The last, because time passes: so no change of a user is as late as the changes that follow.
  await signedInWithPasskey(walk, people.withPasskey, taken);
  return { token, taken };
}

/** Signs a user in, with consent. Returns the access token. */
async function signedIn({ url, client }: Walk, person: Credential, taken: Taken): Promise<string> {
  const browser = newBrowser(url, taken);
  const password = await browser.open(requestOf(client, { scope: "openid profile" }));
  const consent = await browser.submit("signIn", password, { ...person });
  const sent = await browser.submit("giveConsent", consent, { answer: "allow" });
  const answer = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${client.username}:${client.password}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code: hiddenIn(sent.html).code ?? "", redirect_uri }),
  });
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`The code was refused with ${answer.status}`);
  return token;
}

/** Sets one-time codes up for a user, signs in with a recovery code, and signs out. */
async function signedInWithCodes({ url, client }: Walk, person: Credential, taken: Taken): Promise<void> {
  const browser = newBrowser(url, taken);
  const request = requestOf(client, { scope: "openid", acr_values: "mfa", prompt: "login consent" });
  const setup = await browser.submit("signIn", await browser.open(request), { ...person });
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(setup.html)?.[1] ?? "").replaceAll(" ", "");
  const saved = await browser.submit("setUpCodes", setup, { code: codeAt(secret) });
  const [, recovery = ""] = /<li>([a-z2-7-]{19})<\/li>/.exec(saved.html) ?? [];
  await browser.submit("goOnWithCodes", saved, {});
  // The code of this moment is used: it is one of those of recovery.
  const code = await browser.submit("signIn", await browser.open(request), { ...person });
  await browser.submit("enterCode", code, { recovery });
  const question = await browser.open(`/oidc/logout?client_id=${client.username}`);
  await browser.submit("signOut", question, {});
}

/** Creates a passkey for a user, and signs in with it. */
async function signedInWithPasskey({ url, client, pass }: Walk, person: Credential, taken: Taken): Promise<void> {
  // A relying party has a name.
  const browser = newBrowser(siteAt(url), taken);
  const authenticator = newAuthenticator(url);
  const request = requestOf(client, { scope: "openid", acr_values: "mfa", prompt: "login consent" });
  const codes = await browser.submit("signIn", await browser.open(request), { ...person });
  const setup = await browser.submit("setUpCodes", codes, { choice: "passkey" });
  await browser.submit("createPasskey", setup, { credential: authenticator.create(askedIn(setup)) });
  // A challenge of the moment in which a passkey is created does not count for it.
  pass();
  const page = await browser.submit("signIn", await browser.open(request), { ...person });
  await browser.submit("usePasskey", page, { credential: authenticator.get(askedIn(page)) });
}

/** Signs in a user who must choose another password. */
async function signedInWithNewPassword(walk: Walk, person: Credential, taken: Taken): Promise<void> {
  const browser = newBrowser(walk.url, taken);
  const page = await browser.open(requestOf(walk.client, { scope: "openid", prompt: "login consent" }));
  const choice = await browser.submit("signIn", page, { ...person });
  const password = `another-${person.password}`;
  await browser.submit("choosePassword", choice, { password, repeated: password });
}

function actionIn(html: string): string {
  return plain(/<form[^>]*\saction="([^"]*)"/.exec(html)?.[1] ?? "");
}

/** The hidden fields of the first form of a page. */
function hiddenIn(html: string): Readonly<Record<string, string>> {
  const [form = ""] = html.split("</form>", 1);
  const inputs = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => tag);
  const of = (tag: string, name: string) => plain(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
  return Object.fromEntries(inputs.map((tag) => [of(tag, "name"), of(tag, "value")]));
}

function plain(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
