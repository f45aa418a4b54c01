/** The functions of a stage on AWS: which version has the traffic, and what changes that. */
import {
  DeleteProvisionedConcurrencyConfigCommand,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  type LambdaClientConfig,
  ListFunctionsCommand,
  ListProvisionedConcurrencyConfigsCommand,
  ListVersionsByFunctionCommand,
  PutProvisionedConcurrencyConfigCommand,
  ResourceNotFoundException,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { type FunctionName, isBehindGateway, plan } from "../../../stacks/plan.ts";
import { LIVE_ALIAS, logGroupOf } from "../../../stacks/stage.ts";
import { descriptionOf, type Shift, shiftsIn } from "./history.ts";

/** A part of the traffic that another version has. */
export interface Share {
  readonly version: string;
  /** 0 to 1. */
  readonly weight: number;
}

/** What an alias does. */
export interface Traffic {
  /** The version with the traffic, or with the rest of it. */
  readonly version: string;
  readonly share?: Share | undefined;
  /** The latest first. */
  readonly shifts: readonly Shift[];
}

/** A function with its alias. */
export interface Live extends Traffic {
  readonly service: FunctionName;
  readonly functionName: string;
  /** The version of the last deployment. */
  readonly newest: string;
  /** Changes with every change of the alias. */
  readonly revision: string;
}

/** Environments that are kept started for one version. */
export interface Kept {
  readonly version: string;
  readonly count: number;
  readonly status: "IN_PROGRESS" | "READY" | "FAILED";
  readonly reason: string | undefined;
}

/** The functions of a stage. All methods throw the errors of AWS. */
export interface Fleet {
  /** Throws an `Error` for people where a function or its alias is missing. */
  read(): Promise<readonly Live[]>;
  /** Changes an alias, if it is as it was read. */
  point(live: Live, traffic: Traffic): Promise<void>;
  /** What a version does: it can be called when it is `Active`. */
  stateOf(live: Live, version: string): Promise<string>;
  /** Calls a version. `failure`: it ended without an answer. */
  call(live: Live, version: string, event: object): Promise<{ readonly answer: unknown; readonly failure?: string }>;
  keptOf(live: Live): Promise<readonly Kept[]>;
  /** Keeps so many environments of a version started; none for 0. */
  keep(live: Live, version: string, count: number): Promise<void>;
  close(): void;
}

/** The attempts of one call: throttled calls are repeated by the SDK. */
const ATTEMPTS = 6;

/** Opens the functions of a stage, in the region of the environment unless `config` says another. */
export function openFleet(stage: string, config: LambdaClientConfig = {}): Fleet {
  const client = new LambdaClient({ maxAttempts: ATTEMPTS, ...config });
  const services = (Object.keys(plan) as FunctionName[]).filter(isBehindGateway);
  return {
    async read() {
      const names = await namesByLog(client);
      const missing = services.filter((service) => !names.has(logGroupOf(stage, service)));
      if (missing.length > 0) {
        throw new Error(
          `The stage ${stage} has no function ${missing.join(", ")} in this account and region. Check AWS_REGION and ` +
            `the credentials, or deploy it: npx sst deploy --stage ${stage}.`,
        );
      }
      return Promise.all(
        services.map((service) => liveOf(client, service, names.get(logGroupOf(stage, service)) ?? "")),
      );
    },
    async point({ functionName, revision }, { version, share, shifts }) {
      await client.send(
        new UpdateAliasCommand({
          FunctionName: functionName,
          Name: LIVE_ALIAS,
          FunctionVersion: version,
          RoutingConfig: { AdditionalVersionWeights: share ? { [share.version]: share.weight } : {} },
          Description: descriptionOf(shifts),
          RevisionId: revision,
        }),
      );
    },
    async stateOf({ functionName }, version) {
      const found = await client.send(
        new GetFunctionConfigurationCommand({ FunctionName: functionName, Qualifier: version }),
      );
      return found.State ?? "Active";
    },
    async call({ functionName }, version, event) {
      const called = await client.send(
        new InvokeCommand({
          FunctionName: functionName,
          Qualifier: version,
          Payload: new TextEncoder().encode(JSON.stringify(event)),
        }),
      );
      const answer: unknown = JSON.parse(new TextDecoder().decode(called.Payload) || "null");
      return called.FunctionError === undefined ? { answer } : { answer, failure: textOf(answer) };
    },
    async keptOf({ functionName }) {
      const kept: Kept[] = [];
      for (let Marker: string | undefined, isFirst = true; isFirst || Marker; isFirst = false) {
        const page = await client.send(
          new ListProvisionedConcurrencyConfigsCommand({ FunctionName: functionName, ...(Marker && { Marker }) }),
        );
        for (const config of page.ProvisionedConcurrencyConfigs ?? []) {
          kept.push({
            version: config.FunctionArn?.split(":").at(-1) ?? "",
            count: config.RequestedProvisionedConcurrentExecutions ?? 0,
            status: config.Status ?? "IN_PROGRESS",
            reason: config.StatusReason,
          });
        }
        Marker = page.NextMarker;
      }
      return kept;
    },
    async keep({ functionName }, version, count) {
      const which = { FunctionName: functionName, Qualifier: version };
      await (count > 0
        ? client.send(new PutProvisionedConcurrencyConfigCommand({ ...which, ProvisionedConcurrentExecutions: count }))
        : client.send(new DeleteProvisionedConcurrencyConfigCommand(which)));
    },
    close: () => client.destroy(),
  };
}

/** What Lambda says of a call that ended without an answer. */
function textOf(answer: unknown): string {
  const { errorType, errorMessage } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return (
    [errorType, errorMessage].filter((text) => typeof text === "string").join(": ") || "it ended without an answer"
  );
}

/**
 * The names of all functions of the region, by their log groups. SST adds random letters to the names of functions, and
 * shortens long ones; the stacks choose the names of the log groups.
 */
async function namesByLog(client: LambdaClient): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let Marker: string | undefined, isFirst = true; isFirst || Marker; isFirst = false) {
    const page = await client.send(new ListFunctionsCommand(Marker ? { Marker } : {}));
    for (const { FunctionName: name, LoggingConfig: logging } of page.Functions ?? []) {
      if (name !== undefined && logging?.LogGroup !== undefined) names.set(logging.LogGroup, name);
    }
    Marker = page.NextMarker;
  }
  return names;
}

async function liveOf(client: LambdaClient, service: FunctionName, FunctionName: string): Promise<Live> {
  const [alias, newest] = await Promise.all([
    client.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS })).catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      throw new Error(`The function ${FunctionName} has no alias "${LIVE_ALIAS}". Deploy this release first.`);
    }),
    newestOf(client, FunctionName),
  ]);
  const [share] = Object.entries(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    service,
    functionName: FunctionName,
    version: alias.FunctionVersion ?? "",
    share: share && { version: share[0], weight: share[1] },
    shifts: shiftsIn(alias.Description ?? ""),
    newest,
    revision: alias.RevisionId ?? "",
  };
}

async function newestOf(client: LambdaClient, FunctionName: string): Promise<string> {
  let newest = 0;
  for (let Marker: string | undefined, isFirst = true; isFirst || Marker; isFirst = false) {
    const page = await client.send(new ListVersionsByFunctionCommand({ FunctionName, ...(Marker && { Marker }) }));
    // "$LATEST" is among them.
    for (const { Version } of page.Versions ?? []) newest = Math.max(newest, Number(Version) || 0);
    Marker = page.NextMarker;
  }
  return String(newest);
}
