/** Reads files of people, in the formats that other systems export. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import { type Info, parse } from "csv-parse";
import { readImportedHash } from "#core/kernel/imported-hash.ts";
import { listIn, memberOf, textIn, UsageError } from "../client.ts";

/** The formats, each with what it is. */
export const sources = {
  csv: "comma-separated values with a header line; ; and tab work too",
  jsonl: "one JSON object per line, or one list of them",
  ldif: "entries of an LDAP directory",
  scim: "SCIM users: a list response, a list, or one per line",
  keycloak: "a Keycloak realm export",
  okta: "an Okta CSV file",
  auth0: "an Auth0 export, or its file with password hashes",
  wso2: "CSV of the user table of WSO2 Identity Server",
} as const;
export type SourceName = keyof typeof sources;

const HEAD_BYTES = 65_536;

/** Finds out what a file is, by its name and its beginning. Throws `UsageError` where neither says it. */
export async function sourceOf(file: string): Promise<SourceName> {
  const extension = extname(file).toLowerCase();
  if (extension === ".csv" || extension === ".tsv") return "csv";
  if (extension === ".ldif") return "ldif";
  if (!/^\.(json|jsonl|ndjson)$/.test(extension)) {
    throw new UsageError(`${file}: specify the format with --from ${Object.keys(sources).join("|")}`);
  }
  const handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEAD_BYTES) }).finally(() => handle.close());
  const head = buffer.toString("utf8", 0, bytesRead);
  if (/"schemas"\s*:|"Resources"\s*:/.test(head)) return "scim";
  return /"realm"\s*:/.test(head) || /"credentialData"\s*:/.test(head) ? "keycloak" : "jsonl";
}

/** The people of a file, in its order. Throws `Refusal` where the file is not what it is said to be. */
export async function* recordsOf(source: SourceName, file: string): AsyncGenerator<SourceRecord, void> {
  switch (source) {
    case "csv":
    case "okta":
    case "wso2":
      yield* readCsv(file);
      return;
    case "ldif":
      yield* readLdif(linesOf(file));
      return;
    case "keycloak": {
      const users = keycloakUsers(await jsonOf(file));
      if (!users) throw new Refusal("the file has no list of users: export the realm with its users.");
      yield* users;
      return;
    }
    case "scim":
      for await (const { place, value } of readJson(file)) {
        if (textIn(value, "userName") === undefined) throw new Refusal(`${place}: a SCIM user has a userName.`);
        yield { place, fields: new Map(), resource: value as Record<string, unknown> };
      }
      return;
    default:
      for await (const { place, value } of readJson(file)) yield { place, fields: fieldsOf(value) };
  }
}

async function* readCsv(file: string): AsyncGenerator<SourceRecord, void> {
  const rows = createReadStream(file).pipe(
    parse({
      bom: true,
      columns: (header: readonly string[]) => header.map((name) => name.trim()),
      delimiter: await delimiterOf(file),
      info: true,
      skip_empty_lines: true,
      // Blanks in quotes belong to the value.
      trim: true,
      relax_column_count: false,
    }),
  );
  try {
    for await (const { record, info } of rows as AsyncIterable<{ record: Record<string, string>; info: Info }>) {
      const filled = Object.entries(record).flatMap(([name, value]): [string, string[]][] =>
        value.trim() === "" ? [] : [[name, [unmarked(name, value)]]],
      );
      yield { place: `line ${info.lines}`, fields: new Map(filled) };
    }
  } catch (error) {
    throw error instanceof Error && "code" in error ? new Refusal(error.message) : error;
  }
}

