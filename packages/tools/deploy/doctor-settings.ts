/** What the doctor reads without a service: variables, secrets, and how it states what it finds. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { checkPassword } from "#core/directory/credentials/password-rules.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { nearest } from "#core/kernel/nearest.ts";

/** `unchecked`: it cannot be known here; `todo` says who can. Only `missing` and `wrong` make the command fail. */
type State = "ok" | "missing" | "wrong" | "unchecked";

/** One line of the report. */
export interface Finding {
  readonly state: State;
  /** What was looked at, and what is there. It never contains a secret. */
  readonly text: string;
  /** What to do. */
  readonly todo?: string | undefined;
}

export function ok(text: string): Finding {
  return { state: "ok", text };
}

export function missing(text: string, todo: string): Finding {
  return { state: "missing", text, todo };
}

export function wrong(text: string, todo?: string): Finding {
  return { state: "wrong", text, todo };
}

export function unchecked(text: string, todo: string): Finding {
  return { state: "unchecked", text, todo };
}

/** The problems, or one line that says that there are none. */
export function problemsOr(problems: readonly Finding[], fine: string): readonly Finding[] {
  return problems.length > 0 ? problems : [ok(fine)];
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof Fault) return error.description;
  return error instanceof Error ? error.message : String(error);
}

/** The settings of a stage (`settingsOf` in stacks/stage.ts). */
export const variables: readonly string[] = [
  "API_DOMAIN",
  "MTLS_DOMAIN",
  "HOSTED_ZONE_ID",
  "TRUSTSTORE_FILE",
  "ALARM_EMAIL",
  "CANARY",
  "AUTHORIZER_CONCURRENCY",
  "SIGN_IN_CONCURRENCY",
  "SHIFT",
  "SHIFT_MINUTES",
  "PROVISIONED_CONCURRENCY",
  "ADMIN_USERNAME",
  "DIRECTORY_SUBNETS",
  "DIRECTORY_SECURITY_GROUPS",
  "RESTORED_TABLE",
  "BACKUP_COPY_TO",
];

/** Variables of SST, of AWS and of Node. */
const foreign = /^(?:AWS_|SST_|PULUMI_|NODE_|NPM_|NO_PROXY$|HTTPS?_PROXY$)/;

/** Values that belong into `sst secret set`, or into the shell of one command. */
const secret = /(?:PASSWORD|SECRET|TOKEN|SEAL_?KEYS?|PRIVATE_?KEY)/;

