/** The whole service in one process: engine, table, functions, gateway. `npm start` and the tests run it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPatterns } from "#core/applications/protocols/custom.ts";
import { INDEX_PAUSE_MS, indexActors } from "#core/database/changes/actor-index.ts";
import { foundingTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { NAMESPACE_VARIABLE, namespaceOf } from "#core/http/metric-names.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { Fault } from "#core/kernel/faults.ts";
import { routes } from "#core/kernel/operation/derive.ts";
import { FRONT, services } from "#core/kernel/operation/services.ts";
import {
  answerKeysOf,
  cursorKeyOf,
  eventKeyOf,
  eventKeysOf,
  eventSigningKeysOf,
  factorKeysOf,
  formKeyOf,
  logoutKeyOf,
  nonceKeyOf,
  samlKeysOf,
} from "#core/kernel/seal.ts";
import type { ChangeSettings } from "#core/service/settings/changes.ts";
import { type Deployment, deploymentFromFile } from "#core/service/settings/deployment.ts";
import { buildFront } from "../front/build.ts";
import { ensureCertificates } from "./certificates.ts";
import { openDirectory, tableFileIn } from "./data-directory.ts";
import { clientFor, createTable } from "./database.ts";
import { type Engine, startEngine } from "./engine.ts";
import { loopbackNames } from "./gateway/routing.ts";
import { type LambdaFunction, type ReservedPort, reservePort, reserveTlsPort, startGateway } from "./gateway.ts";
import type { Answered } from "./log.ts";
import { outboxIn, type SentMails } from "./outbox.ts";
import { checkSealKey, sealKey } from "./seal-key.ts";
import { seed } from "./seed.ts";
import type { Settings } from "./settings.ts";

/** The table of the local service. */
export const TABLE_NAME = "identity-admin-api";
/** What the service calls itself, on whichever address it listens: a container publishes its ports there. */
const HOST = "127.0.0.1";
/** What provisioning clients expect the first user of a list to have. It is set once, with the first start. */
const sampleProfile = {
  name: { givenName: "Local", familyName: "Administrator" },
  emails: [{ value: "admin@local.example", type: "work", primary: true }],
};
const SEED_DEADLINE_MS = 9_000;

/** A running service. */
export interface RunningService extends SentMails {
  /** The origin, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The origin of the mTLS listener, if there is one. */
  readonly mtlsUrl: string | undefined;
  /** The directory of the development certificates, if there is an mTLS listener. */
  readonly certificates: string | undefined;
  readonly endpoint: string;
  readonly tableName: string;
  /** Finishes open requests, then stops everything. Resolves with the number of requests that it cut off. */
  close(): Promise<number>;
}

/** Events of a running service. */
interface ServiceEvents {
  /** The engine ended; the service cannot work without it. */
  readonly onEngineExit?: (reason: string) => void;
  /** A request was answered. */
  readonly onAnswered?: (request: Answered) => void;
  /** Asked for the address of the demo at each request for `/demo`. */
  readonly demo?: () => string | undefined;
}

/** The environment variables of a function. */
export type Environment = Readonly<Record<string, string>>;

/** Loads a function by its name. Functions are loaded one after another, so that each can have its own environment. */
export type LoadFunction = (name: string, environment: Environment) => Promise<LambdaFunction>;

let starts = 0;

/**
 * Starts the service and waits until it accepts requests. `load` may load the functions from another place than their
 * sources. Throws an `Error` with a message for users.
 */
