/** The variables of a stage: where they come from, and the names that have an effect. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { nearest } from "#core/platform/nearest.ts";
import { type Finding, problemsOr, wrong } from "./doctor-finding.ts";

/** The settings of a stage (`settingsOf` in stacks/stage.ts). */
export const variables: readonly string[] = [
  "API_DOMAIN",
  "MTLS_DOMAIN",
  "HOSTED_ZONE_ID",
  "TRUSTSTORE_FILE",
  "ALARM_EMAIL",
  "CANARY",
  "AUTHORIZER_CONCURRENCY",
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
