/** Documents: the settings of one resource as plain data, in a form in which equal settings are equal documents. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { wrongInput } from "../frame/errors.ts";

export type Value = string | number | boolean | null | readonly Value[] | Document;
export interface Document {
  readonly [name: string]: Value;
}

/** One leaf that differs between two documents. */
export interface Difference {
  /** `protocols.oidc.grantTypes`. */
  readonly path: string;
  /** Absent: the document has no such leaf. */
  readonly from?: Value;
  readonly to?: Value;
}

export function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy as plain data: without members that are undefined. */
export function plainData(value: unknown): Document {
  return JSON.parse(JSON.stringify(value)) as Document;
}

/** The document without what the defaults say anyway. Objects are compared by member, everything else as a whole. */
export function withoutDefaults(document: Document, defaults: Document): Document {
  const entries = Object.entries(document).flatMap(([name, value]): [string, Value][] => {
    const usual = defaults[name];
    if (isDocument(value)) {
      const rest = withoutDefaults(value, isDocument(usual) ? usual : {});
      return Object.keys(rest).length > 0 ? [[name, rest]] : [];
    }
    return isSame(value, usual) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The document without empty texts, lists and objects, and without `false`: where each of them means "not set". */
export function withoutEmpty(document: Document): Document {
  const entries = Object.entries(document).flatMap(([name, value]): [string, Value][] => {
    const rest = isDocument(value) ? withoutEmpty(value) : value;
    return rest === false || isEmpty(rest) ? [] : [[name, rest]];
  });
  return Object.fromEntries(entries);
}

export function isEmpty(value: Value): boolean {
  return value === "" || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/**
 * Whether two values are equal. The order of members does not matter, that of lists does. Two references to secrets
 * are equal: what they refer to cannot be compared without showing it.
 */
export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  if (isReference(one) && isReference(other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  }
  if (isDocument(one) && isDocument(other)) {
    const names = Object.keys(one);
    return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
  }
  return one === other;
}

/** The leaves that differ, in the order of their paths. Lists are leaves. */
export function differences(from: Document, to: Document, before = ""): readonly Difference[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names.flatMap((name) => {
    const [old, next] = [from[name], to[name]];
    const path = before + (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
    if (isSame(old, next)) return [];
    if ((isDocument(old) || old === undefined) && (isDocument(next) || next === undefined)) {
      return differences(old ?? {}, next ?? {}, `${path}.`);
    }
    return [{ path, ...(old !== undefined && { from: old }), ...(next !== undefined && { to: next }) }];
  });
}

const run = promisify(execFile);
/**
 * Names as the environment and Systems Manager have them, and no other text: the command `aws` would read a name such
 * as `file://...` as the content of that file.
 */
const REFERENCE = /^\$\{(?:(env):([A-Za-z_]\w*)|(ssm):((?!-)(?:[\w.:-]|\/(?!\/))+))\}$/;
/** The credential of this program: a folder may come from others, and does not get it. */
const OWN = /^IDENTITY_ADMIN_(PASSWORD|CLIENT_SECRET|TOKEN)$/;

export function isReference(text: unknown): text is string {
  return typeof text === "string" && REFERENCE.test(text);
}

/** The reference that an export writes for a secret: the variable is named after its place. */
export function referenceFor(...place: readonly string[]): string {
  const name = place
    .join("_")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase();
  return `\${env:IDENTITY_ADMIN_SECRET_${name}}`;
}

/** The secret that a reference names. Throws a `CommandError` where there is none. */
export async function secretOf(reference: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const [, env, variable = "", , parameter = ""] = REFERENCE.exec(reference) ?? [];
  const name = env ? variable : parameter;
  if (env) {
    if (OWN.test(name)) {
      throw wrongInput(`${reference} is the credential of this program.`, "Keep the secret in another variable.");
    }
    const value = environment[name];
    if (!value) throw wrongInput(`The variable ${name} is not set.`, `Set it: a file refers to it as ${reference}`);
    return value;
  }
  try {
    const { stdout } = await run(
      "aws",
      ["ssm", "get-parameter", "--with-decryption", "--name", name, "--query", "Parameter.Value", "--output", "text"],
      { env: environment },
    );
    return stdout.replace(/\n$/, "");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wrongInput(
      `The parameter ${name} cannot be read${isMissing ? ": the command aws is not installed" : ""}.`,
      `aws ssm get-parameter --with-decryption --name ${name}`,
    );
  }
}
