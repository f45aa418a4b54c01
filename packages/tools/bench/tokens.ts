/** Measures the database costs of issuing tokens, and of authorizing with them. */
import { apiResourceItems } from "#core/applications/apis/store.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { newId } from "#core/kernel/ids.ts";
import type { OperationId } from "#core/service/catalogue.ts";
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from "#core/sign-in/oauth/shapes.ts";
import { type RunningService, startService } from "../../local/service.ts";
import { administrator, basic, call, costOf, heard, inMemory, isAuthorizer, withoutLog } from "./calls.ts";
import { loadItems } from "./loading.ts";
import type { Budget, Row } from "./report.ts";

const VIEW = "internal_application_mgt_view";
const LIST = "/api/server/v1/applications";
const BUSINESS = "bench:read";

const TOKEN: Budget = { roundTrips: 2 };
const EXCHANGE: Budget = { roundTrips: 6 };
const JWT_WARM: Budget = { roundTrips: 0 };
const OPAQUE: Budget = { roundTrips: 1 };

/** A client of the running service. */
export interface BenchClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Creates a client with that type of tokens. It may view applications, and read the API with the given id. */
export function newBenchClient(...given: Parameters<typeof makeClient>): Promise<BenchClient> {
  return withoutLog(() => makeClient(...given));
}

async function makeClient(url: string, type: "Default" | "JWT", apiId?: string): Promise<BenchClient> {
  const headers = {
    authorization: basic(administrator.username, administrator.password),
    "content-type": "application/json",
  };
  const post = (path: string, body: unknown) =>
    call(url, path, { method: "POST", headers, body: JSON.stringify(body) });
  const grantTypes = ["client_credentials", "password", "refresh_token", TOKEN_EXCHANGE];
  const made = await post(LIST, {
    name: `bench ${type} ${newId()}`,
    inboundProtocolConfiguration: { oidc: { grantTypes, accessToken: { type } } },
  });
  const path = new URL(String(made.location)).pathname;
  const api = systemApis.find(({ scopes }) => scopes.some(({ name }) => name === VIEW));
  await post(`${path}/authorized-apis`, { id: api?.id, scopes: [VIEW] });
  if (apiId) await post(`${path}/authorized-apis`, { id: apiId, scopes: [BUSINESS] });
  const { clientId, clientSecret } = await call(url, `${path}/inbound-protocols/oidc`, { method: "GET", headers });
  return { clientId: String(clientId), clientSecret: String(clientSecret) };
}

/** Sends a form as a client. */
export function sendForm(
  url: string,
  path: string,
  { clientId, clientSecret }: BenchClient,
  form: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  return call(url, path, {
    method: "POST",
    headers: {
      authorization: basic(clientId, clientSecret),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(form).toString(),
  });
}

/** Measures the token endpoint, and the authorizer with tokens. */
export async function measureTokens(): Promise<Row[]> {
  const service = await startService(inMemory);
  const { url } = service;
  const rows: Row[] = [];
  const measure = async <R>(
    name: string,
    budget: Budget,
    run: () => Promise<R>,
    which: (line: Parameters<typeof isAuthorizer>[0]) => boolean = (line) => !isAuthorizer(line),
  ): Promise<R> => {
    const { result, lines } = await heard(run);
    rows.push({ name, size: 0, cost: costOf(lines.find(which)), budget });
    return result;
  };
  try {
    const apiId = await loadApi(service);
    const clients = {
      opaque: await newBenchClient(url, "Default", apiId),
      jwt: await newBenchClient(url, "JWT", apiId),
    };
    const own = (scope: string) => ({ grant_type: "client_credentials", scope });
    const token = (client: BenchClient, form: Readonly<Record<string, string>>) =>
      sendForm(url, "/oauth2/token", client, form);
    const id: OperationId = "requestToken";
    await measure(`${id}, JWT, first of a deployment (creates the key)`, {}, () => token(clients.jwt, own(VIEW)));
    const jwt = await measure(`${id}, client_credentials, JWT`, TOKEN, () => token(clients.jwt, own(VIEW)));
    const opaque = await measure(`${id}, client_credentials, opaque`, TOKEN, () => token(clients.opaque, own(VIEW)));
    await measure(`${id}, the same with a scope of the tenant's own API`, TOKEN, () =>
      token(clients.opaque, own(`${VIEW} ${BUSINESS}`)),
    );
    const signIn = { grant_type: "password", ...administrator, scope: VIEW };
    const pair = await measure(`${id}, password`, {}, () => token(clients.opaque, signIn));
    const next = await measure(`${id}, refresh_token`, {}, () =>
      token(clients.opaque, { grant_type: "refresh_token", refresh_token: String(pair.refresh_token) }),
    );
    for (const [format, client] of Object.entries(clients)) {
      const { access_token: subject } = await withoutLog(() => token(client, signIn));
      const exchange = {
        grant_type: TOKEN_EXCHANGE,
        subject_token: String(subject),
        subject_token_type: ACCESS_TOKEN_TYPE,
      };
      await measure(`${id}, token exchange, ${format}`, EXCHANGE, () => token(client, exchange));
    }
    const about = { token: String(next.access_token) };
    await measure("introspectToken", {}, () => sendForm(url, "/oauth2/introspect", clients.opaque, about));
    await measure("revokeToken", {}, () => sendForm(url, "/oauth2/revoke", clients.opaque, about));
    // The first one in a table makes the RSA keys of ID tokens.
    await withoutLog(() => call(url, "/oauth2/jwks", { method: "GET" }));
    for (const [name, path] of [
      ["getJwks", "/oauth2/jwks"],
      ["getServerMetadata", "/.well-known/oauth-authorization-server"],
      ["getScim2ResourceMetadata", "/.well-known/oauth-protected-resource/scim2"],
    ] as const) {
      await measure(name, { roundTrips: 1 }, () => call(url, path, { method: "GET" }));
    }
    const list = (access: unknown) => () =>
      call(url, LIST, { method: "GET", headers: { authorization: `Bearer ${access}` } });
    await measure("authorize, JWT, first of a container", {}, list(jwt.access_token), isAuthorizer);
    await measure("authorize, JWT", JWT_WARM, list(jwt.access_token), isAuthorizer);
    const user = await withoutLog(() => token(clients.jwt, signIn));
    await measure("authorize, JWT that is new to the container", JWT_WARM, list(user.access_token), isAuthorizer);
    await measure("authorize, opaque token", OPAQUE, list(opaque.access_token), isAuthorizer);
    return rows;
  } finally {
    await service.close();
  }
}

async function loadApi({ endpoint, tableName }: RunningService): Promise<string> {
  const id = newId();
  const scopes = [{ id: newId(), name: BUSINESS, displayName: "Read" }];
  const api = {
    id,
    identifier: "urn:bench",
    name: "Bench",
    type: "BUSINESS",
    requiresAuthorization: true,
    scopes,
  } as const;
  await loadItems(endpoint, tableName, "an API", 3, apiResourceItems(SUPER_TENANT, api));
  return id;
}
