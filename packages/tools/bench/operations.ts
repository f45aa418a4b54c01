/** Measures the database costs of every operation over HTTP, in a tenant of a given size. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { apiResourceItems } from "#core/applications/apis/store.ts";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { applicationItems } from "#core/applications/registry/store.ts";
import { templateItems } from "#core/applications/templates/store.ts";
import type { Item } from "#core/database/table/table.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { newId } from "#core/kernel/ids.ts";
import { operations } from "#core/service/catalogue.ts";
import { pathOf, type Sent } from "#tools/operation-units/caller.ts";
import { inside, resolved } from "#tools/operation-units/calls.ts";
import { type RunningService, startService } from "../../local/service.ts";
import { callWith, costOf, inMemory, isAuthorizer, listening } from "./calls.ts";
import { loadIndex, loadItems } from "./loading.ts";
import type { Budget, Row } from "./report.ts";

const AUTHORIZE: Budget = { roundTrips: 1, readUnits: 3 };

/** Applications per API resource. */
const APPLICATIONS_PER_API = 10;

/** The ids of the loaded resources, newest first. */
interface Loaded {
  readonly applications: readonly string[];
  readonly templates: readonly string[];
  readonly apis: readonly string[];
}

/** A call as the file has it. */
interface Written extends Pick<Sent, "params" | "query" | "body" | "file"> {
  /** A budget, or the name of one. */
  readonly budget: Budget | string;
  /** Distinguishes several calls of one operation. */
  readonly variant?: string;
}

const file = load(readFileSync(new URL("operations.yaml", import.meta.url), "utf8")) as {
  readonly budgets: Readonly<Record<string, Budget>>;
  readonly calls: Readonly<Record<string, readonly Written[]>>;
};

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
      await loadApplications(service, ids, size);
      await loadIndex(service);
      await loadTemplates(service, templateIds, size);
      await loadApis(service, apiIds, size / APPLICATIONS_PER_API);
      const [applications, templates, apis] = [ids.toReversed(), templateIds.toReversed(), apiIds.toReversed()];
      for (const { name, method, budget, ...sent } of callsOf({ applications, templates, apis }, cold?.subject ?? "")) {
        const lines = await listening(() => call(method, sent));
        rows.push({ name, size, cost: costOf(lines.find((line) => !isAuthorizer(line))), budget });
      }
    }
    return rows;
  } finally {
    await service.close();
  }
}

/** Loads applications until there are `size`. */
async function loadApplications({ endpoint, tableName }: RunningService, ids: string[], size: number): Promise<void> {
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
    latestSecret: { secretId: newId(), createdAtSeconds: 1_700_000_000 },
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

/** The calls of the file on the loaded resources. */
function callsOf(loaded: Loaded, owner: string) {
  const size = loaded.applications.length;
  const [system] = systemApis;
  const scopes = (system?.scopes ?? []).map(({ name }) => name);
  const known = {
    ...loaded,
    ...{ owner, size, scopes, furtherScopes: scopes.slice(1), systemApi: system?.id },
    ...{ fromEnd: size - 100, apiCount: loaded.apis.length, clientId: client(11).clientId, file: fileAt(size) },
    lastName: encodeURIComponent(nameOf(size - 1)),
  };
  return Object.entries(file.calls).flatMap(([id, variants]) =>
    variants.map((each) => {
      const { variant, budget, params, query, ...sent } = resolved(each, (name) =>
        inside(known, name.split(".")),
      ) as Written;
      const { method = "", path = "" } = operations[id] ?? {};
      return {
        ...sent,
        method,
        name: variant ? `${id}, ${variant}` : id,
        path: `${pathOf(path, params)}${query ? `?${query}` : ""}`,
        budget: typeof budget === "string" ? (file.budgets[budget] ?? {}) : budget,
      };
    }),
  );
}

function nameOf(index: number): string {
  return `Pickup ${String(index).padStart(6, "0")}`;
}

/** An application file with a client. */
function fileAt(size: number): string {
  return `<ServiceProvider><ApplicationName>imported at ${size}</ApplicationName><InboundAuthenticationConfig><InboundAuthenticationRequestConfigs><InboundAuthenticationRequestConfig><InboundAuthKey>imported-${size}</InboundAuthKey><InboundAuthType>oauth2</InboundAuthType><inboundConfiguration><![CDATA[<oAuthAppDO><oauthConsumerKey>imported-${size}</oauthConsumerKey><grantTypes>client_credentials</grantTypes></oAuthAppDO>]]></inboundConfiguration></InboundAuthenticationRequestConfig></InboundAuthenticationRequestConfigs></InboundAuthenticationConfig></ServiceProvider>`;
}

function templateBody(name: string) {
  return { name, application: { name: "a", description: "d" } };
}

function templateName(id: string): string {
  return `Template ${id}`;
}
