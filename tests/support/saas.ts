/** Tenants with users of their own, and applications that take users of other tenants (`saas`), for tests. */
import type { Browser, Shown } from "./browsing.ts";
import { oauthOf, type TestClient } from "./oauth.ts";
import { CALLBACK, PERSON, signInOf } from "./sign-in.ts";
import { APPLICATIONS, type Ask, basic, type World } from "./world.ts";

const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const OWNER_PASSWORD = "a-good-Password-of-an-owner";
const SESSION = "__Host-session";

type Fields = Readonly<Record<string, string | undefined>>;

/** What tests ask for of a guest. */
export const EVERYTHING = "openid profile email phone address groups roles offline_access";

export const saasOf = (api: World) => {
  const signIn = signInOf(api);
  const { requestOf, enter, answerOf, redeem, browser } = signIn;
  const { post } = oauthOf(api);

  /** Creates a tenant. Its requests go to its path, as its owner. */
  const newTenant = async (domain: string) => {
    const owner = {
      ...{ username: "boss", password: OWNER_PASSWORD, email: `boss@${domain}`, firstname: "B", lastname: "B" },
      provisioningMethod: "inline-password",
    };
    const { status, text } = await api.ask("POST", "/api/server/v1/tenants", { body: { domain, owners: [owner] } });
    if (status !== 201) throw new Error(text);
    const as = basic({ username: `boss@${domain}`, password: OWNER_PASSWORD });
    const ask = (method: string, path: string, more: Ask = {}) =>
      api.ask(method, `/t/${domain}${path}`, { as, ...more });
    const tenants = await api.ask(
      "GET",
      `/api/server/v1/tenants?filter=${encodeURIComponent(`domainName eq ${domain}`)}`,
    );
    const id = (tenants.body.tenants as { id: string; domain: string }[]).find((each) => each.domain === domain)?.id;
    return {
      domain,
      as,
      ask,
      /** Creates a user, and returns its id. */
      async newUser(userName: string, password = PERSON.password, attributes: object = {}): Promise<string> {
        const made = await ask("POST", "/scim2/Users", { body: { userName, password, ...attributes } });
        if (made.status !== 201) throw new Error(made.text);
        return made.body.id;
      },
      patchUser: (userId: string, value: object) =>
        ask("PATCH", `/scim2/Users/${userId}`, {
          body: { schemas: [PATCH], Operations: [{ op: "replace", value }] },
        }),
      setActive: (activated: boolean) =>
        api.ask("PUT", `/api/server/v1/tenants/${id}/lifecycle-status`, { body: { activated } }),
      /** Creates an application of the tenant. */
      async newApplication(application: object = {}, oidc: object = {}): Promise<TestClient> {
        const settings = { grantTypes: ["authorization_code", "refresh_token"], callbackURLs: [CALLBACK], ...oidc };
        const made = await ask("POST", APPLICATIONS, {
          body: {
            name: `Application ${Math.random()}`,
            advancedConfigurations: { skipLoginConsent: true },
            ...application,
            inboundProtocolConfiguration: { oidc: settings },
          },
        });
        if (made.status !== 201) throw new Error(made.text);
        const applicationId = made.headers.get("location")?.split("/").at(-1) ?? "";
        const { body } = await ask("GET", `${APPLICATIONS}/${applicationId}/inbound-protocols/oidc`);
        return { applicationId, clientId: body.clientId, clientSecret: body.clientSecret };
      },
    };
  };

  /** An application of the super tenant that takes guests. */
  const newSaas = (oidc: object = {}, application: object = {}): Promise<TestClient> =>
    signIn.newApplication(oidc, { advancedConfigurations: { skipLoginConsent: true, saas: true }, ...application });

  /** Agrees where the page asks. */
  const agree = (page: Browser, shown: Shown): Shown | Promise<Shown> =>
    /asks for access/.test(shown.title) ? page.submit({ answer: "allow" }) : shown;

  /** Signs a guest in, in this browser, to the answer. */
  const arrive = async (client: TestClient, person: { username: string; password?: string }, fields: Fields = {}) => {
    const page = browser();
    await page.open(requestOf(client, fields));
    const shown = await agree(page, await enter(page, { password: PERSON.password, ...person }));
    return { page, shown, code: answerOf(shown).code };
  };

  /** The same to the tokens. */
  const tokensOf = async (client: TestClient, person: { username: string; password?: string }, fields: Fields = {}) => {
    const { page, code } = await arrive(client, person, fields);
    const { status, body, text } = await redeem(client, code);
    if (status !== 200) throw new Error(text);
    return { page, tokens: body as Readonly<Record<string, string>> };
  };

  return {
    ...signIn,
    newTenant,
    newSaas,
    post,
    agree,
    arrive,
    tokensOf,
    introspect: (token: string | undefined, client: TestClient) => post("/oauth2/introspect", { token }, client),
    refresh: (client: TestClient, token: string | undefined, more: Fields = {}) =>
      post("/oauth2/token", { grant_type: "refresh_token", refresh_token: token, ...more }, client),
    revoke: (client: TestClient, token: string | undefined) => post("/oauth2/revoke", { token }, client),
    infoOf: (token: string | undefined) => api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${token}` }),
    /** The answer for `prompt=none`. */
    silently: async (page: Browser, client: TestClient, fields: Fields = {}) =>
      answerOf(await page.open(requestOf(client, { prompt: "none", ...fields }))),
    /** The cookies of sessions that a browser has. */
    sessionsIn: (page: Browser) =>
      [...page.cookies].filter(([name, value]) => name.startsWith(SESSION) && value !== "").map(([name]) => name),
  };
};
