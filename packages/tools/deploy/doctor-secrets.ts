/** The secrets of a stage. Their values are checked, never shown. */
import { checkPassword } from "#core/identities/users/rules.ts";
import { type Finding, messageOf, missing, ok, unchecked, wrong } from "./doctor-finding.ts";

const KEY_BYTES = 32;
/** As the bootstrap of a stage requires it (packages/core/tenants/bootstrapper.ts). */
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
    checkPassword(value);
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
