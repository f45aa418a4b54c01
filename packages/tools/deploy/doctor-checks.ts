/**
 * The checks of `npm run doctor`, as data: what a deployment will use, and what is missing or wrong. They read files of
 * the project, and nothing else: no network, no credentials.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPatterns } from "#core/applications/protocols/custom.ts";
import { checkName } from "#core/directory/users/rules.ts";
import { parseUsername } from "#core/kernel/domain/username.ts";
import { operations } from "#core/service/catalogue.ts";
import { type Deployment, deploymentFromFile } from "#core/service/settings/deployment.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { checkAuthorities, secretNameOf } from "../../../stacks/authorities.ts";
import {
  APP_NAME,
  appOf,
  type Concurrency,
  DEPLOYMENT_FILE,
  domainNamesOf,
  settingsOf,
  stageOf,
  truststoreOf,
} from "../../../stacks/stage.ts";
import { checkTraffic, provisionedOf, shiftOf } from "../../../stacks/traffic.ts";
import { canaryFindings, refusalOf, truststoreFindings, validityFindings } from "./doctor-services.ts";
import {
  type EnvironmentFile,
  type Finding,
  merged,
  messageOf,
  missing,
  ok,
  problemsOr,
  secretFindings,
  unchecked,
  variableFindings,
  wrong,
} from "./doctor-settings.ts";

/** What the checks look at. */
export interface Patient {
  readonly stage: string;
  /** The folder of the project. */
  readonly root: string;
  readonly shell: NodeJS.ProcessEnv;
  readonly files: readonly EnvironmentFile[];
  /** The secrets of the stage by their names; `undefined` if they were not read. */
  readonly secrets: ReadonlyMap<string, string> | undefined;
  readonly nowMs: number;
}

/** What a check gets in addition: what was read for all of them. */
interface Read extends Patient {
  /** The variables as SST sees them. */
  readonly environment: NodeJS.ProcessEnv;
  /** `undefined` if deployment.toml has a mistake. */
  readonly deployment: Deployment | undefined;
}

/** A check. A thrown error is a mistake of the setting: its message says which. */
export interface Check {
  readonly name: string;
  readonly run: (read: Read) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** A line of the report. */
export interface Diagnosis extends Finding {
  readonly check: string;
}

const ZONE_ID = /^Z[A-Z0-9]{1,31}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Names of tables on DynamoDB. */
const TABLE = /^[A-Za-z0-9_.-]{3,255}$/;

/** All checks, in the order of the report. */
export const checks: readonly Check[] = [
  { name: "stage", run: ({ stage }) => [ok(`${stage}: ${stageOf(stage).kind}`)] },
  { name: "project", run: projectFindings },
  { name: "variables", run: ({ shell, files, stage }) => variableFindings(shell, files, stage) },
  { name: "region", run: regionFindings },
  { name: "domains", run: domainFindings },
  { name: "deployment.toml", run: deploymentFindings },
  { name: "access rules", run: ruleFindings },
  { name: "client certificates", run: clientCertificateFindings },
  { name: "truststore", run: trustFindings },
  { name: "directories", run: directoryFindings },
  { name: "administrator", run: administratorFindings },
  { name: "alarms", run: alarmFindings },
  {
    name: "synthetic check",
    run: ({ stage, environment, deployment }) => canaryFindings(stage, environment, deployment),
  },
  { name: "concurrency", run: concurrencyFindings },
  { name: "traffic", run: trafficFindings },
  { name: "restored table", run: restoredFindings },
  { name: "backups", run: backupFindings },
  { name: "secrets", run: secretsOfStage },
];

/** Runs the checks. An error of one does not end the others; without a valid stage there is nothing to check. */
export async function diagnose(patient: Patient): Promise<readonly Diagnosis[]> {
  const environment = merged(patient.shell, patient.files);
  const read = { ...patient, environment, deployment: deploymentIn(patient.root) };
  const lines: Diagnosis[] = [];
  for (const { name, run } of checks) {
    try {
      lines.push(...(await run(read)).map((finding) => ({ check: name, ...finding })));
    } catch (error) {
      lines.push({ check: name, ...wrong(messageOf(error)) });
      if (name === "stage") break;
    }
  }
  return lines;
}

function deploymentIn(root: string): Deployment | undefined {
  try {
    return deploymentFromFile(join(root, DEPLOYMENT_FILE));
  } catch {
    // The check of this file says why.
    return undefined;
  }
}

/** The installed SST, and the file that is uploaded next to the functions. */
function projectFindings({ root, stage }: Read): readonly Finding[] {
  const { version } = appOf(stage);
  const installed = jsonMember(join(root, "node_modules/sst/package.json"), "version");
  const problems = [
    ...(installed === undefined ? [missing("node_modules", "Run `npm ci`.")] : []),
    ...(installed !== undefined && installed !== version
      ? [wrong(`SST ${installed} is installed, and stacks/stage.ts names ${version}`, "Run `npm ci`.")]
      : []),
    ...(jsonMember(join(root, "docs/openapi.json"), "openapi") === undefined
      ? [missing("docs/openapi.json", "Run `npm run openapi`.")]
      : []),
  ];
  return problemsOr(problems, `${APP_NAME} with SST ${version}`);
}

function regionFindings({ environment: { AWS_REGION: region, AWS_PROFILE: profile } }: Read): readonly Finding[] {
  if (region && !/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region)) {
    return [wrong(`AWS_REGION is "${region}"`, "Set it to the id of a region, such as eu-central-1.")];
  }
  if (region) return [ok(region)];
  if (profile) return [unchecked(`the region of the profile ${profile}`, "Set AWS_REGION to be sure.")];
  return [missing("AWS_REGION", "Set it: a deployment to another region makes another, empty service.")];
}

