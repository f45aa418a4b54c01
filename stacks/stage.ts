/**
 * What differs between stages, and what a team sets about one. It makes nothing: it is read before SST's platform exists, and
 * by tests.
 *
 * `production` and `staging` are kept, watched and protected; any other name is a developer's own stage, which goes with
 * everything in it when it is removed.
 */
import { existsSync } from "node:fs";
import { checkAuthorities } from "./authorities.ts";

/** The name of the application: it is in the name of everything on AWS, so another one would begin anew. */
export const APP_NAME = "identity-admin-api";

/** What a deployment decides for its tenants: it is uploaded with the functions. */
export const DEPLOYMENT_FILE = "deployment.toml";

/** Who a stage is for. */
export type StageKind = "production" | "staging" | "personal";

/** How a stage is run. */
export interface Stage {
  readonly name: string;
  readonly kind: StageKind;
  /** True where `sst remove` is refused, and the table can be neither deleted nor replaced. */
  readonly isProtected: boolean;
  /** Whether table and buckets outlive the stage. */
  readonly removal: "retain" | "remove";
  /** Whether there is a dashboard, and alarms that tell somebody. */
  readonly isWatched: boolean;
  readonly logLevel: "DEBUG" | "INFO" | "WARN";
  /** How long the logs of functions and of the gateway are kept. */
  readonly logRetention: "1 week" | "1 month" | "1 year";
  /** Requests a second that the gateway lets in, and how many at once beyond that. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

/** Names that would be a developer's own stage though somebody means more by them. */
const mistakable: Readonly<Record<string, StageKind>> = { prod: "production", live: "production", stage: "staging" };

const byKind: Readonly<Record<StageKind, Omit<Stage, "name" | "kind">>> = {
  production: {
    isProtected: true,
    removal: "retain",
    isWatched: true,
    logLevel: "WARN",
    logRetention: "1 year",
    throttle: { rate: 1_000, burst: 2_000 },
  },
  staging: {
    isProtected: false,
    removal: "retain",
    isWatched: true,
    logLevel: "INFO",
    logRetention: "1 month",
    throttle: { rate: 200, burst: 400 },
  },
  personal: {
    isProtected: false,
    removal: "remove",
    isWatched: false,
    logLevel: "DEBUG",
    logRetention: "1 week",
    throttle: { rate: 50, burst: 100 },
  },
};

/** The names that the API answers on. */
export interface Domains {
  /** Without client certificates. */
  readonly api: string;
  /** With client certificates. */
  readonly mtls: string | undefined;
  /** The Route 53 zone that both belong to. */
  readonly zoneId: string;
  /** The certificates of the authorities whose clients are let in; a path from the project's root. */
  readonly truststore: string;
}

/** What a team sets about a stage: in the environment, or in `.env.<stage>`, which SST reads. */
export interface Settings {
  readonly domains: Domains | undefined;
  /** Who is told of alarms. */
  readonly alarmEmail: string | undefined;
  /** The first administrator's name; its password is a secret. */
  readonly adminUsername: string;
  /** The name of a table that was restored from a backup, which is used in place of the stage's own. */
  readonly restoredTable: string | undefined;
  /** Where the functions are put that ask directories; the internet where it is left out. */
  readonly directoryNetwork: DirectoryNetwork | undefined;
}

/** A part of a VPC, with a way to DynamoDB. */
export interface DirectoryNetwork {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
}

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** How the stage of that name is run. Throws an `Error` for a name that is easily mistaken. */
export function stageOf(name: string): Stage {
  const kind = kindOf(name);
  return { name, kind, ...byKind[kind] };
}

function kindOf(name: string): StageKind {
  const meant = Object.hasOwn(mistakable, name) ? mistakable[name] : undefined;
  if (meant) throw new Error(`The stage "${name}" would be a developer's own: call it "${meant}".`);
  return name === "production" || name === "staging" ? name : "personal";
}

/** Reads what is set about a stage. Throws an `Error` that names the variable that is wrong. */
export function settingsOf(environment: NodeJS.ProcessEnv): Settings {
  return {
    domains: domainsOf(environment),
    alarmEmail: environment.ALARM_EMAIL || undefined,
    adminUsername: environment.ADMIN_USERNAME || "admin",
    restoredTable: environment.RESTORED_TABLE || undefined,
    directoryNetwork: directoryNetworkOf(environment),
  };
}

function domainsOf(environment: NodeJS.ProcessEnv): Domains | undefined {
  const { API_DOMAIN: api, MTLS_DOMAIN: mtls, HOSTED_ZONE_ID: zoneId } = environment;
  if (!api && mtls) throw new Error("MTLS_DOMAIN needs API_DOMAIN: the API keeps a name without client certificates.");
  if (!api) return undefined;
  if (!zoneId) throw new Error(`API_DOMAIN needs HOSTED_ZONE_ID: the Route 53 zone that ${api} belongs to.`);
  if (api === mtls) throw new Error("API_DOMAIN and MTLS_DOMAIN must be two names.");
  const truststore = environment.TRUSTSTORE_FILE || "certs/truststore.pem";
  if (mtls && !existsSync(truststore)) {
    throw new Error(`MTLS_DOMAIN needs ${truststore}: the certificates of the authorities whose clients are let in.`);
  }
  if (mtls) checkAuthorities(truststore, DEPLOYMENT_FILE);
  return {
    api: hostName("API_DOMAIN", api),
    mtls: mtls ? hostName("MTLS_DOMAIN", mtls) : undefined,
    zoneId,
    truststore,
  };
}

function hostName(variable: string, text: string): string {
  if (text.length <= 253 && HOST_NAME.test(text)) return text;
  throw new Error(`${variable} must be a host name such as api.example.com, not "${text}".`);
}

function directoryNetworkOf(environment: NodeJS.ProcessEnv): DirectoryNetwork | undefined {
  const { DIRECTORY_SUBNETS: subnets, DIRECTORY_SECURITY_GROUPS: groups } = environment;
  if (!subnets && !groups) return undefined;
  if (!subnets || !groups) throw new Error("DIRECTORY_SUBNETS and DIRECTORY_SECURITY_GROUPS need each other.");
  return {
    subnets: idsIn("DIRECTORY_SUBNETS", subnets, /^subnet-[0-9a-f]+$/),
    securityGroups: idsIn("DIRECTORY_SECURITY_GROUPS", groups, /^sg-[0-9a-f]+$/),
  };
}

function idsIn(variable: string, text: string, form: RegExp): readonly string[] {
  const ids = text.split(",").map((id) => id.trim());
  const odd = ids.find((id) => !form.test(id));
  if (odd !== undefined) throw new Error(`${variable} must be ids by commas; "${odd}" is none.`);
  return ids;
}

/** What SST has to know before it looks at the stacks. */
export function appOf(stage: string) {
  const { removal, isProtected } = stageOf(stage);
  return {
    name: APP_NAME,
    home: "aws" as const,
    // Another version of SST may make other resources of the same stacks.
    version: "4.17.1",
    removal,
    protect: isProtected,
    providers: { aws: "7.20.0" },
  };
}
