/** How each operation is called on the data set, once for its figure. */
import type { OperationId } from "#core/catalogue.ts";
import type { Sent } from "./caller.ts";
import { sessionChanges, signInReads } from "./calls-of-sign-in.ts";
import { roleParts, scopesById, tenantChanges, toolChanges, toolReads } from "./calls-of-tools.ts";
import { CAS, type Fixture, OIDC, PASSWORD, SAML, STS, TRUST, userName } from "./fixture.ts";

/**
 * Calls in the order in which they are made. The resource that an earlier call created is in `made`, by the id of its
 * operation.
 */
export type Calls = readonly (readonly [
  OperationId,
  Sent | ((made: (id: OperationId) => Readonly<Record<string, unknown>>) => Sent),
])[];

const VIEW = "internal_application_mgt_view";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const fileOf = (name: string): string =>
  `<ServiceProvider><ApplicationName>${name}</ApplicationName></ServiceProvider>`;
const SEQUENCE = {
  type: "USER_DEFINED",
  steps: [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }],
};
const scopeGrant = { grant_type: "client_credentials", scope: VIEW };

/** Operations that change nothing. They are called before the others. */
export const reads = (fixture: Fixture): Calls => {
  const { application, secret, users, groups, role, apis, templates, tenant } = fixture;
  const app = { params: { applicationId: application } };
  const user = { params: { id: users[0] ?? "" } };
  const group = { params: { id: groups[0] ?? "" } };
  const api = { params: { apiResourceId: apis[0] ?? "" } };
  const ofTenant = { params: { tenantId: tenant } };
  return [
    ["getOpenApiDocument", {}],
    ["listApplications", {}],
    ["getApplication", app],
    ["getApplicationAuthenticators", app],
    ["exportApplication", app],
    ["getResidentApplication", {}],
    ["listInboundProtocols", app],
    ["getSamlConfiguration", app],
    ["getOidcConfiguration", app],
    ["getPassiveStsConfiguration", app],
    ["getWsTrustConfiguration", app],
    ["getCustomConfiguration", { params: { applicationId: application, inboundProtocolId: "cas" } }],
    ["listClientSecrets", app],
    ["getClientSecret", { params: { applicationId: application, secretId: secret } }],
    ["listApplicationTemplates", {}],
    ["getApplicationTemplate", { params: { templateId: templates[0] ?? "" } }],
    ["listSupportedProtocols", {}],
    ["getSamlMetadata", {}],
    ["getOidcMetadata", {}],
    ["getWsTrustMetadata", {}],
    ["getCustomProtocolMetadata", { params: { inboundProtocolId: "cas" } }],
    ["getAdaptiveAuthTemplates", {}],
    ["listAuthorizedApis", app],
    ["listApiResources", {}],
    ...toolReads(fixture),
    ["getApiResource", api],
    ["getApiResourceScopes", api],
    ["getJwks", {}],
    ...signInReads(fixture),
    ["getIssuerMetadata", {}],
    ["getTenantIssuerMetadata", { params: { tenant: "taxi.example" } }],
    ["getResourceMetadata", {}],
    ["getManagementResourceMetadata", {}],
    ["getScim2ResourceMetadata", {}],
    ["getScim1ResourceMetadata", {}],
    ["getIntrospectionResourceMetadata", {}],
    ["getSignalsResourceMetadata", {}],
    ["getSignalTransmitter", {}],
    ["getSignalIssuer", {}],
    ["getTenantSignalIssuer", { params: { tenant: "taxi.example" } }],
    ["getSignalKeys", {}],
    ["getTenantResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["getTenantManagementResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["getTenantScim2ResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["getTenantScim1ResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["getTenantIntrospectionResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["getTenantSignalsResourceMetadata", { params: { tenant: "taxi.example" } }],
    ["listScim1Users", {}],
    ["getScim1User", user],
    ["getScim1Me", {}],
    ["deleteScim1Me", {}],
    ["listScim1Groups", {}],
    ["getScim1Group", group],
    ["listUsers", {}],
    ["searchUsers", { body: { filter: 'userName sw "driver"' } }],
    ["getUser", user],
    ["getMe", {}],
    ["createMe", { body: {} }],
    ["listGroups", {}],
    ["searchGroups", { body: { filter: 'displayName sw "Shift"' } }],
    ["getGroup", group],
    ["listResources", {}],
    ["searchResources", { body: { count: 10 } }],
    ["listRoles", {}],
    ["searchRoles", { body: { filter: 'displayName eq "Viewers"' } }],
    ["getRole", { params: { id: role } }],
    ["getServiceProviderConfig", {}],
    ["listResourceTypes", {}],
    ["getResourceType", { params: { id: "User" } }],
    ["listSchemas", {}],
    ["getSchema", { params: { id: "urn:ietf:params:scim:schemas:core:2.0:User" } }],
    ["listTenants", {}],
    ["getTenant", ofTenant],
    ["getTenantByDomain", { params: { domain: "taxi.example" } }],
    ["listTenantOwners", ofTenant],
    ["listAuditEvents", { query: "limit=1" }],
    ["listChanges", { query: "limit=1" }],
    ...versions("listApplicationHistory", "getApplicationVersion", app.params),
    ...versions("listInboundProtocolHistory", "getInboundProtocolVersion", {
      ...app.params,
      inboundProtocolId: "oidc",
    }),
    ...versions("listAuthorizedApisHistory", "getAuthorizedApisVersion", app.params),
    ...versions("listApplicationTemplateHistory", "getApplicationTemplateVersion", { templateId: templates[0] ?? "" }),
    ...versions("listApiResourceHistory", "getApiResourceVersion", api.params),
    ...versions("listTenantHistory", "getTenantVersion", ofTenant.params),
    ...versions("listUserHistory", "getUserVersion", user.params),
    ...versions("listGroupHistory", "getGroupVersion", group.params),
    ...versions("listRoleHistory", "getRoleVersion", { id: role }),
    ...versions("listResidentApplicationHistory", "getResidentApplicationVersion", {}),
    ["listDeletedResources", {}],
  ];
};

/** The history of a resource, and its latest version. */
const versions = (list: OperationId, one: OperationId, params: Readonly<Record<string, string>>): Calls => [
  [list, { params }],
  [
    one,
    (made) => {
      const [latest] = (made(list).records ?? []) as readonly { readonly version: string }[];
      return { params: { ...params, version: latest?.version ?? "" } };
    },
  ],
];

/** The history of a resource, and the restore of the version before its latest changes, or of its first one. */
const undone = (list: OperationId, restore: OperationId, params: Record<string, string>, changes = 1): Calls => [
  [list, { params }],
  [
    restore,
    (made) => {
      const records = (made(list).records ?? []) as readonly { readonly version: string }[];
      return { params: { ...params, version: (records[changes] ?? records.at(-1))?.version ?? "" } };
    },
  ],
];

const applicationChanges = (fixture: Fixture): Calls => {
  const { administrator, application, secret, systemApi, apis, templates } = fixture;
  const app = { applicationId: application };
  const cas = { ...app, inboundProtocolId: "cas" };
  const [templateId = ""] = templates;
  const [api = "", other = ""] = apis;
  return [
    ["createApplication", { body: { name: "New stand", description: "Taxi stand" } }],
    ["patchApplication", { params: app, body: { description: "Changed", authenticationSequence: SEQUENCE } }],
    ["updateAuthenticationScript", { params: app, body: { script: "var onLoginRequest = function (context) {};" } }],
    ["changeApplicationOwner", { params: app, body: { id: administrator } }],
    ["updateResidentApplication", { body: { inboundProvisioning: { proxyMode: true } } }],
    ...undone("listResidentApplicationHistory", "restoreResidentApplicationVersion", {}),
    ["importApplication", { file: fileOf("Imported stand") }],
    ["updateApplicationFromFile", { file: fileOf("Imported stand") }],
    ["updateSamlConfiguration", { params: app, body: SAML }],
    ["updatePassiveStsConfiguration", { params: app, body: STS }],
    ["updateWsTrustConfiguration", { params: app, body: TRUST }],
    ["updateCustomConfiguration", { params: cas, body: CAS }],
    ["updateOidcConfiguration", { params: app, body: { ...OIDC, publicClient: false } }],
    ...undone("listApplicationHistory", "restoreApplicationVersion", app),
    ...undone("listInboundProtocolHistory", "restoreInboundProtocolVersion", { ...app, inboundProtocolId: "oidc" }),
    ["addApplicationTemplate", { body: { name: "New template", application: { name: "a" } } }],
    ["updateApplicationTemplate", { params: { templateId }, body: { name: "T 0", application: { name: "b" } } }],
    ...undone("listApplicationTemplateHistory", "restoreApplicationTemplateVersion", { templateId }),
    ["deleteApplicationTemplate", { params: { templateId } }],
    [
      "createApiResource",
      { body: { name: "New API", identifier: "urn:api:new", scopes: [{ name: "new:1" }, { name: "new:2" }] } },
    ],
    ["patchApiResource", { params: { apiResourceId: api }, body: { name: "Renamed API" } }],
    ...undone("listApiResourceHistory", "restoreApiResourceVersion", { apiResourceId: api }),
    [
      "replaceApiResourceScopes",
      { params: { apiResourceId: api }, body: [{ name: "api0:read" }, { name: "api0:own" }] },
    ],
    ["patchApiResourceScope", { params: { apiResourceId: api, scopeName: "api0:own" }, body: { displayName: "Own" } }],
    ["deleteApiResourceScope", { params: { apiResourceId: api, scopeName: "api0:own" } }],
    ...scopesById(fixture),
    ["deleteApiResource", { params: { apiResourceId: other } }],
    ...[...toolChanges, ...sessionChanges(fixture)],
    ["authorizeApi", { params: app, body: { id: api, scopes: ["api0:read"] } }],
    ["patchAuthorizedApi", { params: { ...app, apiId: api }, body: { removedScopes: ["api0:read"] } }],
    ...undone("listAuthorizedApisHistory", "restoreAuthorizedApisVersion", app),
    ["deleteAuthorizedApi", { params: { ...app, apiId: systemApi } }],
    ["createClientSecret", { params: app, body: { description: "for the other stand" } }],
    ["deleteClientSecret", { params: { ...app, secretId: secret } }],
    ["regenerateClientSecret", { params: app }],
    ["revokeClient", { params: app }],
    ["deleteSamlConfiguration", { params: app }],
    ["deletePassiveStsConfiguration", { params: app }],
    ["deleteWsTrustConfiguration", { params: app }],
    ["deleteCustomConfiguration", { params: cas }],
    ["deleteOidcConfiguration", { params: app }],
    ["deleteApplication", { params: app }],
  ];
};

/** Each needs the client that the application has, so they come before its changes. */
const tokenCalls = ({ client }: Fixture): Calls => [
  ["requestToken", { as: client, form: scopeGrant }],
  ["introspectToken", (made) => ({ as: client, form: { token: String(made("requestToken").access_token) } })],
  ["revokeToken", (made) => ({ as: client, form: { token: String(made("requestToken").access_token) } })],
];

const user = (name: string) => ({ userName: name, password: PASSWORD, name: { familyName: "Driver" } });
const patch = (path: string, value: unknown) => ({ schemas: [PATCH], Operations: [{ op: "add", path, value }] });

const scimChanges = (fixture: Fixture): Calls => {
  const { users, groups, role, tenant } = fixture;
  const own = { params: { id: users[1] ?? "" } };
  const [first = "", second = "", third = ""] = groups;
  const group = { params: { id: first } };
  const driver = [{ value: users[9] ?? "" }];
  return [
    ["createUser", { body: user("new-driver") }],
    ["replaceUser", { ...own, body: { userName: userName(1), title: "Driver" } }],
    ["patchUser", { ...own, body: patch("title", "Dispatcher") }],
    ["createScim1User", { body: user("new-driver-1") }],
    ["replaceScim1User", { ...own, body: { userName: userName(1), title: "Driver" } }],
    ["patchScim1User", { ...own, body: { title: "Dispatcher" } }],
    ["patchMe", { body: patch("nickName", "Boss") }],
    ["replaceMe", { body: { userName: "admin", nickName: "Chief" } }],
    ["patchScim1Me", { body: { nickName: "Boss" } }],
    ["replaceScim1Me", { body: { userName: "admin", nickName: "Chief" } }],
    ["createGroup", { body: { displayName: "New shift", members: driver } }],
    ["patchGroup", { ...group, body: patch("members", driver) }],
    ["replaceGroup", { ...group, body: { displayName: "Shift 0", members: driver } }],
    ["createScim1Group", { body: { displayName: "New shift 1", members: driver } }],
    ["patchScim1Group", { params: { id: second }, body: { members: driver } }],
    ["replaceScim1Group", { params: { id: second }, body: { displayName: "Shift 1", members: driver } }],
    ["bulk", { body: { Operations: [{ method: "POST", path: "/Users", bulkId: "1", data: user("bulk-driver") }] } }],
    [
      "scim1Bulk",
      { body: { Operations: [{ method: "POST", path: "/Users", bulkId: "1", data: user("bulk-driver-1") }] } },
    ],
    ...undone("listUserHistory", "restoreUserVersion", own.params),
    ...undone("listGroupHistory", "restoreGroupVersion", group.params),
    ["deleteMe", { as: { username: userName(10), password: PASSWORD } }],
    ["createRole", { body: { displayName: "New role", permissions: [{ value: VIEW }] } }],
    ["patchRole", { params: { id: role }, body: patch("users", driver) }],
    ["replaceRole", { params: { id: role }, body: { displayName: "Viewers", permissions: [{ value: VIEW }] } }],
    ...roleParts(fixture),
    ...undone("listRoleHistory", "restoreRoleVersion", { id: role }),
    ["deleteRole", { params: { id: role } }],
    ["deleteGroup", { params: { id: third } }],
    ["deleteScim1Group", { params: { id: second } }],
    ["deleteUser", own],
    ["getDeletedResource", own],
    ["restoreDeletedResource", own],
    ["deleteScim1User", { params: { id: users[4] ?? "" } }],
    ["removeDeletedResource", { params: { id: users[4] ?? "" } }],
    ["createTenant", { body: { domain: "new.example", owners: [{ username: "boss", password: PASSWORD }] } }],
    ...tenantChanges(fixture),
    ...undone("listTenantHistory", "restoreTenantVersion", { tenantId: tenant }, 2),
  ];
};

const WEBHOOK_PROFILE = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };

const webhookCalls = (): Calls => {
  const body = {
    endpoint: "https://receiver.example/",
    name: "Billing",
    eventProfile: WEBHOOK_PROFILE,
    channelsSubscribed: [`${WEBHOOK_PROFILE.uri}/user`],
  };
  const own =
    (more: object = {}) =>
    (made: (earlier: OperationId) => Readonly<Record<string, unknown>>) => ({
      params: { webhookId: String(made("createWebhook").id) },
      ...more,
    });
  return [
    ["createWebhook", { body }],
    ["listWebhooks", {}],
    ["getWebhook", own()],
    ["updateWebhook", own({ body: { ...body, name: "Payroll" } })],
    ["deactivateWebhook", own()],
    ["activateWebhook", own()],
    ["replayWebhook", own({ body: { since: "2026-01-01T00:00:00Z" } })],
    ["retryWebhook", own()],
    ["listWebhookHistory", own()],
    [
      "getWebhookVersion",
      (made) => {
        const [latest] = (made("listWebhookHistory").records ?? []) as readonly { readonly version: string }[];
        return { params: { webhookId: String(made("createWebhook").id), version: latest?.version ?? "" } };
      },
    ],
    ["getWebhookMetadata", {}],
    ["patchWebhookMetadata", { body: {} }],
    ["getEventProfile", { params: { profileName: "WSO2" } }],
    ["deleteWebhook", own()],
  ];
};

const signalCalls = (): Calls => {
  const own =
    (more: object = {}) =>
    (made: (earlier: OperationId) => Readonly<Record<string, unknown>>) => ({
      body: { stream_id: String(made("createStream").stream_id), ...more },
    });
  const asked = (made: (earlier: OperationId) => Readonly<Record<string, unknown>>) => ({
    query: `stream_id=${String(made("createStream").stream_id)}`,
  });
  const subject = { format: "scim", uri: "/Users/0" };
  return [
    ["createStream", { body: {} }],
    ["readStreams", asked],
    ["updateStream", own({ description: "HR" })],
    ["replaceStream", own({ description: "HR" })],
    ["getStreamStatus", asked],
    ["setStreamStatus", own({ status: "enabled" })],
    ["removeStreamSubject", own({ subject })],
    ["addStreamSubject", own({ subject })],
    ["verifyStream", own({ state: "s" })],
    [
      "pollStream",
      (made) => ({
        params: { streamId: String(made("createStream").stream_id) },
        body: { returnImmediately: true },
      }),
    ],
    ["deleteStream", asked],
  ];
};

/** Operations that change something, each with what it needs still in place. */
export const changes = (fixture: Fixture): Calls => [
  ...tokenCalls(fixture),
  ...scimChanges(fixture),
  ...applicationChanges(fixture),
  ...webhookCalls(),
  ...signalCalls(),
];
