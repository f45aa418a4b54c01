/** Reads files of people, in the formats that other systems export. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import { type Info, parse } from "csv-parse";
import { UsageError } from "../caller.ts";
import { listIn, textIn } from "../client.ts";
import { unmarked } from "./cells.ts";
import { keycloakUsers } from "./keycloak.ts";
import { readLdif } from "./ldif.ts";
import { fieldsOf, Refusal, type SourceRecord } from "./record.ts";

/** The formats, each with what it is. */
export const sources = {
  csv: "comma-separated values with a header line; ; and tab work too",
  jsonl: "one JSON object in each line, or one list of them",
  ldif: "entries of an LDAP directory",
  scim: "SCIM users: a list response, a list, or one in each line",
  keycloak: "a realm export of Keycloak",
  okta: "a CSV file of Okta",
  auth0: "an export of Auth0, or its file of password hashes",
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
    throw new UsageError(`${file}: say what it is with --from ${Object.keys(sources).join("|")}`);
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
