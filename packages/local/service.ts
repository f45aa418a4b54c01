/** The whole service in one process: engine, table, functions, gateway. `npm start` and the tests both run this. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPatterns } from "#core/applications/protocols/custom.ts";
import { routes } from "#core/operation/derive.ts";
import { services } from "#core/operation/services.ts";
import { deploymentFromFile } from "#core/settings/file.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import { ensureCertificates } from "./certificates.ts";
import { openDirectory, tableFileIn } from "./data-directory.ts";
import { clientFor } from "./database.ts";
import { createTable, type Engine, startEngine } from "./engine.ts";
import { type LambdaFunction, startGateway } from "./gateway.ts";
import { freePort } from "./ports.ts";
import { sealKey } from "./seal-key.ts";
import { seed } from "./seed.ts";
import type { Settings } from "./settings.ts";

/** The table of the local service. */
export const TABLE_NAME = "identity-admin-api";
const HOST = "127.0.0.1";
const SEED_DEADLINE_MS = 9_000;

/** A running service. */
export interface RunningService {
  /** The origin, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The origin of the door with client certificates, where there is one. */
  readonly mtlsUrl: string | undefined;
  /** Where the development certificates lie, where they were asked for. */
  readonly certificates: string | undefined;
  readonly endpoint: string;
  readonly tableName: string;
  /** Finishes what is under way, then stops everything. */
  close(): Promise<void>;
}

/** What can be told while the service runs. */
export interface ServiceEvents {
  /** The engine died; nothing works any more. */
  readonly onEngineExit?: (reason: string) => void;
}

/** The variables of a function's environment. */
export type Environment = Readonly<Record<string, string>>;

/** Loads a function by its name. Functions are loaded one behind the other, so each may have an environment of its own. */
export type LoadFunction = (name: string, environment: Environment) => Promise<LambdaFunction>;

let starts = 0;

/**
 * Starts the service; it answers when this resolves. `load` may bring the functions from elsewhere than their sources.
 * Throws an `Error` with a sentence for people.
 */
export async function startService(
  settings: Settings,
  events: ServiceEvents = {},
  load: LoadFunction = loadSource,
): Promise<RunningService> {
  if (settings.dataDirectory) await openDirectory(settings.dataDirectory);
  const SEAL_KEY = await sealKey(settings.dataDirectory);
  const engine = await startDatabase(settings, events.onEngineExit);
  const certificates = await certificatesIn(settings);
  const stopRest = async () => {
    await engine?.stop();
    if (certificates?.isTemporary) await rm(join(certificates.directory, ".."), { recursive: true, force: true });
  };
  try {
    const endpoint = engine?.endpoint ?? settings.endpoint ?? "";
    await makeTable(endpoint, engine === undefined);
    const config = { tableName: TABLE_NAME, deadlineMs: SEED_DEADLINE_MS, client: clientFor(endpoint) };
    await seed(openTable(config)(newMeter()), settings.administrator);

    const deployment = settings.deploymentFile ?? projectFile("deployment.toml");
    await checkPatterns(deploymentFromFile(deployment).customProtocols);
    const port = settings.port || (await freePort());
    const { authorizer, functions } = await startFunctions(load, {
      TABLE_NAME,
      DYNAMODB_ENDPOINT: endpoint,
      BASE_URL: `http://${HOST}:${port}`,
      OPENAPI_FILE: projectFile("docs/openapi.json"),
      SEAL_KEY,
      METADATA_HOSTS: process.env.METADATA_HOSTS ?? "",
      DEPLOYMENT_TOML: deployment,
      // The log goes to this process's console; the line of each request is written here too.
      POWERTOOLS_DEV: "true",
      POWERTOOLS_METRICS_DISABLED: "false",
    });
    const gateway = await startGateway({
      port,
      host: HOST,
      domainName: `${HOST}:${port}`,
      routes: routes(),
      authorizer,
      functions,
      ...(await tlsDoor(certificates?.directory, settings.mtlsPort)),
    });
    return {
      url: gateway.url,
      mtlsUrl: gateway.tls?.url,
      certificates: certificates?.directory,
      endpoint,
      tableName: TABLE_NAME,
      async close() {
        await gateway.close();
        await stopRest();
      },
    };
  } catch (error) {
    await stopRest();
    throw error;
  }
}

/** Loads a function as Lambda does: its module reads the environment that is set by then. A further service of one process has modules of its own. */
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

/** The certificates' directory: with the data, or one that goes when the service stops. */
async function certificatesIn(settings: Settings): Promise<{ directory: string; isTemporary: boolean } | undefined> {
  if (settings.mtlsPort === undefined) return undefined;
  return settings.dataDirectory
    ? { directory: join(settings.dataDirectory, "certs"), isTemporary: false }
    : { directory: join(await mkdtemp(join(tmpdir(), "identity-admin-api-")), "certs"), isTemporary: true };
}

/** Makes the table; what is wrong with a DynamoDB that was chosen is told with the variable that chose it. */
async function makeTable(endpoint: string, isChosen: boolean): Promise<void> {
  try {
    await createTable(endpoint, TABLE_NAME);
  } catch (cause) {
    if (!isChosen || !(cause instanceof Error)) throw cause;
    throw new Error(`DYNAMODB_ENDPOINT ${endpoint} cannot be used: ${cause.message}. Is a DynamoDB running there?`, {
      cause,
    });
  }
}

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function startFunctions(load: LoadFunction, environment: Environment) {
  starts += 1;
  const functions: Record<string, LambdaFunction> = {};
  for (const name of Object.keys(services)) functions[name] = await load(name, environment);
  return { authorizer: await load("authorizer", environment), functions };
}

async function tlsDoor(directory: string | undefined, port: number | undefined) {
  if (directory === undefined || port === undefined) return {};
  const { ca, server } = await ensureCertificates(directory, port);
  return {
    tls: { port, certificate: server.certificate, key: server.key, ca: ca.certificate, domainName: "localhost" },
  };
}
