/** A sign-in by the pages of the service, without a browser: for the operations that need its token. */
import { OIDC } from "#tools/operation-units/fixture.ts";

/** Who signs in to which client. */
export interface SignIn {
  readonly client: { readonly username: string; readonly password: string };
  readonly person: { readonly username: string; readonly password: string };
  readonly scope: string;
}

/** Signs in and consents. Returns the access token. Throws an `Error` where the service shows another page. */
export async function signedIn(url: string, { client, person, scope }: SignIn): Promise<string> {
  const cookies = new Map<string, string>();
  const browse = async (address: string, form?: Readonly<Record<string, string>>) => {
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
    return { location: response.headers.get("location"), html: await response.text() };
  };
  const [redirect_uri = ""] = OIDC.callbackURLs;
  const query = new URLSearchParams({ client_id: client.username, response_type: "code", scope, redirect_uri });
  let page = await browse(`/oauth2/authorize?${query}`);
  // The page that asks for the password, and the one that asks for consent.
  for (const entered of [person, { answer: "allow" }]) {
    if (page.location !== null) break;
    page = await browse(actionIn(page.html), { ...hiddenIn(page.html), ...entered });
  }
  const code = page.location === null ? null : new URL(page.location).searchParams.get("code");
  if (code === null) throw new Error(`The sign-in ended at ${page.location ?? page.html}`);
  const answer = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${client.username}:${client.password}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri }),
  });
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`The code was refused with ${answer.status}`);
  return token;
}

function actionIn(html: string): string {
  return plain(/<form[^>]*\saction="([^"]*)"/.exec(html)?.[1] ?? "");
}

function hiddenIn(html: string): Readonly<Record<string, string>> {
  const inputs = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => tag);
  const of = (tag: string, name: string) => plain(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
  return Object.fromEntries(inputs.map((tag) => [of(tag, "name"), of(tag, "value")]));
}

function plain(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
