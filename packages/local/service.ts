/** The whole service in one process: engine, table, functions, gateway. `npm start` and the tests run it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPatterns } from "#core/applications/protocols/custom.ts";
import { INDEX_PAUSE_MS, indexActors } from "#core/changes/actor-index.ts";
import { foundingTables } from "#core/changes/open.ts";
import { SUPER_TENANT } from "#core/domain/tenant.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { NAMESPACE_VARIABLE, namespaceOf } from "#core/http/metric-names.ts";
import { routes } from "#core/operation/derive.ts";
import { FRONT, services } from "#core/operation/services.ts";
import { systemClock } from "#core/platform/clock.ts";
import { Fault } from "#core/platform/faults.ts";
import {
  answerKeysOf,
  cursorKeyOf,
  eventKeyOf,
  eventKeysOf,
  eventSigningKeysOf,
  factorKeysOf,
  formKeyOf,
  nonceKeyOf,
} from "#core/platform/seal.ts";
import type { ChangeSettings } from "#core/settings/changes.ts";
import { type Deployment, deploymentFromFile } from "#core/settings/deployment.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import { buildFront } from "../front/build.ts";
import { ensureCertificates } from "./certificates.ts";
import { openDirectory, tableFileIn } from "./data-directory.ts";
import { clientFor, createTable } from "./database.ts";
import { startDeliveryLoop } from "./delivery-loop.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type LambdaFunction, type ReservedPort, reservePort, reserveTlsPort, startGateway } from "./gateway.ts";
import type { Answered } from "./log.ts";
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
export interface RunningService {
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
export interface ServiceEvents {
  /** The engine ended; the service cannot work without it. */
  readonly onEngineExit?: (reason: string) => void;
  /** A request was answered. */
  readonly onAnswered?: (request: Answered) => void;
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
  const { listenHost = HOST } = settings;
  const stopRest = async () => {
    await engine?.stop();
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
    const { authorizer, functions, delivery } = await startFunctions(load, {
      TABLE_NAME,
      DYNAMODB_ENDPOINT: endpoint,
      BASE_URL: `http://${HOST}:${port}`,
      PUBLIC_URL: `http://${HOST}:${port}`,
      MTLS_URL: reservedTls ? `https://${HOST}:${reservedTls.port}` : "",
      OPENAPI_FILE: projectFile("docs/openapi.json"),
      FRONT_DIRECTORY: await front,
      SEAL_KEY,
      CURSOR_KEY: cursorKeyOf(SEAL_KEY),
      FORM_KEY: formKeyOf(SEAL_KEY),
      FACTOR_KEYS: factorKeysOf(SEAL_KEY, "none"),
      EVENT_KEY: eventKeyOf(SEAL_KEY),
      EVENT_KEYS: eventKeysOf(SEAL_KEY, "none"),
      EVENT_SIGNING_KEYS: eventSigningKeysOf(SEAL_KEY, "none"),
      NONCE_KEY: nonceKeyOf(SEAL_KEY),
      ANSWER_KEYS: answerKeysOf(SEAL_KEY, "none"),
      METADATA_HOSTS: process.env.METADATA_HOSTS ?? "",
      DEPLOYMENT_TOML: deployment,
      // Log to the console of this process, including the record of each request.
      POWERTOOLS_DEV: "true",
      POWERTOOLS_METRICS_DISABLED: "false",
      [NAMESPACE_VARIABLE]: namespaceOf("local"),
    });
    const gateway = await startGateway({
      port,
      ...(reserved && { server: reserved.server }),
      host: listenHost,
      domainName: `${HOST}:${port}`,
      routes: routes(),
      authorizer,
      functions,
      ...(events.onAnswered && { onAnswered: events.onAnswered }),
      ...(tls && reservedTls && { tls: { ...tls, ...reservedTls, domainName: `${HOST}:${reservedTls.port}` } }),
    });
    const loops =
      settings.deliveryMs === undefined
        ? []
        : [
            startDeliveryLoop(delivery, settings.deliveryMs),
            startDeliveryLoop(indexing(endpoint, changes), INDEX_PAUSE_MS),
          ];
    return {
      url: `http://${HOST}:${gateway.port}`,
      mtlsUrl: gateway.tls && `https://${HOST}:${gateway.tls.port}`,
      certificates: certificates?.directory,
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

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function startFunctions(load: LoadFunction, environment: Environment) {
  starts += 1;
  const functions: Record<string, LambdaFunction> = {};
  for (const name of [...Object.keys(services), FRONT]) functions[name] = await load(name, environment);
  const authorizer = await load("authorizer", environment);
  return { authorizer, functions, delivery: await load("delivery", environment) };
}

async function mtlsListener(directory: string | undefined, port: number | undefined) {
  if (directory === undefined || port === undefined) return undefined;
  const { ca, server } = await ensureCertificates(directory, port);
  return { port, certificate: server.certificate, key: server.key, ca: ca.certificate };
}
