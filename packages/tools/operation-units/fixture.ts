/** The data set that the figures of docs/operations-table.md are measured on. */
import type { Caller } from "./caller.ts";

/** The data set in words, as the document states it. */
export const dataSet = `10 applications (one has a configuration of each protocol, an authorized API and an assigned
user, another is discoverable), 11 users, 3 groups of 3 members, 2 roles (one has a user), 2 API resources of 2
scopes, 2 templates and 2 tenants`;

export const PASSWORD = "a-long-password";
const VIEW = "internal_application_mgt_view";
const DELETE_USERS = "internal_user_mgt_delete";

/** The ids of what the data set holds. */
export interface Fixture {
  readonly administrator: string;
  /** The application that has every protocol. */
  readonly application: string;
  /** Another application, which people find. */
  readonly discoverable: string;
  readonly client: { readonly username: string; readonly password: string };
  /** The id of the client's secret. */
  readonly secret: string;
  /** An API of this service that the application is authorized for. */
  readonly systemApi: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly role: string;
  /** A role without users and groups. */
  readonly spareRole: string;
  readonly apis: readonly string[];
  /** The id of a scope of the second API. */
  readonly scope: string;
  readonly templates: readonly string[];
  readonly tenant: string;
  /** The owner of the tenant. */
  readonly owner: string;
}

/** The name of the user with this number. */
export const userName = (at: number): string => `driver-${at}`;

/** A custom protocol's configuration, for the protocol that the project's deployment.toml declares. */
export const CAS = {
  name: "cas",
  configName: "cas",
  properties: [{ key: "serviceURL", value: "https://cas.example/login" }],
};
export const STS = { realm: "https://sts.example", replyTo: "https://sts.example/reply" };
export const TRUST = { audience: "https://trust.example", certificateAlias: "wso2carbon" };
export const SAML = {
  manualConfiguration: {
    issuer: "https://sp.example",
    assertionConsumerUrls: ["https://sp.example/acs"],
    singleSignOnProfile: { enableIdpInitiatedSingleSignOn: true },
  },
};
export const OIDC = {
  grantTypes: ["authorization_code", "client_credentials", "password", "refresh_token"],
  callbackURLs: ["https://taxi.example.com/back"],
};

/** What makes an application one that people find. */
const DISCOVERABLE = {
  accessUrl: "https://stand.example/start",
  advancedConfigurations: { discoverableByEndUsers: true },
};

/** Ids that calls return, one call after the other. */
const many = async (count: number, call: (at: number) => Promise<string>): Promise<string[]> => {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await call(at));
  return ids;
};

const idIn = async (answer: ReturnType<Caller>): Promise<string> => String((await answer).body.id);

const addProtocols = async (call: Caller, params: { readonly applicationId: string }): Promise<void> => {
  await call("updateOidcConfiguration", { params, body: OIDC });
  await call("updateSamlConfiguration", { params, body: SAML });
  await call("updatePassiveStsConfiguration", { params, body: STS });
  await call("updateWsTrustConfiguration", { params, body: TRUST });
  await call("updateCustomConfiguration", { params: { ...params, inboundProtocolId: "cas" }, body: CAS });
};

/** Creates the data set in a fresh service. */
export const createFixture = async (call: Caller): Promise<Fixture> => {
  const administrator = await idIn(call("getMe"));
  const [application = "", discoverable = ""] = await many(10, async (at) => {
    const body = { name: `Stand ${at}`, description: `Taxi stand ${at}`, ...(at === 1 && DISCOVERABLE) };
    return (await call("createApplication", { body })).id;
  });
  const params = { applicationId: application };
  await addProtocols(call, params);
  const found = (await call("listApiResources", { query: "limit=100&filter=name+eq+Application+Management+API" })).body;
  const [system] = found.apiResources as readonly { readonly id: string }[];
  const systemApi = system?.id ?? "";
  await call("authorizeApi", { params, body: { id: systemApi, scopes: [VIEW] } });
  const { clientId, clientSecret } = (await call("getOidcConfiguration", { params })).body;
  const [known] = (await call("listClientSecrets", { params })).body.list as readonly { readonly secretId: string }[];
  const secret = known?.secretId ?? "";
  await call("updateResidentApplication", { body: { inboundProvisioning: { proxyMode: false } } });
  const users = await many(11, (at) =>
    idIn(call("createUser", { body: { userName: userName(at), password: PASSWORD, name: { familyName: "Driver" } } })),
  );
  await call("assign", { params, body: { type: "user", id: users[0] } });
  const groups = await many(3, (at) => {
    const members = users.slice(at * 3, at * 3 + 3).map((value) => ({ value }));
    return idIn(call("createGroup", { body: { displayName: `Shift ${at}`, members } }));
  });
  const role = await idIn(
    call("createRole", {
      body: {
        displayName: "Viewers",
        permissions: [{ value: VIEW }, { value: DELETE_USERS }],
        users: [{ value: users[10] }],
      },
    }),
  );
  const apis = await many(2, (at) => {
    const scopes = ["read", "write"].map((verb) => ({ name: `api${at}:${verb}` }));
    return idIn(call("createApiResource", { body: { name: `API ${at}`, identifier: `urn:api:${at}`, scopes } }));
  });
  const spareRole = await idIn(call("createRole", { body: { displayName: "Spare" } }));
  const second = (await call("getApiResource", { params: { apiResourceId: apis[1] ?? "" } })).body;
  const scope = (second.scopes as readonly { readonly id: string }[])[0]?.id ?? "";
  const templates = await many(
    2,
    async (at) => (await call("addApplicationTemplate", { body: { name: `T ${at}`, application: { name: "a" } } })).id,
  );
  const owners = [{ username: "boss", password: PASSWORD }];
  const tenant = (await call("createTenant", { body: { domain: "taxi.example", owners } })).id;
  const [first] = (await call("getTenant", { params: { tenantId: tenant } })).body.owners as readonly { id: string }[];
  const owner = first?.id ?? "";
  const client = { username: String(clientId), password: String(clientSecret) };
  return {
    ...{
      administrator,
      application,
      discoverable,
      client,
      secret,
      systemApi,
      users,
      groups,
      role,
      spareRole,
      apis,
      scope,
    },
    ...{ templates, tenant, owner },
  };
};
