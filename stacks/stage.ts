/**
 * How stages differ, and the settings of a stage. Creates no resources: SST reads it before its platform exists, and so
 * do tests.
 *
 * `production` and `staging` are retained and monitored. Every other name is a developer's own stage: removing it
 * deletes its data.
 */
import { existsSync } from "node:fs";
import { checkAuthorities } from "./authorities.ts";
import { type Provisioned, provisionedOf, type ShiftPlan, shiftOf } from "./traffic.ts";

/** The name of the application. It is part of every name on AWS: another one would create all resources again. */
export const APP_NAME = "identity-admin-api";

/** The settings for tenants. It is uploaded with the functions. */
export const DEPLOYMENT_FILE = "deployment.toml";

/** The alias by which the gateway calls a function. */
export const LIVE_ALIAS = "live";

/** The one stage of the gateway, which SST creates: changes of routes take effect in it by themselves. */
export const GATEWAY_STAGE = "$default";

/** The log group of a function. Its name is chosen here, so that commands find the function by it. */
export function logGroupOf(stage: string, functionName: string): string {
  return `/aws/lambda/${APP_NAME}-${stage}-${functionName}`;
}

/** The purpose of a stage. */
export type StageKind = "production" | "staging" | "personal";

/** The properties of a stage. */
export interface Stage {
  readonly name: string;
  readonly kind: StageKind;
  /** True if `sst remove` is refused and the table can be neither deleted nor replaced. */
  readonly isProtected: boolean;
  /** Whether table and buckets outlive the stage. */
  readonly removal: "retain" | "remove";
  /** Whether the stage has a dashboard and alarms. */
  readonly isWatched: boolean;
  /** Whether a deployment changes no traffic: `npm run shift` moves it to the new versions (decision 0071). */
  readonly isShifted: boolean;
  /** Whether the synthetic check runs, unless the settings say otherwise (decision 0073). */
  readonly isChecked: boolean;
  /** Whether a KMS key of the stage's own encrypts the variables of functions that have secrets (decision 0033). */
  readonly hasOwnKey: boolean;
  readonly logLevel: "DEBUG" | "INFO" | "WARN";
  /** The retention of the logs of functions and gateway. */
  readonly logDays: 7 | 30 | 365;
  /**
   * The gateway's default limit of a route: requests per second, and the burst above it. A route is a group of
   * operations (`routes()` in packages/core/kernel/operation/derive.ts). AWS calls these limits targets, not ceilings.
   * It documents that those of a REST API's stage count for each method; that those of an HTTP API count for each route
   * was not tried. The account's limit applies to all routes together.
   */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** Executions that are reserved unless the settings say otherwise (decision 0178). */
  readonly concurrency: Concurrency;
}

/**
 * The longest name of a stage. Names of rules on AWS contain it with that of the application and their purpose, and
 * have at most 64 characters; backup vaults have at most 50.
 */
export const STAGE_NAME_MAX = 24;
const STAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9-]*$/;

/**
 * Concurrent executions that are reserved for a function: other functions of the account cannot use them up, and the
 * function cannot use more. A function without a number shares those of the account.
 */
export type Concurrency = Readonly<Partial<Record<keyof typeof concurrencyVariables, number>>>;

/** The functions without which no API answers and no person signs in, with the variable of each. */
const concurrencyVariables = { authorizer: "AUTHORIZER_CONCURRENCY", "sign-in": "SIGN_IN_CONCURRENCY" } as const;

/** Names that would be a developer's own stage, although their user probably means another one. */
const mistakable: Readonly<Record<string, StageKind>> = { prod: "production", live: "production", stage: "staging" };

const byKind: Readonly<Record<StageKind, Omit<Stage, "name" | "kind">>> = {
  production: {
    isProtected: true,
    removal: "retain",
    isWatched: true,
    isShifted: true,
    isChecked: true,
    hasOwnKey: true,
    logLevel: "WARN",
    logDays: 365,
    throttle: { rate: 1_000, burst: 2_000 },
    concurrency: { authorizer: 200, "sign-in": 100 },
  },
  staging: {
    isProtected: false,
    removal: "retain",
    isWatched: true,
    isShifted: true,
    isChecked: false,
    hasOwnKey: true,
    logLevel: "INFO",
    logDays: 30,
    throttle: { rate: 200, burst: 400 },
    concurrency: {},
  },
  personal: {
    isProtected: false,
    removal: "remove",
    isWatched: false,
    isShifted: false,
    isChecked: false,
    hasOwnKey: false,
    logLevel: "DEBUG",
    logDays: 7,
    throttle: { rate: 50, burst: 100 },
    concurrency: {},
  },
};

