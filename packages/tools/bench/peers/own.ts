/** This service, as `npm start` runs it: gateway, authorizer, functions and embedded database. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import { root } from "../../deploy/bundle.ts";
import { administrator, basic } from "../calls.ts";
import { type ServerProcess, startProcess } from "./processes.ts";
import {
  APPLICATIONS,
  APPLICATIONS_SHOWN,
  bearer,
  formOf,
  PAGE,
  type Peer,
  type PeerRequest,
  type Send,
  scimUser,
  sending,
  sendMany,
  USERS,
} from "./requests.ts";

const SCIM = "application/scim+json";
const APPLICATION_PATH = "/api/server/v1/applications";
const APIS = [APPLICATION_PATH, "/scim2/Users", "/scim2/Bulk"];
const BULK = 500;
const AT_ONCE = 4;
/** A client may keep its token for the whole comparison. */
const TOKEN_SECONDS = 86_400;

/** A client, and the token that it got with every scope of users and applications. */
interface Client {
  readonly form: Readonly<Record<string, string>>;
  readonly token: string;
}

/** Starts the service as `npm start` does, with data of its own, which its end removes. */
export async function startEmpty(onLine?: (line: string) => void): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-peers-"));
  const server = await startProcess({
    command: process.execPath,
    args: [...(await startFlags()), join(root, "packages/local/start.ts")],
    environment: {
      DATA_DIR: directory,
      PORT: "0",
      MTLS_PORT: "0",
      ADMIN_USERNAME: administrator.username,
      ADMIN_PASSWORD: administrator.password,
      ...(onLine && { LOG_FORMAT: "json" }),
    },
    ready: /^ready (\S+)$/m,
    ...(onLine && { onLine }),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true });
  };
  return { ...server, stop };
}

/** Starts the service and furnishes it. */
export async function startOwn(): Promise<Peer> {
  const server = await startEmpty();
  const url = server.ready;
  const { jwt, opaque, users } = await sending(url, furnish);
  const scim = bearer(jwt.token, SCIM);
  const user = (n: number) => `/scim2/Users/${users[n % users.length]}`;
  return {
    name: "this service",
    url,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    requests: {
      readUser: (n) => ({ method: "GET", path: user(n), headers: scim }),
      readUserByBasic: (n) => ({
        method: "GET",
        path: user(n),
        headers: { authorization: basic(administrator.username, administrator.password), accept: SCIM },
      }),
      createUser: (n) => ({ method: "POST", path: "/scim2/Users", headers: scim, body: scimUser(`new.${n}`) }),
      changeUser: (n) => ({
        method: "PATCH",
        path: user(n),
        headers: scim,
        body: {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [{ op: "replace", path: "title", value: `Driver of cab ${n}` }],
        },
      }),
      pageOfUsers: () => ({ method: "GET", path: `/scim2/Users?count=${PAGE}`, headers: scim }),
      tokenJwt: () => token(jwt),
      tokenOpaque: () => token(opaque),
      createApplication: (n) => application(jwt.token, `new ${n}`),
      listApplications: () => ({
        method: "GET",
        path: `${APPLICATION_PATH}?limit=${APPLICATIONS_SHOWN}`,
        headers: bearer(jwt.token),
      }),
    },
    stop: server.stop,
  };
}

async function furnish(send: Send) {
  const jwt = await newClient(send, "JWT");
  const opaque = await newClient(send, "Default");
  const users = await createUsers(send, jwt.token);
  await sendMany(APPLICATIONS, AT_ONCE, (n) => send(application(jwt.token, `loaded ${n}`)));
  return { jwt, opaque, users };
}

/** The flags of node in the script `start`. */
async function startFlags(): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return scripts.start?.match(/--max-\S+/g) ?? [];
}

async function newClient(send: Send, type: "JWT" | "Default"): Promise<Client> {
  const headers = {
    authorization: basic(administrator.username, administrator.password),
    "content-type": "application/json",
  };
  const oidc = {
    grantTypes: ["client_credentials"],
    accessToken: { type, applicationAccessTokenExpiryInSeconds: TOKEN_SECONDS },
  };
  const body = { name: `peers ${type}`, inboundProtocolConfiguration: { oidc } };
  const { location = "" } = await send({ method: "POST", path: APPLICATION_PATH, headers, body });
  const path = new URL(location).pathname;
  const apis = systemApis.filter(({ identifier }) => APIS.includes(identifier));
  for (const { id, scopes } of apis) {
    const names = scopes.map(({ name }) => name);
    await send({ method: "POST", path: `${path}/authorized-apis`, headers, body: { id, scopes: names } });
  }
  const { text } = await send({ method: "GET", path: `${path}/inbound-protocols/oidc`, headers });
  const { clientId, clientSecret } = JSON.parse(text) as { clientId: string; clientSecret: string };
  const form = formOf(clientId, clientSecret);
  const scope = apis.flatMap(({ scopes }) => scopes.map(({ name }) => name)).join(" ");
  const all = `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`;
  const answer = await send({ method: "POST", path: "/oauth2/token", headers: form, body: all });
  return { form, token: (JSON.parse(answer.text) as { access_token: string }).access_token };
}

function token({ form }: Client): PeerRequest {
  const body = "grant_type=client_credentials&scope=internal_application_mgt_view";
  return { method: "POST", path: "/oauth2/token", headers: form, body };
}

function application(access: string, name: string): PeerRequest {
  const oidc = { grantTypes: ["authorization_code", "client_credentials"], callbackURLs: ["https://app.example/cb"] };
  const body = { name, description: `Application ${name}`, inboundProtocolConfiguration: { oidc } };
  return { method: "POST", path: APPLICATION_PATH, headers: bearer(access), body };
}

/** Creates the users by bulk requests. Returns their ids. */
async function createUsers(send: Send, access: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let first = 0; first < USERS; first += BULK) {
    const Operations = Array.from({ length: BULK }, (_, at) => ({
      method: "POST",
      path: "/Users",
      bulkId: String(first + at),
      data: scimUser(first + at),
    }));
    const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], Operations };
    const { text } = await send({ method: "POST", path: "/scim2/Bulk", headers: bearer(access, SCIM), body });
    const answer = JSON.parse(text) as { readonly Operations: readonly { readonly location?: string }[] };
    ids.push(...answer.Operations.map(({ location = "" }) => location.split("/").at(-1) ?? ""));
  }
  return ids;
}
