/** Bodies from files, and from `--set`. */
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { load } from "js-yaml";
import { wrongInput } from "./errors.ts";

/** The object in a file of JSON or YAML; `-` is standard input. Throws a `CommandError` with the place of a mistake. */
export async function objectIn(file: string): Promise<Record<string, unknown>> {
  const text = file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8");
  const name = file === "-" ? "Standard input" : file;
  let value: unknown;
  try {
    value = load(text, { filename: name });
  } catch (error) {
    throw wrongInput(`${name} is neither JSON nor YAML: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrongInput(`${name} must contain an object, such as {"name": "Dispatch"}.`);
  }
  return value as Record<string, unknown>;
}

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
