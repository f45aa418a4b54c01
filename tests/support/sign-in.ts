/** Applications that people sign in to, for tests: requests of the authorization endpoint, and sign-ins in a browser. */
import { createHash, randomBytes } from "node:crypto";
import { type Browser, newBrowser, type Shown } from "./browsing.ts";
import { oauthOf, type TestClient } from "./oauth.ts";
import { APPLICATIONS, type World } from "./world.ts";

export const CALLBACK = "https://cars.example.com/back";
export const PERSON = { username: "kim", password: "a-good-Password-1" };

/** A pair of RFC 7636. */
export const newVerifier = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

/** A page without the one script that pages may run. */
export const withoutOwnScript = (html: string): string =>
  html.replace(/<script src="\/oauth2\/page-script\?v=[0-9a-f]{16}" defer><\/script>/, "");

/** Claims of a JWT, unverified. */
export const claimsIn = (jwt: string) => JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());

type Fields = Readonly<Record<string, string | undefined>>;

export const signInOf = (api: World) => {
  const { newClient, post } = oauthOf(api);

  /** An application for sign-ins; `oidc` and `application` change its settings. */
  const newApplication = async (oidc: object = {}, application: object = {}): Promise<TestClient> => {
    const client = await newClient([], {
      grantTypes: ["authorization_code", "refresh_token"],
      callbackURLs: [CALLBACK],
      ...oidc,
    });
    const changed = { advancedConfigurations: { skipLoginConsent: true }, ...application };
    await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body: changed });
    return client;
  };

  /** The path of an authorization request. */
  const requestOf = ({ clientId }: TestClient, fields: Fields = {}): string => {
    const all = { client_id: clientId, response_type: "code", redirect_uri: CALLBACK, scope: "openid", ...fields };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return `/oauth2/authorize?${new URLSearchParams(Object.fromEntries(sent))}`;
  };

  /** Signs in with the password in a browser that is at a page of sign-in. */
  const enter = (browser: Browser, { username, password } = PERSON): Promise<Shown> =>
    browser.submit({ username, password });

  /** The parameters of an answer to the client. Throws for a page. */
  const answerOf = ({ location, html, status }: Shown): Readonly<Record<string, string>> => {
    if (!location) throw new Error(`no answer but a page with ${status}: ${html.slice(-900)}`);
    return Object.fromEntries(location.searchParams);
  };

  /** Redeems a code. */
  const redeem = (client: TestClient, code: string | undefined, more: Fields = {}) =>
    post("/oauth2/token", { grant_type: "authorization_code", code, redirect_uri: CALLBACK, ...more }, client);

  return {
    newApplication,
    requestOf,
    enter,
    answerOf,
    redeem,
    browser: () => newBrowser(api.url),
    /** A sign-in in a new browser, to its tokens. */
    async tokensOf(client: TestClient, fields: Fields = {}) {
      const browser = newBrowser(api.url);
      await browser.open(requestOf(client, fields));
      const entered = await enter(browser);
      const { code } = answerOf(entered.location ? entered : await browser.submit({ answer: "allow" }));
      const { status, body, text } = await redeem(client, code);
      if (status !== 200) throw new Error(text);
      return { browser, tokens: body as Readonly<Record<string, string>> };
    },
  };
};
