/** Measures the database costs of every operation over HTTP, in a tenant of a given size. */
import { apiResourceItems } from "#core/api-resources/store.ts";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { applicationItems } from "#core/applications/registry/store.ts";
import { templateItems } from "#core/applications/templates/store.ts";
import { type OperationId, operations } from "#core/catalogue.ts";
import { systemApis } from "#core/domain/system-apis.ts";
import { SUPER_TENANT } from "#core/domain/tenant.ts";
import { newId } from "#core/platform/ids.ts";
import type { Item } from "#core/table/table.ts";
import { type RunningService, startService } from "../../local/service.ts";
import { loadIndex } from "./application-index.ts";
import { loadItems } from "./bulk.ts";
import { callWith, costOf, inMemory, isAuthorizer, listening } from "./calls.ts";
import type { Budget, Row } from "./report.ts";

const NONE: Budget = { roundTrips: 0 };
const CHANGE: Budget = { roundTrips: 3 };
const REHEARSE: Budget = { ...CHANGE, writeUnits: 0 };
const READ_ONE: Budget = { roundTrips: 1 };
const LIST: Budget = { roundTrips: 3, readUnits: 200 };
/** Pages of applications by their index (decision 0136). A container that does not know the tenant reads twice more. */
const PAGE: Budget = { roundTrips: 5, readUnits: 25 };
const SEARCH: Budget = { roundTrips: 5, readUnits: 45 };
/** A row for the value of an equality, and its application. */
const LIST_OF_VALUES: Budget = { roundTrips: 2, readUnits: 2 };
const AUTHORIZE: Budget = { roundTrips: 1, readUnits: 3 };

/** Applications per API resource. */
const APPLICATIONS_PER_API = 10;

/** The ids of the loaded resources, newest first. */
interface Loaded {
  readonly templateIds: readonly string[];
  readonly ids: readonly string[];
  readonly apiIds: readonly string[];
}

/** One call to measure. */
interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly file?: string;
  readonly budget: Budget;
  /** Distinguishes several calls of one operation. */
  readonly variant?: string;
}

type Calls = Readonly<Partial<Record<OperationId, readonly Call[]>>>;

const templatesBase = "/api/server/v1/applications/templates";

/** Measures every operation at each number of applications; the numbers ascend. */
export async function measureOperations(sizes: readonly number[]): Promise<Row[]> {
  const service = await startService(inMemory);
  const call = callWith(service.url);
  const resident = { path: "/api/server/v1/applications/resident", budget: {} };
  const rows: Row[] = [];
  try {
    // The first request of a container verifies the password and reads the role. Later ones are warm.
    const cold = (await listening(() => call("GET", resident))).find(isAuthorizer);
    rows.push({ name: "authorize, first request of a container", size: 0, cost: costOf(cold), budget: {} });
    // The second one is read after the log of changes, and known from then on.
    await listening(() => call("GET", resident));
    const warm = (await listening(() => call("GET", resident))).find(isAuthorizer);
    rows.push({ name: "authorize", size: 0, cost: costOf(warm), budget: AUTHORIZE });
    const [ids, templateIds, apiIds]: [string[], string[], string[]] = [[], [], []];
    for (const size of sizes) {
      await load(service, ids, size);
      await loadIndex(service);
      await loadTemplates(service, templateIds, size);
      await loadApis(service, apiIds, size / APPLICATIONS_PER_API);
      const loaded = { ids: ids.toReversed(), templateIds: templateIds.toReversed(), apiIds: apiIds.toReversed() };
      for (const [id, variants] of Object.entries(calls(loaded, cold?.subject ?? ""))) {
        for (const each of variants) {
          const lines = await listening(() => call(operations[id]?.method ?? "", each));
          const line = lines.find((candidate) => !isAuthorizer(candidate));
          rows.push({
            name: each.variant ? `${id}, ${each.variant}` : id,
            size,
            cost: costOf(line),
            budget: each.budget,
          });
        }
      }
    }
    return rows;
  } finally {
    await service.close();
  }
}

/** Loads applications until there are `size`. */
async function load({ endpoint, tableName }: RunningService, ids: string[], size: number): Promise<void> {
  const fresh = addIds(ids, size);
  function* items(): Generator<Item, void> {
    for (const [index, id] of fresh) {
      const application = {
        ...freshApplication(id, nameOf(index), "owner", false),
        description: `Taxi stand ${index}`,
        // Most applications have a client, because a list reads client ids. Those without one are for the protocol
        // calls.
        ...(index % 10 !== 0 && { inbound: { oidc: client(index) } }),
      };
      yield* applicationItems(SUPER_TENANT, application);
    }
  }
  await loadItems(endpoint, tableName, `${size} applications`, fresh.length * 2, items());
}