function domainFindings({ environment, stage }: Read): readonly Finding[] {
  const names = domainNamesOf(environment);
  if (!names) {
    const { HOSTED_ZONE_ID: zone } = environment;
    if (stageOf(stage).kind === "production") {
      return [
        missing("API_DOMAIN", "Set it, and HOSTED_ZONE_ID: tokens name the domain of production as their issuer."),
      ];
    }
    return zone
      ? [wrong("HOSTED_ZONE_ID has no effect without API_DOMAIN", "Set API_DOMAIN, or delete it.")]
      : [ok("none: AWS assigns the name")];
  }
  const { api, mtls, zoneId } = names;
  if (!ZONE_ID.test(zoneId)) {
    return [wrong(`HOSTED_ZONE_ID is "${zoneId}"`, "Set it to the id alone, such as Z0123456789ABCDEFGHIJ.")];
  }
  if (mtls && parentOf(api, mtls).length < 2) {
    return [wrong(`API_DOMAIN ${api} and MTLS_DOMAIN ${mtls} cannot be in one zone`, "Choose names of one domain.")];
  }
  return [
    ok(mtls ? `${api}, and ${mtls} with client certificates` : api),
    unchecked(`that ${zoneId} is the zone of ${api}`, `\`aws route53 get-hosted-zone --id ${zoneId}\` shows its name.`),
  ];
}

/** The labels at the end that two host names share. */
function parentOf(one: string, other: string): readonly string[] {
  const [a, b] = [one.split(".").reverse(), other.split(".").reverse()];
  const differs = a.findIndex((label, at) => label !== b[at]);
  return differs < 0 ? a : a.slice(0, differs);
}

async function deploymentFindings({ root }: Read): Promise<readonly Finding[]> {
  const { userStores, customProtocols, scim2 } = deploymentFromFile(join(root, DEPLOYMENT_FILE));
  await checkPatterns(customProtocols);
  const stores = ["PRIMARY", ...userStores.map(({ domain }) => domain)].join(", ");
  return [ok(`user stores ${stores}; SCIM 2.0 as ${scim2.profile}; ${customProtocols.length} custom protocols`)];
}

