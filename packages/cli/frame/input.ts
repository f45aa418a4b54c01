/** Bodies from files, and from `--set`. */
import { readFile } from "node:fs/promises";
import { buffer as readAll } from "node:stream/consumers";
import { load } from "js-yaml";
import { wrongInput } from "./errors.ts";

/** The object in a file of JSON or YAML; `-` is standard input. Throws a `CommandError` with the place of a mistake. */
export async function objectIn(file: string): Promise<Record<string, unknown>> {
  const name = file === "-" ? "Standard input" : file;
  const bytes = file === "-" ? await readAll(process.stdin) : await contentOf(file);
  let value: unknown;
  try {
    value = valueIn(decoded(bytes));
  } catch (error) {
    if (!(error instanceof WrongText)) throw error;
    throw wrongInput(`${name} is neither JSON nor YAML: ${error.message}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrongInput(`${name} must contain an object, such as {"name": "Dispatch"}.`);
  }
  return value as Record<string, unknown>;
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    // Reading a folder fails without its name.
    if ((error as NodeJS.ErrnoException).code === "EISDIR") throw wrongInput(`${file} is a folder. Give a file.`);
    throw error;
  }
}

/** Members that are secrets: on a command line they would be in the history of the shell and in lists of processes. */
const SECRETS = /^(password|clientSecret)$/i;

/** What `--set a.b=value` says: JSON values where they are JSON, otherwise texts. Throws a `CommandError`. */
export function objectOf(settings: readonly string[] = []): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at < 1) throw wrongInput(`--set is written as <member>=<value>, such as active=false, not "${setting}".`);
    // A URN has dots of its own: its attribute follows the last colon.
    const path = setting.slice(0, at);
    const [, urn, rest = path] = /^(urn:[^=]*:[^.:=]+)[:.](.+)$/.exec(path) ?? [];
    const names = [...(urn === undefined ? [] : [urn]), ...rest.split(".")];
    if (names.some((name) => name === "" || name === "__proto__")) throw wrongInput(`--set has no member "${path}".`);
    if (SECRETS.test(names.at(-1) ?? "")) {
      throw wrongInput(
        `"${path}" is a secret, and arguments appear in the shell history.`,
        "Use --password-stdin, or --file - for standard input.",
      );
    }
    let parent = result;
    for (const name of names.slice(0, -1)) {
      if (typeof parent[name] !== "object" || parent[name] === null) parent[name] = {};
      parent = parent[name] as Record<string, unknown>;
    }
    parent[names.at(-1) ?? ""] = jsonOrText(setting.slice(at + 1));
  }
  return result;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Both objects; where both have a member, that of the second, and objects are merged. */
export function merged(first: object, second: object): Record<string, unknown> {
  const result: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** More values than a file that people edit has. Aliases of YAML can mean billions of them in a few lines. */
const VALUES_MAX = 200_000;
const DEPTH_MAX = 100;

/** What is wrong with a text. The message names the place in it. */
export class WrongText extends Error {}

/** The text of a file. A mark at its beginning is left out. Throws `WrongText` for what is no UTF-8. */
export function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new WrongText("the text is not UTF-8. Save it as UTF-8");
  }
}

/** The value that a text of YAML or JSON means. Throws `WrongText` for another text, and for too large a value. */
export function valueIn(text: string): unknown {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [first = ""] = error.message.split("\n");
    throw new WrongText(first);
  }
  checkSize(value);
  return value;
}

/** Throws `WrongText` for a value that is too large once its aliases are written out, or that contains itself. */
function checkSize(value: unknown): void {
  let left = VALUES_MAX;
  const walk = (one: unknown, depth: number): void => {
    left -= 1;
    if (left < 0) throw new WrongText(`with its aliases expanded, it has more than ${VALUES_MAX} values`);
    if (typeof one !== "object" || one === null) return;
    if (depth > DEPTH_MAX) throw new WrongText(`it is nested more than ${DEPTH_MAX} levels deep`);
    for (const member of Object.values(one)) walk(member, depth + 1);
  };
  walk(value, 0);
}
