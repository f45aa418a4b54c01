/** Keycloak, from a distribution that is on this machine, with its embedded database and its admin API. */
import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../local/settings.ts";
import { startProcess } from "./processes.ts";
import {
  APPLICATIONS,
  APPLICATIONS_SHOWN,
  bearer,
  formOf,
  PAGE,
  type Peer,
  type PeerRequest,
  type Send,
  sending,
  sendMany,
  USERS,
} from "./requests.ts";

const REALM = "peers";
const ADMIN = `/admin/realms/${REALM}`;
const CLIENT = "peers-client";
const AT_ONCE = 4;
/** As long as the comparison may take: a token is requested once. */
const TOKEN_SECONDS = 86_400;

/** Starts the distribution in a folder, on a copy of it, and furnishes a realm. */
export async function startKeycloak(distribution: string): Promise<Peer> {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-keycloak-"));
  await cp(distribution, directory, { recursive: true });
  const secret = randomUUID();
  await mkdir(join(directory, "data/import"), { recursive: true });
  await writeFile(join(directory, "data/import", `${REALM}-realm.json`), JSON.stringify(realm(secret)));
  const port = await freePort();
  const server = await startProcess({
    command: join(directory, "bin/kc.sh"),
    args: ["start-dev", "--import-realm", "--http-host=127.0.0.1", `--http-port=${port}`],
    cwd: directory,
    ready: /(Listening on)/,
  });
  const url = `http://127.0.0.1:${port}`;
  const token: PeerRequest = {
    method: "POST",
    path: `/realms/${REALM}/protocol/openid-connect/token`,
    headers: formOf(CLIENT, secret),
    body: "grant_type=client_credentials",
  };
  const { access_token: access } = JSON.parse((await sending(url, (send) => send(token))).text) as {
    readonly access_token: string;
  };
  const headers = bearer(access);
  const users = await sending(url, (send) => furnish(send, headers));
  const user = (n: number) => `${ADMIN}/users/${users[n % users.length]}`;
  return {
    name: "Keycloak",
    url,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    requests: {
      readUser: (n) => ({ method: "GET", path: user(n), headers }),
      createUser: (n) => ({ method: "POST", path: `${ADMIN}/users`, headers, body: userOf(`new.${n}`) }),
      // The admin API has no PATCH: it changes the members that a PUT has.
      changeUser: (n) => ({ method: "PUT", path: user(n), headers, body: { lastName: `of cab ${n}` } }),
      pageOfUsers: () => ({ method: "GET", path: `${ADMIN}/users?first=0&max=${PAGE}`, headers }),
      tokenJwt: () => token,
      createApplication: (n) => ({ method: "POST", path: `${ADMIN}/clients`, headers, body: clientOf(`new ${n}`) }),
      listApplications: () => ({
        method: "GET",
        path: `${ADMIN}/clients?first=0&max=${APPLICATIONS_SHOWN}`,
        headers,
      }),
    },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates users and applications. Returns the ids of the users. An import of thousands takes longer than it may. */
async function furnish(send: Send, headers: PeerRequest["headers"]): Promise<readonly string[]> {
  const ids: string[] = [];
  await sendMany(USERS, AT_ONCE, async (n) => {
    const { location = "" } = await send({ method: "POST", path: `${ADMIN}/users`, headers, body: userOf(n) });
    ids.push(location.split("/").at(-1) ?? "");
  });
  await sendMany(APPLICATIONS, AT_ONCE, (n) =>
    send({ method: "POST", path: `${ADMIN}/clients`, headers, body: clientOf(`loaded ${n}`) }),
  );
  return ids;
}

/** What `--import-realm` creates: a client that may administer users and clients. */
function realm(secret: string) {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: "none",
    accessTokenLifespan: TOKEN_SECONDS,
    clients: [
      {
        clientId: CLIENT,
        secret,
        serviceAccountsEnabled: true,
        publicClient: false,
        standardFlowEnabled: false,
        attributes: { "access.token.signed.response.alg": "ES256" },
      },
    ],
    users: [
      {
        username: `service-account-${CLIENT}`,
        enabled: true,
        serviceAccountClientId: CLIENT,
        clientRoles: { "realm-management": ["realm-admin"] },
      },
    ],
  };
}

function userOf(n: number | string) {
  return {
    username: `driver.${n}`,
    enabled: true,
    firstName: "Kim",
    lastName: `Nakamura ${n}`,
    email: `driver.${n}@taxis.example.com`,
  };
}

function clientOf(name: string) {
  return {
    clientId: name,
    name,
    description: `Application ${name}`,
    publicClient: false,
    serviceAccountsEnabled: true,
    redirectUris: ["https://app.example/cb"],
  };
}