export async function startService(
  settings: Settings,
  events: ServiceEvents = {},
  load: LoadFunction = loadSource,
): Promise<RunningService> {
  if (settings.dataDirectory) await openDirectory(settings.dataDirectory);
  const SEAL_KEY = await sealKey(settings.dataDirectory);
  const front = buildFront();
  // Its failure is thrown where it is awaited, which may be never.
  front.catch(() => undefined);
  const engine = await startDatabase(settings, events.onEngineExit);
  const certificates = await certificatesIn(settings);
  const outbox = await outboxIn(settings.dataDirectory);
  const { listenHost = HOST } = settings;
  const stopRest = async () => {
    await engine?.stop();
    await outbox.close();
    if (certificates?.isTemporary) await rm(join(certificates.directory, ".."), { recursive: true, force: true });
  };
  let reserved: ReservedPort | undefined;
  let reservedTls: ReservedPort | undefined;
  try {
    const endpoint = engine?.endpoint ?? settings.endpoint ?? "";
    const deployment = settings.deploymentFile ?? projectFile("deployment.toml");
    const { customProtocols, changes, indexes } = deploymentFromFile(deployment);
    await prepareData(settings, endpoint, SEAL_KEY, { changes, indexes });

    await checkPatterns(customProtocols);
    if (settings.port === 0) reserved = await reservePort(listenHost);
    const port = reserved?.port ?? settings.port;
    const tls = await mtlsListener(certificates?.directory, settings.mtlsPort);
    // Like the other one, it is open before the functions are built: the metadata of the server names it.
    if (tls) reservedTls = await reserveTlsPort(tls, listenHost);
    const mtlsUrl = reservedTls ? `https://${HOST}:${reservedTls.port}` : "";
    const { authorizer, functions, delivery, mail } = await startFunctions(load, {
      ...{ DYNAMODB_ENDPOINT: endpoint, DEPLOYMENT_TOML: deployment, FRONT_DIRECTORY: await front },
      ...outbox.variables,
      ...addressVariables(`http://${HOST}:${port}`, mtlsUrl),
      ...keyVariables(SEAL_KEY),
      ...fixedVariables(settings),
    });
    const gateway = await startGateway({
      port,
      ...(reserved && { server: reserved.server }),
      host: listenHost,
      domainName: `${HOST}:${port}`,
      ownNames: ownNamesOf(settings),
      routes: [...routes(), { key: "ANY /demo", service: DEMO, isOpen: true }],
      authorizer,
      functions: { ...functions, [DEMO]: leadingTo(events.demo) },
      ...(events.onAnswered && { onAnswered: events.onAnswered }),
      ...(tls && reservedTls && { tls: { ...tls, ...reservedTls, domainName: `${HOST}:${reservedTls.port}` } }),
    });
    const loops = startLoops(settings, [delivery, mail], indexing(endpoint, changes));
    return {
      url: `http://${HOST}:${gateway.port}`,
      mtlsUrl: gateway.tls && `https://${HOST}:${gateway.tls.port}`,
      certificates: certificates?.directory,
      ...outbox.of(mail),
      endpoint,
      tableName: TABLE_NAME,
      async close() {
        const [cut] = await Promise.all([gateway.close(), ...loops.map((loop) => loop.stop())]);
        await stopRest();
        return cut;
      },
    };
  } catch (error) {
    reserved?.server.close();
    reservedTls?.server.close();
    await stopRest();
    throw error;
  }
}

function addressVariables(url: string, mtlsUrl: string): Environment {
  return { BASE_URL: url, PUBLIC_URL: url, MTLS_URL: mtlsUrl, METADATA_HOSTS: process.env.METADATA_HOSTS ?? "" };
}

/** The key of the service, and those that are derived from it. */
function keyVariables(SEAL_KEY: string): Environment {
  return {
    SEAL_KEY,
    CURSOR_KEY: cursorKeyOf(SEAL_KEY),
    FORM_KEY: formKeyOf(SEAL_KEY),
    LOGOUT_KEY: logoutKeyOf(SEAL_KEY),
    FACTOR_KEYS: factorKeysOf(SEAL_KEY, "none"),
    EVENT_KEY: eventKeyOf(SEAL_KEY),
    EVENT_KEYS: eventKeysOf(SEAL_KEY, "none"),
    EVENT_SIGNING_KEYS: eventSigningKeysOf(SEAL_KEY, "none"),
    SAML_KEYS: samlKeysOf(SEAL_KEY, "none"),
    NONCE_KEY: nonceKeyOf(SEAL_KEY),
    ANSWER_KEYS: answerKeysOf(SEAL_KEY, "none"),
  };
}

const fixedVariables = ({ administrator }: Settings): Environment => ({
  TABLE_NAME,
  LOCAL_ADMINISTRATOR: administrator.username,
  // Log to the console of this process, including the record of each request.
  POWERTOOLS_DEV: "true",
  POWERTOOLS_METRICS_DISABLED: "false",
  [NAMESPACE_VARIABLE]: namespaceOf("local"),
});

/** The path that leads to the demo. No function of this name is deployed. */
const DEMO = "demo";

function leadingTo(address: ServiceEvents["demo"]): LambdaFunction {
  return async () => {
    const location = address?.();
    if (location === undefined) return { statusCode: 404, body: "There is no demo: DEMO_PORT is off." };
    return { statusCode: 303, headers: { location } };
  };
}

/**
 * Loads a function as Lambda does: its module reads the environment. A second service in this process gets its own
 * modules.
 */
async function loadSource(name: string, environment: Environment): Promise<LambdaFunction> {
  Object.assign(process.env, environment);
  const own = starts > 1 ? `?service=${starts}` : "";
  const module = (await import(new URL(`../../functions/${name}.ts${own}`, import.meta.url).href)) as {
    handler: LambdaFunction;
  };
  return module.handler;
}