async function ruleFindings({ deployment }: Read): Promise<readonly Finding[]> {
  if (!deployment) return afterMistake();
  const { rules } = deployment.access;
  await readyRules(rules, operations);
  return [ok(`${rules.length}`)];
}

function clientCertificateFindings({ deployment, environment, nowMs }: Read): readonly Finding[] {
  if (!deployment) return afterMistake();
  const { enabled, issuers } = deployment.access.certificates;
  const { MTLS_DOMAIN: mtls } = environment;
  if (!enabled) {
    return mtls
      ? [
          wrong(
            "MTLS_DOMAIN is set, but certificates are no credential",
            "Set enable of [intermediate_cert_validation].",
          ),
        ]
      : [ok("no credential")];
  }
  const problems = issuers.flatMap(({ commonName, certificate }) =>
    certificate === undefined ? [] : validityFindings(certificate, `issuer "${commonName}"`, nowMs),
  );
  const names = issuers.map(({ commonName }) => `"${commonName}"`).join(", ");
  return problemsOr(problems, `issued by ${names}${mtls ? "" : "; no MTLS_DOMAIN, so none can be presented"}`);
}

function trustFindings({ root, environment, deployment, nowMs }: Read): readonly Finding[] {
  const { MTLS_DOMAIN: mtls, TRUSTSTORE_FILE: named } = environment;
  const file = truststoreOf(environment);
  if (!mtls) {
    return named
      ? [wrong("TRUSTSTORE_FILE has no effect without MTLS_DOMAIN", "Set MTLS_DOMAIN, or delete it.")]
      : [ok("none is used")];
  }
  const path = join(root, file);
  if (!existsSync(path)) return [missing(file, "Write the certificates of your clients' authorities into it, as PEM.")];
  const findings = truststoreFindings(readFileSync(path, "utf8"), file, nowMs);
  if (!deployment || findings.some(({ state }) => state !== "ok")) return findings;
  const refusal = refusalOf(() => checkAuthorities(path, join(root, DEPLOYMENT_FILE)));
  return refusal.length > 0 ? refusal : findings;
}

function directoryFindings({ deployment, environment, nowMs }: Read): readonly Finding[] {
  const network = settingsOf(pick(environment, ["DIRECTORY_SUBNETS", "DIRECTORY_SECURITY_GROUPS"])).directoryNetwork;
  if (!deployment) return afterMistake();
  const directories = deployment.userStores.flatMap(({ directory }) => directory ?? []);
  if (directories.length === 0) {
    return network
      ? [wrong("DIRECTORY_SUBNETS has no effect: deployment.toml declares no directory", "Delete it, or declare one.")]
      : [ok("none")];
  }
  const problems = directories.flatMap(({ domain, caCertificate }) =>
    caCertificate === undefined ? [] : validityFindings(caCertificate, `ca_certificate of ${domain}`, nowMs),
  );
  const reached = network ? `through ${network.subnets.join(", ")}` : "over the internet";
  const names = directories.map(({ domain, url }) => `${domain} at ${url}`).join(", ");
  return problemsOr(problems, `${names}, ${reached}`);
}

function administratorFindings({ environment, deployment }: Read): readonly Finding[] {
  const { adminUsername: name } = settingsOf(pick(environment, ["ADMIN_USERNAME"]));
  checkName(name, deployment?.nameRules);
  if (parseUsername(name)?.name !== name) {
    return [wrong(`ADMIN_USERNAME is "${name}"`, "It must name neither a tenant nor a user store.")];
  }
  return [ok(name)];
}