/** A file with variables. */
export interface EnvironmentFile {
  readonly name: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** The files of a stage that exist; the first one wins. */
export function environmentFiles(root: string, stage: string): readonly EnvironmentFile[] {
  return [`.env.${stage}`, ".env"].flatMap((name) => {
    const path = join(root, name);
    return existsSync(path) ? [{ name, values: parseEnv(readFileSync(path, "utf8")) }] : [];
  });
}

/** The variables as SST sees them: those of the shell win over those of files. */
export function merged(shell: NodeJS.ProcessEnv, files: readonly EnvironmentFile[]): NodeJS.ProcessEnv {
  return Object.assign({}, ...[...files].reverse().map(({ values }) => values), shell);
}

/** Names without effect, secrets in files, and settings that two places set differently. */
export function variableFindings(
  shell: NodeJS.ProcessEnv,
  files: readonly EnvironmentFile[],
  stage: string,
): readonly Finding[] {
  const odd = files.flatMap(({ name, values }) =>
    Object.keys(values).flatMap((variable) => {
      if (variables.includes(variable)) return [];
      if (foreign.test(variable)) return keyIn(name, variable);
      if (secret.test(variable)) {
        return [
          wrong(
            `${name} contains ${variable}`,
            "The file belongs in git: delete the line, and use `npx sst secret set`.",
          ),
        ];
      }
      const meant = nearest(variable, variables);
      return [wrong(`${name}: ${variable} has no effect`, meant ? `Did you mean ${meant}?` : "Delete the line.")];
    }),
  );
  const places = [{ name: "the shell", values: shell }, ...files];
  const contradictions = variables.flatMap((variable) => {
    const set = places.filter(({ values }) => values[variable]);
    const values = new Set(set.map((place) => place.values[variable]));
    if (values.size < 2) return [];
    const where = set.map((place) => `"${place.values[variable]}" in ${place.name}`).join(", ");
    return [wrong(`${variable} is ${where}`, "Set it in one place.")];
  });
  const read = files.map(({ name }) => name).join(" and ") || `no .env.${stage}; the shell only`;
  return problemsOr([...odd, ...contradictions], read);
}

function keyIn(file: string, variable: string): readonly Finding[] {
  if (!/^AWS_(?:SECRET_ACCESS_KEY|SESSION_TOKEN|ACCESS_KEY_ID)$/.test(variable)) return [];
  return [wrong(`${file} contains ${variable}`, "The file belongs in git: delete the line, and end that key on AWS.")];
}

const KEY_BYTES = 32;
/** As the bootstrap of a stage requires it (packages/core/directory/tenants/bootstrapper.ts). */
const PASSWORD_LENGTH_MIN = 12;

/** Names that a stage may have, besides those of directories. */
const common = ["SealKey", "FormerSealKeys", "AdminPassword"];

/** The secrets in the output of `sst secret list`: those of the stage win over the fallbacks of all stages. */
export function secretsIn(listed: string): ReadonlyMap<string, string> {
  const sections: Record<"fallback" | "stage", [string, string][]> = { fallback: [], stage: [] };
  let section: "fallback" | "stage" = "stage";
  for (const line of listed.split(/\r?\n/)) {
    if (line.startsWith("#")) section = line.trim() === "# fallback" ? "fallback" : "stage";
    const [, name, value] = /^([A-Z][A-Za-z0-9]*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) sections[section].push([name, value]);
  }
  return new Map([...sections.fallback, ...sections.stage]);
}

/** What is missing or wrong; `directories` are the names of the secrets with passwords of directories. */
export function secretFindings(
  secrets: ReadonlyMap<string, string> | undefined,
  stage: string,
  directories: readonly string[],
): readonly Finding[] {
  const required = ["SealKey", "AdminPassword", ...directories];
  if (secrets === undefined) {
    return [unchecked(`secrets ${required.join(", ")}`, "Add --aws: `sst secret list` reads them from AWS.")];
  }
  const unused = [...secrets.keys()].filter((name) => ![...common, ...directories].includes(name));
  return [
    ...required.map((name) => {
      const value = secrets.get(name);
      if (value) return judged(name, value, stage);
      return missing(`secret ${name}`, `\`${settingOf(name, stage)}\` sets it.`);
    }),
    ...formerKeys(secrets.get("FormerSealKeys") ?? "none", secrets.get("SealKey"), stage),
    ...unused.map((name) =>
      wrong(`secret ${name} has no effect`, `\`npx sst secret remove ${name} --stage ${stage}\``),
    ),
  ];
}

function judged(name: string, value: string, stage: string): Finding {
  if (name === "SealKey" && !isKey(value)) {
    return wrong("secret SealKey is not 32 bytes in Base64", `\`${settingOf(name, stage)}\` sets a new one.`);
  }
  if (name === "AdminPassword") {
    const problem = passwordProblem(value);
    if (problem) return wrong(`secret AdminPassword: ${problem}`, `\`${settingOf(name, stage)}\``);
  }
  return ok(`secret ${name}`);
}

function passwordProblem(value: string): string | undefined {
  if ([...value].length < PASSWORD_LENGTH_MIN) return `must have at least ${PASSWORD_LENGTH_MIN} characters`;
  try {
    checkPassword(value, { tenant: SUPER_TENANT, userStore: PRIMARY, name: "admin" }, defaultPasswordLimits);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function formerKeys(value: string, current: string | undefined, stage: string): readonly Finding[] {
  if (value === "none") return [];
  const keys = value.split(",");
  if (!keys.every(isKey)) {
    return [
      wrong(
        "secret FormerSealKeys: each must be 32 bytes in Base64, separated by commas without blanks",
        `\`npx sst secret set FormerSealKeys --stage ${stage}\``,
      ),
    ];
  }
  if (current !== undefined && keys.includes(current)) {
    return [wrong("secret FormerSealKeys contains the present SealKey", "Set it to the former keys only, or to none.")];
  }
  return [ok(`secret FormerSealKeys: ${keys.length}`)];
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, "base64").length === KEY_BYTES;
}

function settingOf(name: string, stage: string): string {
  return name === "SealKey"
    ? `node -e 'process.stdout.write(crypto.randomBytes(32).toString("base64"))' | npx sst secret set SealKey --stage ${stage}`
    : `npx sst secret set ${name} --stage ${stage}`;
}