/** Adds new ids until there are `size`. Returns the new ones with their indexes. */
function addIds(ids: string[], size: number): readonly (readonly [number, string])[] {
  const from = ids.length;
  while (ids.length < size) ids.push(newId());
  return [...ids.entries()].slice(from);
}

/** A stored client. */
function client(index: number): OidcClient {
  return {
    clientId: `client${String(index).padStart(22, "0")}`,
    sealedSecret: "s".repeat(110),
    state: "ACTIVE",
    grantTypes: ["authorization_code"],
    callbackURLs: [`https://app-${index}.example/callback`],
    allowedOrigins: [],
    publicClient: false,
    pkce: { mandatory: true, supportPlainTransformAlgorithm: false },
    accessToken: {
      type: "JWT",
      userAccessTokenExpiryInSeconds: 3_600,
      applicationAccessTokenExpiryInSeconds: 3_600,
      revokeTokensWhenIDPSessionTerminated: false,
      validateTokenBinding: false,
      accessTokenAttributes: [],
    },
    refreshToken: { expiryInSeconds: 86_400, renewRefreshToken: false },
    idToken: { expiryInSeconds: 3_600, audience: [], encryption: { enabled: false, algorithm: "", method: "" } },
    logout: {},
    validateRequestObjectSignature: false,
    scopeValidators: [],
  };
}

/** Loads a template per ten applications. */
async function loadTemplates({ endpoint, tableName }: RunningService, ids: string[], size: number): Promise<void> {
  const fresh = addIds(ids, size / 10);
  function* items(): Generator<Item, void> {
    for (const [, id] of fresh) yield* templateItems(SUPER_TENANT, { id, ...templateBody(templateName(id)) });
  }
  await loadItems(endpoint, tableName, `${size / 10} templates`, fresh.length * 2, items());
}

/** Loads API resources of three scopes each until there are `size`. */
async function loadApis({ endpoint, tableName }: RunningService, ids: string[], size: number): Promise<void> {
  const fresh = addIds(ids, size);
  function* items(): Generator<Item, void> {
    for (const [index, id] of fresh) {
      const name = `api${index}`;
      const scopes = ["read", "write", "own"].map((verb) => ({
        id: newId(),
        name: `${name}:${verb}`,
        displayName: verb,
      }));
      const api = {
        id,
        identifier: `urn:${name}`,
        name,
        type: "BUSINESS",
        requiresAuthorization: true,
        scopes,
      } as const;
      yield* apiResourceItems(SUPER_TENANT, api);
    }
  }
  await loadItems(endpoint, tableName, `${size} API resources`, fresh.length * 5, items());
}