/** The domains of the API. */
export interface Domains {
  /** Without client certificates. */
  readonly api: string;
  /** With client certificates. */
  readonly mtls: string | undefined;
  /** The Route 53 zone that both belong to. */
  readonly zoneId: string;
  /** The certificates of the authorities of accepted clients; a path from the project's root. */
  readonly truststore: string;
}

/** The settings of a stage: from the environment, or from `.env.<stage>`, which SST reads. */
export interface Settings {
  readonly domains: Domains | undefined;
  /** The recipient of alarms. */
  readonly alarmEmail: string | undefined;
  /** The first administrator's name; its password is a secret. */
  readonly adminUsername: string;
  /** Whether the synthetic check runs. `undefined`: as its kind of stage has it. */
  readonly canary: boolean | undefined;
  /** The name of a table that was restored from a backup. It is used instead of the stage's own. */
  readonly restoredTable: string | undefined;
  /** The ARN of a backup vault in another account or region that gets a copy of each daily backup. */
  readonly backupCopyTo: string | undefined;
  readonly concurrency: Concurrency;
  /** How `npm run shift` moves traffic to new versions. */
  readonly shift: ShiftPlan;
  /** Environments that are kept started by `npm run shift`. */
  readonly provisioned: Provisioned;
  /** The network of the functions that call directories; without it they use the internet. */
  readonly directoryNetwork: DirectoryNetwork | undefined;
}

/** A part of a VPC with a route to DynamoDB. */
export interface DirectoryNetwork {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
}

const VAULT_ARN = /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** The stage of a name. Throws an `Error` for a name that is easily mistaken, or that AWS would refuse. */
export function stageOf(name: string): Stage {
  if (name.length > STAGE_NAME_MAX || !STAGE_NAME.test(name)) {
    throw new Error(
      `The name of a stage has 1 to ${STAGE_NAME_MAX} letters, digits and hyphens, and no hyphen at its start. Choose another name than "${name}".`,
    );
  }
  const kind = kindOf(name);
  return { name, kind, ...byKind[kind] };
}

function kindOf(name: string): StageKind {
  const meant = Object.hasOwn(mistakable, name) ? mistakable[name] : undefined;
  if (meant) throw new Error(`The stage "${name}" would be a developer's own. Use the name "${meant}".`);
  return name === "production" || name === "staging" ? name : "personal";
}

/**
 * Reads the settings of a stage, which has the reserved executions of its kind where no variable says otherwise. Throws
 * an `Error` that names the wrong variable.
 */
export function settingsOf(environment: NodeJS.ProcessEnv, stage?: Pick<Stage, "concurrency">): Settings {
  const concurrency = concurrencyOf(environment, stage?.concurrency);
  return {
    domains: domainsOf(environment),
    alarmEmail: environment.ALARM_EMAIL || undefined,
    canary: canaryOf(environment),
    adminUsername: environment.ADMIN_USERNAME || "admin",
    restoredTable: environment.RESTORED_TABLE || undefined,
    backupCopyTo: vaultOf(environment),
    concurrency,
    shift: shiftOf(environment),
    provisioned: provisionedOf(environment, concurrency),
    directoryNetwork: directoryNetworkOf(environment),
  };
}

/** Refuses a production whose alarms would reach no person. */
export function checkRecipient({ name, kind }: Stage, { alarmEmail }: Pick<Settings, "alarmEmail">): void {
  if (kind === "production" && !alarmEmail) {
    throw new Error(`ALARM_EMAIL is not set: no person would learn of an alarm of ${name}. Set it to an address.`);
  }
}

function vaultOf({ BACKUP_COPY_TO: text }: NodeJS.ProcessEnv): string | undefined {
  if (!text || VAULT_ARN.test(text)) return text || undefined;
  throw new Error(
    `BACKUP_COPY_TO must be the ARN of a backup vault, arn:aws:backup:<region>:<account>:backup-vault:<name>, not "${text}".`,
  );
}

/** Whether a stage has the synthetic check. Without alarms it would tell no person what it finds. */
export function hasCanary({ isWatched, isChecked }: Stage, { canary }: Pick<Settings, "canary">): boolean {
  return isWatched && (canary ?? isChecked);
}

function canaryOf({ CANARY: text }: NodeJS.ProcessEnv): boolean | undefined {
  if (!text) return undefined;
  if (text === "on" || text === "off") return text === "on";
  throw new Error(`CANARY must be on or off, not "${text}".`);
}

