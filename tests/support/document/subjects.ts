/** The resources that requests of the loop are about. Each exists when a request names it. */
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { API_RESOURCES, apiResourcesOf } from "#tests/support/api-resources.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, basic, type World } from "#tests/support/world.ts";
import type { Caller, Request } from "./requests.ts";

const SCIM = "application/scim+json";
const password = "a-long-enough-password";
const everyScope = systemApis.flatMap(({ scopes }) => scopes.map(({ name }) => name));

/** The resources of one running service. */
export interface Subjects {
  /** Replaces the placeholders of a text, and creates what they name. */
  filled(text: string): Promise<string>;
  /** The `Authorization` header of a caller; `undefined` for none. */
  credential(caller: Caller, path: string): Promise<string | undefined>;
  /** Forgets what a request that succeeded may have deleted or made unusable. */
  forget(request: Request, path: string): void;
}

/** Prepares the resources of a service; creates each when it is first needed. */
export const subjectsOf = (api: World): Subjects => {
  const { register } = apiResourcesOf(api);
  const oauth = oauthOf(api);
  let made = 0;
  const fresh = (word: string) => {
    made += 1;
    return `${word}-${made}`;
  };
  const posted = async (path: string, body: unknown, headers = {}): Promise<string> => {
    const { status, headers: sent, text } = await api.ask("POST", path, { body, headers });
    if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${text}`);
    return sent.get("location")?.split("/").at(-1) ?? "";
  };
  const scim = (path: string, body: unknown) => posted(path, body, { "content-type": SCIM });
  let client: Promise<TestClient> | undefined;
  const theClient = () => {
    client ??= oauth.newClient(["internal_user_mgt_view"]);
    return client;
  };
  const theTenant = async () => {
    const domain = `${fresh("rides")}.example`;
    const owners = [{ username: "kim", password, email: "kim@rides.example", firstname: "Kim", lastname: "Berry" }];
    await posted("/api/server/v1/tenants", { domain, owners });
    return domain;
  };

  const makers: Readonly<Record<string, () => Promise<string>>> = {
    user: () =>
      scim("/scim2/Users", {
        userName: fresh("user"),
        password,
        emails: ["kim@rides.example"],
        name: { familyName: "Berry" },
      }),
    group: async () => scim("/scim2/Groups", { displayName: fresh("group"), members: [{ value: await one("user") }] }),
    role: () =>
      scim("/scim2/v2/Roles", { displayName: fresh("role"), permissions: [{ value: "internal_user_mgt_view" }] }),
    application: () =>
      api.create({
        name: fresh("application"),
        inboundProtocolConfiguration: {
          oidc: { grantTypes: ["client_credentials", "refresh_token"] },
          saml: {
            manualConfiguration: { issuer: fresh("issuer"), assertionConsumerUrls: ["https://rides.example/acs"] },
          },
          passiveSts: { realm: fresh("realm"), replyTo: "https://rides.example" },
          wsTrust: { audience: `https://${fresh("rides")}.example`, certificateAlias: "wso2carbon.cert" },
        },
      }),
    template: () =>
      posted("/api/server/v1/applications/templates", { name: fresh("template"), application: { name: "app" } }),
    api: () => register({ name: "Rides", identifier: fresh("/rides"), scopes: [{ name: fresh("scope") }] }),
    tenantDomain: theTenant,
    tenant: async () => {
      const domain = await theTenant();
      return (await api.ask("GET", `/api/server/v1/tenants/domain/${domain}`)).body.id;
    },
    systemApi: async () =>
      (await api.ask("GET", `${API_RESOURCES}?filter=type+eq+SYSTEM&limit=1`)).body.apiResources[0].id,
    client: async () => (await theClient()).clientId,
    token: async () => oauth.ownToken(await theClient()),
    file: async () =>
      (await api.ask("GET", `/api/server/v1/applications/${await one("application")}/export`)).text.replace(
        /(<ApplicationName>)[^<]*/,
        `$1${fresh("file")}`,
      ),
    me: async () => {
      const username = fresh("me");
      await addUser(api.service, { username, password, scopes: everyScope });
      return username;
    },
    powerless: async () => {
      const username = fresh("powerless");
      await addUser(api.service, { username, password });
      return username;
    },
  };
  const known = new Map<string, Promise<string>>();
  const one = (kind: string): Promise<string> => {
    const existing = known.get(kind) ?? makers[kind]?.() ?? Promise.resolve(fresh(kind));
    // A name is new each time.
    if (kind !== "name" && kind !== "file") known.set(kind, existing);
    return existing;
  };

  return {
    filled: async (text) => {
      const kinds = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, kind = ""]) => kind));
      const values = new Map<string, string>();
      for (const kind of kinds) values.set(kind, await one(kind));
      return text.replace(/\{\{(\w+)\}\}/g, (_, kind: string) => values.get(kind) ?? "");
    },
    credential: async (caller, path) => {
      if (caller === "anonymous") return undefined;
      if (caller === "unknown") return basic({ username: "unknown", password });
      if (caller === "powerless") return basic({ username: await one("powerless"), password });
      if (caller === "stranger") return basic({ username: `kim@${await one("tenantDomain")}`, password });
      if (path.startsWith("/oauth2")) {
        const { clientId, clientSecret } = await theClient();
        return basic({ username: clientId, password: clientSecret });
      }
      return /\/me$/i.test(path) ? basic({ username: await one("me"), password }) : basic(ADMIN);
    },
    forget: ({ method, params, body }, path) => {
      // The caller of the next request: deleted, deactivated, or with another password.
      if (/\/me$/i.test(path) && (method === "DELETE" || /password|active/i.test(JSON.stringify(body))))
        known.delete("me");
      if (/\/(?:revoke|lifecycle-status)$/.test(path)) for (const kind of ["token", "tenant"]) known.delete(kind);
      if (/Bulk$/.test(path)) for (const kind of ["user", "group"]) known.delete(kind);
      const named = JSON.stringify(method === "DELETE" ? params : body) ?? "";
      if (method === "DELETE") for (const [, kind = ""] of named.matchAll(/\{\{(\w+)\}\}/g)) known.delete(kind);
    },
  };
};