/** The calls of each operation. */
function calls({ ids, templateIds, apiIds }: Loaded, ownerId: string): Calls {
  const base = "/api/server/v1/applications";
  const id = (at: number) => `${base}/${ids[at]}`;
  const list = (variant: string, query: string, budget = LIST): Call => ({ variant, path: `${base}${query}`, budget });
  const { clientId } = client(11);
  return {
    getOpenApiDocument: [{ path: "/openapi.json", budget: NONE }],
    listWebhooks: [{ path: "/api/server/v1/webhooks", budget: READ_ONE }],
    getWebhookMetadata: [{ path: "/api/server/v1/webhooks/metadata", budget: NONE }],
    listSupportedProtocols: [{ path: `${base}/meta/inbound-protocols`, budget: NONE }],
    getSamlMetadata: [{ path: `${base}/meta/inbound-protocols/saml`, budget: NONE }],
    getOidcMetadata: [{ path: `${base}/meta/inbound-protocols/oidc`, budget: NONE }],
    getWsTrustMetadata: [{ path: `${base}/meta/inbound-protocols/ws-trust`, budget: NONE }],
    getCustomProtocolMetadata: [{ path: `${base}/meta/inbound-protocols/cas`, budget: NONE }],
    getAdaptiveAuthTemplates: [{ path: `${base}/meta/adaptive-auth-templates`, budget: NONE }],
    listApplications: [
      list("first page", "", PAGE),
      list("100 from the end", `?offset=${ids.length - 100}&limit=100`, { roundTrips: 3, readUnits: 60 }),
      list("sw", "?filter=name+sw+Pickup+1", SEARCH),
      list("co or ew", "?filter=name+co+99+or+name+ew+7&limit=100", { roundTrips: 4, readUnits: 85 }),
      list("no match", "?filter=clientId+co+nobody", SEARCH),
      list("eq", `?filter=name+eq+${encodeURIComponent(nameOf(ids.length - 1))}`, LIST_OF_VALUES),
      list("clientId eq", `?filter=clientId+eq+${clientId}`, LIST_OF_VALUES),
      list("eq and co", `?filter=name+co+Pickup+and+clientId+eq+${clientId}`, LIST_OF_VALUES),
    ],
    createApplication: [
      { path: base, body: { name: `new at ${ids.length}`, description: "d" }, budget: CHANGE },
      {
        variant: "from a template by name",
        path: `${base}?template=${encodeURIComponent(templateName(templateIds[4] ?? ""))}`,
        body: { name: `from a template at ${ids.length}` },
        budget: CHANGE,
      },
      {
        variant: "rehearsed",
        path: `${base}?dryRun=true`,
        body: { name: `rehearsed at ${ids.length}` },
        budget: REHEARSE,
      },
    ],
    getApplication: [{ path: id(0), budget: READ_ONE }],
    patchApplication: [
      { path: id(1), body: { description: "changed" }, budget: CHANGE },
      { variant: "rename", path: id(2), body: { name: `renamed at ${ids.length}` }, budget: CHANGE },
      {
        variant: "rename, rehearsed",
        path: `${id(2)}?dryRun=true`,
        body: { name: `rehearsed at ${ids.length}` },
        budget: REHEARSE,
      },
    ],
    deleteApplication: [
      { variant: "rehearsed", path: `${id(3)}?dryRun=true`, budget: REHEARSE },
      { path: id(3), budget: CHANGE },
    ],
    changeApplicationOwner: [{ path: `${id(4)}/owner`, body: { id: ownerId }, budget: CHANGE }],
    getApplicationAuthenticators: [{ path: `${id(5)}/authenticators`, budget: READ_ONE }],
    listInboundProtocols: [{ path: `${id(9)}/inbound-protocols/`, budget: READ_ONE }],
    updateOidcConfiguration: [
      { path: `${id(9)}/inbound-protocols/oidc`, body: { grantTypes: ["client_credentials"] }, budget: CHANGE },
    ],
    getOidcConfiguration: [{ path: `${id(9)}/inbound-protocols/oidc`, budget: { roundTrips: 2 } }],
    regenerateClientSecret: [{ path: `${id(9)}/inbound-protocols/oidc/regenerate-secret`, budget: CHANGE }],
    createClientSecret: [{ path: `${id(9)}/inbound-protocols/oidc/secrets`, body: {}, budget: CHANGE }],
    listClientSecrets: [{ path: `${id(9)}/inbound-protocols/oidc/secrets`, budget: { roundTrips: 2 } }],
    revokeClient: [{ path: `${id(9)}/inbound-protocols/oidc/revoke`, budget: CHANGE }],
    deleteOidcConfiguration: [{ path: `${id(9)}/inbound-protocols/oidc`, budget: CHANGE }],
    getResidentApplication: [{ path: `${base}/resident`, budget: READ_ONE }],
    updateResidentApplication: [{ path: `${base}/resident`, body: {}, budget: CHANGE }],
    importApplication: [{ path: `${base}/import`, file: fileAt(ids.length), budget: CHANGE }],
    updateApplicationFromFile: [{ path: `${base}/import`, file: fileAt(ids.length), budget: CHANGE }],
    exportApplication: [{ path: `${id(9)}/export`, budget: READ_ONE }],
    ...templateCalls(templateIds, ids.length),
    ...apiCalls(apiIds, id(6)),
    ...changeCalls(id(2), ids[2] ?? ""),
  };
}

/** The calls that read changes: of those that the calls before made. Each page is at most two round trips. */
function changeCalls(application: string, id: string): Calls {
  const budget: Budget = { roundTrips: 2 };
  const events = "/api/server/v1/audit-events";
  return {
    listAuditEvents: [
      { variant: "by time", path: events, budget },
      { variant: "by resource", path: `${events}?resourceId=${id}`, budget },
      { variant: "by actor", path: `${events}?actor=admin`, budget },
      { variant: "by an unknown actor", path: `${events}?actor=nobody`, budget },
    ],
    listApplicationHistory: [{ path: `${application}/history`, budget }],
    listChanges: [{ path: "/api/server/v1/changes", budget: READ_ONE }],
  };
}