async function startDatabase(settings: Settings, onExit: ServiceEvents["onEngineExit"]): Promise<Engine | undefined> {
  const { endpoint, dataDirectory } = settings;
  if (endpoint) return undefined;
  return startEngine({
    ...(dataDirectory && { dataFile: tableFileIn(dataDirectory) }),
    ...(onExit && { onExit }),
  });
}

/** The directory of the certificates: with the data, or a temporary one. */
async function certificatesIn(settings: Settings): Promise<{ directory: string; isTemporary: boolean } | undefined> {
  if (settings.mtlsPort === undefined) return undefined;
  return settings.dataDirectory
    ? { directory: join(settings.dataDirectory, "certs"), isTemporary: false }
    : { directory: join(await mkdtemp(join(tmpdir(), "identity-admin-api-")), "certs"), isTemporary: true };
}

/** Indexes the changes of all tenants by actor, as the stream of the table has it done on AWS. */
function indexing(endpoint: string, { recordDays }: ChangeSettings): () => Promise<void> {
  const open = openTable({ tableName: TABLE_NAME, deadlineMs: SEED_DEADLINE_MS, client: clientFor(endpoint) });
  return async () => {
    const table = open(newMeter());
    for (const tenant of [SUPER_TENANT, ...(await tenantStore(table).domains())]) {
      await indexActors(table, tenant, { nowMs: systemClock.now(), recordDays });
    }
  };
}

/** Creates the table and its first data, and checks the sealing key. A failure of the database names its variable. */
async function prepareData(
  settings: Settings,
  endpoint: string,
  sealingKey: string,
  { changes, indexes }: Pick<Deployment, "changes" | "indexes">,
): Promise<void> {
  const place = settings.endpoint
    ? `DYNAMODB_ENDPOINT ${settings.endpoint}`
    : `the data in DATA_DIR "${settings.dataDirectory ?? ":memory:"}"`;
  try {
    await createTable(endpoint, TABLE_NAME);
    const config = { tableName: TABLE_NAME, deadlineMs: SEED_DEADLINE_MS, client: clientFor(endpoint) };
    const table = foundingTables(openTable(config), changes)(newMeter());
    await checkSealKey(table, sealingKey, place);
    await seed(table, { ...settings.administrator, profile: sampleProfile }, indexes);
  } catch (error) {
    const cause = error instanceof Fault ? (error.cause ?? error) : error;
    const isOfDatabase = cause instanceof Error && ("$metadata" in cause || error instanceof Fault);
    if (!isOfDatabase) throw error;
    const advice = settings.endpoint
      ? "Check that a DynamoDB is running there."
      : "Check its disk, or restore the directory from a backup.";
    throw new Error(`Cannot use ${place}: ${cause.message}. ${advice}`, { cause });
  }
}

/** An address that stands for all of the machine is no name: a request names one of them. */
function ownNamesOf({ listenHost = HOST, allowedHosts = [] }: Settings): ReadonlySet<string> {
  return new Set([...loopbackNames, listenHost.includes(":") ? `[${listenHost}]` : listenHost, ...allowedHosts]);
}

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function startFunctions(load: LoadFunction, environment: Environment) {
  starts += 1;
  const functions: Record<string, LambdaFunction> = {};
  for (const name of [...Object.keys(services), FRONT]) functions[name] = await load(name, environment);
  const authorizer = await load("authorizer", environment);
  return {
    ...{ authorizer, functions },
    delivery: await load("delivery", environment),
    mail: await load("mail", environment),
  };
}

async function mtlsListener(directory: string | undefined, port: number | undefined) {
  if (directory === undefined || port === undefined) return undefined;
  const { ca, server } = await ensureCertificates(directory, port);
  return { port, certificate: server.certificate, key: server.key, ca: ca.certificate };
}

/** Delivers and sends at intervals, and indexes changes, if the settings say so. */
function startLoops(
  { deliveryMs }: Settings,
  functions: readonly LambdaFunction[],
  index: () => Promise<void>,
): readonly DeliveryLoop[] {
  if (deliveryMs === undefined) return [];
  return [...functions.map((each) => startDeliveryLoop(each, deliveryMs)), startDeliveryLoop(index, INDEX_PAUSE_MS)];
}

/** A loop that runs. */
interface DeliveryLoop {
  /** Ends it, after the runs that have begun. */
  stop(): Promise<void>;
}

/** As on AWS, a run that waits for a slow receiver does not delay what others deliver. */
const RUNS_AT_ONCE = 4;

/** Starts a run at each interval, unless as many as that are going on. */
function startDeliveryLoop(deliver: LambdaFunction, intervalMs: number): DeliveryLoop {
  const running = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    if (running.size >= RUNS_AT_ONCE) return;
    // The function reports its errors itself.
    const run = Promise.resolve(deliver({ all: true } as never, {} as never)).catch(() => {});
    running.add(run);
    void run.then(() => running.delete(run));
  }, intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