function alarmFindings({ environment, stage }: Read): readonly Finding[] {
  const { kind, isWatched } = stageOf(stage);
  const { alarmEmail } = settingsOf(pick(environment, ["ALARM_EMAIL"]));
  if (!isWatched) return [ok("none in a developer's own stage")];
  if (!alarmEmail) {
    return kind === "production"
      ? [missing("ALARM_EMAIL", "Set it: without it no person learns of an alarm.")]
      : [ok("on the dashboard only: no ALARM_EMAIL")];
  }
  if (!EMAIL.test(alarmEmail)) return [wrong(`ALARM_EMAIL is "${alarmEmail}"`, "Set it to an e-mail address.")];
  return [
    ok(`to ${alarmEmail}`),
    unchecked("that the recipient confirmed", "After the first deployment AWS sends a message with a link."),
  ];
}

function concurrencyFindings(read: Read): readonly Finding[] {
  const reserved = Object.entries(concurrencyOf(read));
  if (reserved.length === 0) return [ok("all functions share the quota of the account")];
  const sum = reserved.reduce((total, [, number]) => total + number, 0);
  const todo = `\`aws lambda get-account-settings\` must show at least ${sum + 100} unreserved executions before the first deployment. Raise the quota, or set AUTHORIZER_CONCURRENCY and SIGN_IN_CONCURRENCY lower.`;
  return [
    ok(reserved.map(([name, number]) => `${number} for ${name}`).join(", ")),
    unchecked("the quota of the account", todo),
  ];
}

function concurrencyOf({ environment, stage }: Read): Concurrency {
  return settingsOf(pick(environment, ["AUTHORIZER_CONCURRENCY", "SIGN_IN_CONCURRENCY"]), stageOf(stage)).concurrency;
}

function trafficFindings(read: Read): readonly Finding[] {
  const { environment, stage } = read;
  const kind = stageOf(stage);
  checkTraffic(kind, environment);
  if (!kind.isShifted) return [ok("moves with each deployment")];
  const shift = shiftOf(environment);
  // The check of the concurrency says why.
  const isWrong = refusalOf(() => concurrencyOf(read)).length > 0;
  const provisioned = provisionedOf(environment, isWrong ? {} : concurrencyOf(read));
  const shares = [...shift.percents, 100].map((percent) => `${percent} %`).join(", ");
  const moves = ok(
    `moves with \`npm run shift -- --stage ${stage}\`: ${shares}, each watched for ${shift.minutes} minutes`,
  );
  const kept = Object.entries(provisioned).map(([name, count]) => `${count} of ${name}`);
  if (kept.length === 0) return [moves];
  const todo = "`aws lambda get-account-settings` must leave 100 unreserved; a shift needs twice as many for a while.";
  return [moves, ok(`keeps started: ${kept.join(", ")}`), unchecked("the quota of the account", todo)];
}

function restoredFindings({ environment: { RESTORED_TABLE: table } }: Read): readonly Finding[] {
  if (!table) return [ok("none: the stage's own table")];
  return TABLE.test(table)
    ? [unchecked(`table ${table}`, `Add --aws, or run \`aws dynamodb describe-table --table-name ${table}\`.`)]
    : [wrong(`RESTORED_TABLE is "${table}"`, "Set it to the name of a table, not to its ARN.")];
}

function backupFindings({ environment }: Read): readonly Finding[] {
  const { backupCopyTo: vault } = settingsOf(pick(environment, ["BACKUP_COPY_TO"]));
  if (vault === undefined) return [ok("in the stage's own account and region")];
  const todo =
    "The vault must accept copies from this account: `aws backup get-backup-vault-access-policy` in its account.";
  return [ok(`copied to ${vault}`), unchecked("that the vault accepts them", todo)];
}

function secretsOfStage({ secrets, stage, deployment }: Read): readonly Finding[] {
  const variables = deployment?.userStores.flatMap(({ directory }) => directory?.passwordEnv ?? []) ?? [];
  return secretFindings(secrets, stage, [...new Set(variables)].map(secretNameOf));
}

function afterMistake(): readonly Finding[] {
  return [unchecked("not read", "Correct deployment.toml first.")];
}

function pick(environment: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** A text member of a JSON file; `undefined` if there is none. */
function jsonMember(path: string, name: string): string | undefined {
  try {
    const content: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(path, "utf8"));
    const value = content[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