function nameOf(index: number): string {
  return `Pickup ${String(index).padStart(6, "0")}`;
}

/** An application file with a client. */
function fileAt(size: number): string {
  return `<ServiceProvider><ApplicationName>imported at ${size}</ApplicationName><InboundAuthenticationConfig><InboundAuthenticationRequestConfigs><InboundAuthenticationRequestConfig><InboundAuthKey>imported-${size}</InboundAuthKey><InboundAuthType>oauth2</InboundAuthType><inboundConfiguration><![CDATA[<oAuthAppDO><oauthConsumerKey>imported-${size}</oauthConsumerKey><grantTypes>client_credentials</grantTypes></oAuthAppDO>]]></inboundConfiguration></InboundAuthenticationRequestConfig></InboundAuthenticationRequestConfigs></InboundAuthenticationConfig></ServiceProvider>`;
}

/** The calls of the operations on templates. Their costs grow with the number of templates. */
function templateCalls(ids: readonly string[], size: number): Calls {
  const path = (at: number) => `${templatesBase}/${ids[at]}`;
  return {
    listApplicationTemplates: [
      { variant: "first page", path: templatesBase, budget: LIST },
      { variant: "co", path: `${templatesBase}?filter=name+co+9&limit=100`, budget: LIST },
    ],
    addApplicationTemplate: [{ path: templatesBase, body: templateBody(`new at ${size}`), budget: CHANGE }],
    getApplicationTemplate: [{ path: path(0), budget: READ_ONE }],
    updateApplicationTemplate: [
      { path: path(1), body: templateBody(templateName(ids[1] ?? "")), budget: CHANGE },
      { variant: "rename", path: path(2), body: templateBody(`renamed at ${size}`), budget: CHANGE },
    ],
    deleteApplicationTemplate: [{ path: path(3), budget: CHANGE }],
  };
}

function templateBody(name: string) {
  return { name, application: { name: "a", description: "d" } };
}

function templateName(id: string): string {
  return `Template ${id}`;
}

/** The calls on API resources and on the authorized APIs of one application, in the order of their dependencies. */
function apiCalls(apiIds: readonly string[], application: string): Calls {
  const base = "/api/server/v1/api-resources";
  const id = (at: number) => `${base}/${apiIds[at]}`;
  const nth = apiIds.length;
  const authorized = `${application}/authorized-apis`;
  const system = systemApis[0];
  const scopes = (system?.scopes ?? []).map(({ name }) => name);
  return {
    listApiResources: [
      { path: base, budget: LIST },
      { variant: "co", path: `${base}?filter=name+co+9&limit=100`, budget: LIST },
    ],
    createApiResource: [
      { path: base, body: { name: "n", identifier: `new ${nth}`, scopes: [{ name: `new:${nth}` }] }, budget: CHANGE },
    ],
    getApiResource: [{ path: id(0), budget: READ_ONE }],
    patchApiResource: [{ path: id(0), body: { addedScopes: [{ name: `more:${nth}` }] }, budget: CHANGE }],
    getApiResourceScopes: [{ path: `${id(0)}/scopes`, budget: READ_ONE }],
    replaceApiResourceScopes: [{ path: `${id(1)}/scopes`, body: [{ name: `other:${nth}` }], budget: CHANGE }],
    patchApiResourceScope: [{ path: `${id(1)}/scopes/other:${nth}`, body: { displayName: "Other" }, budget: CHANGE }],
    deleteApiResourceScope: [{ path: `${id(1)}/scopes/other:${nth}`, budget: CHANGE }],
    authorizeApi: [
      { path: authorized, body: { id: system?.id, scopes }, budget: CHANGE },
      { variant: "second", path: authorized, body: { id: apiIds[0] }, budget: CHANGE },
    ],
    listAuthorizedApis: [{ path: authorized, budget: { roundTrips: 2 } }],
    patchAuthorizedApi: [
      { path: `${authorized}/${system?.id}`, body: { removedScopes: scopes.slice(1) }, budget: CHANGE },
    ],
    deleteAuthorizedApi: [{ path: `${authorized}/${system?.id}`, budget: CHANGE }],
    deleteApiResource: [{ path: id(2), budget: CHANGE }],
  };
}
