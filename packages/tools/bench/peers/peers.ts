/**
 * `npm run bench -- peers [rounds] [Keycloak]`: the processor time of the same requests to this service and to other
 * servers, each in processes of its own on this machine. Servers take turns, and each round begins with another one, so
 * that what else runs here meets all of them. Time is not comparable on a shared machine; processor time is.
 */
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { startKeycloak } from "./keycloak.ts";
import { startOwn } from "./own.ts";
import { startProcess } from "./processes.ts";
import {
  APPLICATIONS,
  type CaseId,
  cases,
  formOf,
  PAGE,
  type Peer,
  type PeerRequest,
  scimUser,
  sending,
  sendMany,
  USERS,
} from "./requests.ts";

const AT_ONCE = 4;
/** Requests of one round, and before the first one: just-in-time compilers need some thousands. */
const PER_ROUND: Readonly<Partial<Record<CaseId, number>>> = { pageOfUsers: 60, listApplications: 100 };
const PER_ROUND_ELSE = 250;
const WARM_ROUNDS = 4;

/** What the comparison runs. */
interface PeersOptions {
  readonly rounds: number;
  /** The folder of a Keycloak distribution. */
  readonly keycloak: string | undefined;
}

/** One server of the comparison, with what it needs for one case. */
interface Contestant {
  readonly peer: Peer;
  /** Sends that many requests. */
  readonly send: (count: number) => Promise<void>;
  /** Milliseconds for each request, one for each round. */
  readonly measured: number[];
}

/** Starts the servers, and prints the medians and ratios of each case. */
export async function comparePeers({ rounds, keycloak }: PeersOptions): Promise<void> {
  const peers: Peer[] = [];
  try {
    for (const start of [
      startOwn,
      startScimmy,
      startOidcProvider,
      ...(keycloak === undefined ? [] : [() => startKeycloak(keycloak)]),
    ]) {
      peers.push(await start());
      console.error(`${peers.at(-1)?.name} is ready`);
    }
    printHead(rounds, peers);
    for (const id of Object.keys(cases) as CaseId[]) await compare(id, rounds, peers);
    for (const { name, memoryMb } of peers) {
      const most = [...memoryMb()].filter(([, mb]) => mb > 1).map(([program, mb]) => `${program} ${mb.toFixed(0)} MB`);
      console.log(`Most memory of ${name}: ${most.join(", ")}`);
    }
  } finally {
    for (const { stop } of peers) await stop();
  }
}

async function compare(id: CaseId, rounds: number, peers: readonly Peer[]): Promise<void> {
  const contestants = peers.flatMap((peer): Contestant[] => {
    const make = peer.requests[id];
    return make ? [{ peer, send: sendingTo(peer, make), measured: [] }] : [];
  });
  const count = PER_ROUND[id] ?? PER_ROUND_ELSE;
  for (const { send } of contestants) await send(count * WARM_ROUNDS);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contestants.length;
    for (const { peer, send, measured } of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const before = peer.cpuMs();
      await send(count);
      measured.push((peer.cpuMs() - before) / count);
    }
  }
  print(id, contestants, peers);
}

function sendingTo({ url }: Peer, make: (n: number) => PeerRequest): (count: number) => Promise<void> {
  let n = 0;
  return (count) =>
    sending(url, (send) =>
      sendMany(count, AT_ONCE, () => {
        n += 1;
        return send(make(n));
      }),
    );
}

const NAME_WIDTH = 40;
const WIDTH = 16;

function printHead(rounds: number, peers: readonly Peer[]): void {
  const machine = `${cpus().length} cores, Node.js ${process.versions.node}`;
  console.log(
    `\nProcessor time for each request, in ms (seconds per 1,000), and this service's multiple of it\n` +
      `${new Date().toISOString().slice(0, 10)}, ${machine}; ${USERS} users, ${APPLICATIONS} applications; ` +
      `${AT_ONCE} requests at once; medians of ${rounds} rounds in turns`,
  );
  console.log(`${"".padEnd(NAME_WIDTH)}${peers.map(({ name }) => name.padStart(WIDTH)).join("")}`);
}

function print(id: CaseId, contestants: readonly Contestant[], peers: readonly Peer[]): void {
  const own = median(contestants[0]?.measured ?? []);
  const cells = peers.map((peer, at) => {
    const found = contestants.find((each) => each.peer === peer);
    if (!found) return "-";
    const ms = median(found.measured);
    return at === 0 ? ms.toFixed(2) : `${ms.toFixed(2)} x ${(own / ms).toFixed(2)}`;
  });
  console.log(`${cases[id].padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(WIDTH)).join("")}`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const PATH = "/scim/v2/Users";
const headers = { "content-type": "application/scim+json", accept: "application/scim+json" };

/** Starts it with its users. */
async function startScimmy(): Promise<Peer> {
  const server = await startProcess({
    command: process.execPath,
    args: [fileURLToPath(new URL("scimmy-server.ts", import.meta.url))],
    ready: /^ready (\S+)$/m,
  });
  const ids: string[] = [];
  await sending(server.ready, (send) =>
    sendMany(USERS, AT_ONCE, async (n) => {
      const { text } = await send({ method: "POST", path: PATH, headers, body: scimUser(n) });
      ids.push((JSON.parse(text) as { id: string }).id);
    }),
  );
  const user = (n: number) => `${PATH}/${ids[n % ids.length]}`;
  return {
    name: "SCIMMY",
    url: server.ready,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    stop: server.stop,
    requests: {
      readUser: (n) => ({ method: "GET", path: user(n), headers }),
      createUser: (n) => ({ method: "POST", path: PATH, headers, body: scimUser(`new.${n}`) }),
      changeUser: (n) => ({
        method: "PATCH",
        path: user(n),
        headers,
        body: {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [{ op: "replace", path: "title", value: `Driver of cab ${n}` }],
        },
      }),
      pageOfUsers: () => ({ method: "GET", path: `${PATH}?startIndex=1&count=${PAGE}`, headers }),
    },
  };
}

/** Starts it. */
async function startOidcProvider(): Promise<Peer> {
  const server = await startProcess({
    command: process.execPath,
    args: [fileURLToPath(new URL("oidc-provider-server.ts", import.meta.url))],
    ready: /^ready (\S+)$/m,
  });
  const token = (client: string): PeerRequest => ({
    method: "POST",
    path: "/token",
    headers: formOf(client, `secret-of-${client}`),
    body: "grant_type=client_credentials&scope=read",
  });
  return {
    name: "oidc-provider",
    url: server.ready,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    stop: server.stop,
    requests: { tokenJwt: () => token("jwt"), tokenOpaque: () => token("opaque") },
  };
}