/** The separator that the header line has most of. */
async function delimiterOf(file: string): Promise<string> {
  for await (const header of linesOf(file)) {
    const count = (mark: string): number => header.split(mark).length;
    return [";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ",");
  }
  return ",";
}

/** Objects of a JSON file: those of its list, or of its lines. */
async function* readJson(file: string): AsyncGenerator<{ place: string; value: unknown }, void> {
  if (await isInLines(file)) {
    let line = 0;
    for await (const text of linesOf(file)) {
      line += 1;
      if (text.trim() === "") continue;
      yield { place: `line ${line}`, value: parsed(text, `line ${line}`) };
    }
    return;
  }
  const whole = await jsonOf(file);
  const list = listIn(whole) ?? listIn(whole, "Resources") ?? listIn(whole, "users") ?? [whole];
  for (const [at, value] of list.entries()) yield { place: `user ${at + 1}`, value };
}

/** Whether the first line is an object of its own. A list response in one line is not. */
async function isInLines(file: string): Promise<boolean> {
  for await (const text of linesOf(file)) {
    if (text.trim() === "") continue;
    try {
      const value: unknown = JSON.parse(text);
      return !Array.isArray(value) && listIn(value, "Resources") === undefined && listIn(value, "users") === undefined;
    } catch {
      return false;
    }
  }
  return false;
}

async function jsonOf(file: string): Promise<unknown> {
  return parsed(await readFile(file, "utf8"), "the file");
}

function parsed(text: string, place: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (value !== null && typeof value === "object") return value;
  } catch {
    // Neither the text nor the parser's message is shown: they may contain a password.
  }
  throw new Refusal(`${place} is not a JSON object.`);
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/**
 * The entries of an LDIF file. Attribute options (`cn;lang-de`) are part of a name. Throws `Refusal` with the line for
 * what is not LDIF, and for a file of changes.
 */
async function* readLdif(lines: AsyncIterable<string>): AsyncGenerator<SourceRecord, void> {
  let fields = new Map<string, string[]>();
  let first = 0;
  for await (const { text, line } of unfolded(lines)) {
    if (text === "") {
      if (fields.has("dn")) yield { place: `line ${first}`, fields };
      fields = new Map();
      continue;
    }
    const [name, value] = attributeOf(text, line);
    if (name === "changetype") throw new Refusal(`line ${line}: the file has changes. Export entries instead.`);
    if (fields.size === 0) first = line;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
}

/** Lines without comments, each with the lines that continue it; an empty one at the end. */
async function* unfolded(lines: AsyncIterable<string>): AsyncGenerator<{ text: string; line: number }, void> {
  let current: { text: string; line: number } | undefined;
  let at = 0;
  for await (const given of lines) {
    at += 1;
    const text = at === 1 ? given.replace(/^\uFEFF/, "") : given;
    if (text.startsWith(" ")) {
      if (!current) throw new Refusal(`line ${at}: a line that continues another has none before it.`);
      current = { ...current, text: current.text + text.slice(1) };
      continue;
    }
    if (current && !current.text.startsWith("#")) yield current;
    current = { text, line: at };
  }
  if (current && !current.text.startsWith("#")) yield current;
  yield { text: "", line: at + 1 };
}

function attributeOf(text: string, line: number): readonly [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Refusal(`line ${line}: expected "name: value".`);
  const name = text.slice(0, colon).toLowerCase();
  const rest = text.slice(colon + 1);
  if (rest.startsWith("<")) throw new Refusal(`line ${line}: values from other files are not supported.`);
  if (rest.startsWith(":")) return [name, Buffer.from(rest.slice(1).trim(), "base64").toString("utf8")];
  return [name, rest.trimStart()];
}

/** The users of a realm export, or of a file with users alone. `undefined` where it is neither. */
function keycloakUsers(file: unknown): SourceRecord[] | undefined {
  return listIn(file, "users")?.map((user, at) => {
    const { credentials: _, ...rest } =
      user !== null && typeof user === "object" ? (user as { credentials?: unknown }) : {};
    const fields = fieldsOf(rest);
    const password = passwordOf(user);
    if (password !== undefined) fields.set("password", [password]);
    return { place: `user ${at + 1}`, fields };
  });
}

/**
 * The first password of a user. A hash that cannot be imported becomes one of an unknown format, which the server
 * refuses: anything else could become a plain password.
 */
function passwordOf(user: unknown): string | undefined {
  const credential = listIn(user, "credentials")?.find((each) => textIn(each, "type") === "password");
  if (credential === undefined) return undefined;
  const plain = textIn(credential, "value");
  if (plain !== undefined) return plain;
  const [secret, data] = [partOf(credential, "secretData"), partOf(credential, "credentialData")];
  const [value = "", salt = "", algorithm = ""] = [
    textIn(secret, "value"),
    textIn(secret, "salt"),
    textIn(data, "algorithm"),
  ];
  const iterations = memberOf(data, "hashIterations");
  if (algorithm === "argon2") {
    const named = (name: string) => listIn(memberOf(data, "additionalParameters"), name)?.[0];
    const parameters = `m=${named("memory")},t=${iterations},p=${named("parallelism")}`;
    return importable(`$argon2${named("type") ?? "id"}$v=19$${parameters}$${salt}$${value}`);
  }
  return importable(`$${algorithm}$i=${iterations},l=${Buffer.from(value, "base64").length}$${salt}$${value}`);
}

function importable(hash: string): string {
  try {
    readImportedHash(hash);
    return hash;
  } catch {
    return "{keycloak}";
  }
}

/** A member that is JSON as a text. */
function partOf(credential: unknown, name: string): unknown {
  try {
    return JSON.parse(textIn(credential, name) ?? "");
  } catch {
    return undefined;
  }
}

/** What such a cell begins with, and the mark itself, so that each marked cell has one mark more. */
const MARKED = /^'[=+\-@\t\r']/;
const MARKS = /^[=+\-@\t\r']/;
/** A password is never changed: a spreadsheet that runs one as a formula is the smaller harm. */
const SECRET = /password|hash|secret/i;

/** A cell for a file: an apostrophe comes before what a spreadsheet would run. */
export function marked(column: string, cell: string): string {
  return !SECRET.test(column) && MARKS.test(cell) ? `'${cell}` : cell;
}

/** The value of a cell: the opposite of `marked`. */
export function unmarked(column: string, cell: string): string {
  return !SECRET.test(column) && MARKED.test(cell) ? cell.slice(1) : cell;
}

/** One person of a file. */
export interface SourceRecord {
  /** Where it is in the file, for reports: "line 12". */
  readonly place: string;
  /** The values of each field, by its name as the file has it. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** A SCIM user, which needs no mapping. */
  readonly resource?: Readonly<Record<string, unknown>>;
}

/** Why a record or a file cannot be imported. The message is for users. */
export class Refusal extends Error {}

/**
 * The fields of a JSON object. Members of objects have their path as name (`address.city`), lists of plain values have
 * several values, and members of objects in lists are gathered by their path.
 */
function fieldsOf(value: unknown): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const gather = (at: unknown, path: string): void => {
    if (at === null || at === undefined || at === "") return;
    if (Array.isArray(at)) for (const each of at) gather(each, path);
    else if (typeof at === "object") {
      for (const [name, each] of Object.entries(at)) gather(each, path === "" ? name : `${path}.${name}`);
    } else fields.set(path, [...(fields.get(path) ?? []), String(at)]);
  };
  gather(value, "");
  return fields;
}