function concurrencyOf(environment: NodeJS.ProcessEnv, usual: Concurrency = {}): Concurrency {
  const pairs = Object.entries(concurrencyVariables).flatMap(([name, variable]) => {
    const number = reservedIn(variable, environment[variable], usual[name as keyof Concurrency]);
    return number === undefined ? [] : [[name, number]];
  });
  return Object.fromEntries(pairs);
}

function reservedIn(variable: string, text: string | undefined, usual: number | undefined): number | undefined {
  if (!text) return usual;
  if (text === "shared") return undefined;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error(`${variable} must be a number of concurrent executions from 1 on, or shared, not "${text}".`);
}

function domainsOf(environment: NodeJS.ProcessEnv): Domains | undefined {
  const names = domainNamesOf(environment);
  if (!names) return undefined;
  const truststore = truststoreOf(environment);
  if (names.mtls && !existsSync(truststore)) {
    throw new Error(
      `MTLS_DOMAIN needs the file ${truststore} with the certificates of the authorities of accepted clients.`,
    );
  }
  if (names.mtls) checkAuthorities(truststore, DEPLOYMENT_FILE);
  return { ...names, truststore };
}

/** The domains of a stage, without their truststore. Throws an `Error` that names the wrong variable. */
export function domainNamesOf(environment: NodeJS.ProcessEnv): Omit<Domains, "truststore"> | undefined {
  const { API_DOMAIN: api, MTLS_DOMAIN: mtls, HOSTED_ZONE_ID: zoneId } = environment;
  if (!api && mtls)
    throw new Error("MTLS_DOMAIN needs API_DOMAIN: the API also needs a domain without client certificates.");
  if (!api) return undefined;
  if (!zoneId) throw new Error(`API_DOMAIN needs HOSTED_ZONE_ID: the Route 53 zone that ${api} belongs to.`);
  if (api === mtls) throw new Error("API_DOMAIN and MTLS_DOMAIN must be different.");
  return {
    api: hostName("API_DOMAIN", api),
    mtls: mtls ? hostName("MTLS_DOMAIN", mtls) : undefined,
    zoneId,
  };
}

/**
 * Refuses a production stage without a domain: the name that AWS assigns would be the issuer of its tokens, and could
 * never be changed without ending them. Throws an `Error` that says what to set.
 */
export function checkDomain({ name, kind }: Stage, { domains }: Pick<Settings, "domains">): void {
  if (kind !== "production" || domains !== undefined) return;
  throw new Error(
    `${name} needs a domain of its own, because its tokens name it as their issuer. Set API_DOMAIN, such as ` +
      `api.example.com, and HOSTED_ZONE_ID, its Route 53 zone, in .env.${name}.`,
  );
}

/** The file with the authorities of client certificates; a path from the project's root. */
export function truststoreOf({ TRUSTSTORE_FILE: file }: NodeJS.ProcessEnv): string {
  return file || "certs/truststore.pem";
}

/** ACM issues no certificate for a longer name. */
const HOST_NAME_MAX = 64;

function hostName(variable: string, text: string): string {
  if (text.length > HOST_NAME_MAX) {
    throw new Error(`${variable} has ${text.length} characters; AWS issues certificates for at most ${HOST_NAME_MAX}.`);
  }
  if (HOST_NAME.test(text)) return text;
  throw new Error(`${variable} must be a host name such as api.example.com, not "${text}".`);
}

function directoryNetworkOf(environment: NodeJS.ProcessEnv): DirectoryNetwork | undefined {
  const { DIRECTORY_SUBNETS: subnets, DIRECTORY_SECURITY_GROUPS: groups } = environment;
  if (!subnets && !groups) return undefined;
  if (!subnets || !groups) throw new Error("Set both DIRECTORY_SUBNETS and DIRECTORY_SECURITY_GROUPS, or neither.");
  return {
    subnets: idsIn("DIRECTORY_SUBNETS", subnets, /^subnet-[0-9a-f]+$/),
    securityGroups: idsIn("DIRECTORY_SECURITY_GROUPS", groups, /^sg-[0-9a-f]+$/),
  };
}

function idsIn(variable: string, text: string, form: RegExp): readonly string[] {
  const ids = text.split(",").map((id) => id.trim());
  const odd = ids.find((id) => !form.test(id));
  if (odd !== undefined) throw new Error(`${variable} must be comma-separated ids; "${odd}" is not an id.`);
  return ids;
}

/** What SST reads before it evaluates the stacks. */
export function appOf(stage: string) {
  const { removal, isProtected } = stageOf(stage);
  return {
    name: APP_NAME,
    home: "aws" as const,
    // Another version of SST may create other resources from the same stacks.
    version: "4.17.1",
    removal,
    protect: isProtected,
    providers: { aws: "7.20.0" },
  };
}
