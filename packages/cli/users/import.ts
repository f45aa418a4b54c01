/**
 * Imports the users of a file by bulk requests of SCIM. The file is read twice: once to find what is wrong with it
 * before anything is sent, and once to send it.
 */
import { randomUUID } from "node:crypto";
import { foldName, trimName } from "#core/kernel/fold.ts";
import { looksLikeHash } from "#core/kernel/imported-hash.ts";
import { type Api, type ApiResponse, listIn, memberOf, RunEnded, reasonOf, textIn } from "../client.ts";
import { progressOf } from "../frame/output.ts";
import { type Mapping, mappingOf, type ScimUser, type Wso2Hash } from "./mapping.ts";
import { type ImportResult, openJournal, type Refused } from "./report.ts";
import { Refusal, recordsOf, type SourceName, type SourceRecord } from "./sources.ts";

const BULK_SIZE = 100;
const CONCURRENCY = 4;
/** Attempts for users whom a bulk request had no time for. */
const ROUNDS = 6;
const SCIM = { accept: "application/scim+json", "content-type": "application/scim+json" } as const;

/** What to import, and how. */
export interface ImportTask {
  readonly file: string;
  readonly source: SourceName;
  /** Attributes by field. */
  readonly map: Readonly<Record<string, string>>;
  readonly wso2Hash: Wso2Hash;
  readonly isRehearsal: boolean;
  /** Shows no progress. */
  readonly isQuiet?: boolean | undefined;
}

/** A user who is sent, with the number and the place of its record. */
interface Entry {
  readonly record: number;
  readonly place: string;
  readonly user: ScimUser;
}

/** What became of one user. */
type Outcome = "created" | "existing" | { readonly why: string } | "later";

/**
 * Imports a file. Users who exist already stay as they are. Throws `RunEnded` where every further request would fail,
 * and `UsageError` for a file or mapping that fits nothing.
 */
export async function importUsers(api: Api, task: ImportTask): Promise<ImportResult> {
  const found = await inspect(task);
  if (found.hasHashes) await checkMayImportHashes(api);
  const journal = task.isRehearsal ? undefined : await openJournal(importOf(api, task));
  const done = new Set(journal?.parts.flatMap(({ records }) => records));
  const totals = {
    created: sum(journal?.parts.map(({ created }) => created)),
    existing: sum(journal?.parts.map(({ existing }) => existing)),
    refused: [...found.refused.values(), ...(journal?.parts.flatMap(({ refused }) => refused) ?? [])],
  };
  const progress = progressOf(task.isRehearsal ? "rehearse" : "import", found.records, {
    isQuiet: task.isQuiet,
    done: done.size + found.refused.size,
  });
  const remaining = batchesOf(entriesOf(task, found.refused, done));
  const work = async (): Promise<void> => {
    for await (const batch of remaining) {
      const part = await send(api, batch, task.isRehearsal);
      await journal?.add(part);
      totals.created += part.created;
      totals.existing += part.existing;
      totals.refused.push(...part.refused);
      progress.add(batch.length);
    }
  };
  try {
    const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
    for (const each of workers) if (each.status === "rejected") throw each.reason;
  } finally {
    progress.stop();
  }
  await journal?.remove();
  return { ...totals, passedOver: found.passedOver, leftOut: found.leftOut };
}

/** What a file has, found without a request. */
interface Inspection {
  readonly records: number;
  readonly passedOver: number;
  /** Records that cannot be imported, by their numbers. */
  readonly refused: ReadonlyMap<number, Refused>;
  readonly hasHashes: boolean;
  readonly leftOut: readonly string[];
}

async function inspect(task: ImportTask): Promise<Inspection> {
  const mapping = mappingFor(task);
  const refused = new Map<number, Refused>();
  const places = new Map<string, string>();
  let [records, passedOver, hasHashes] = [0, 0, false];
  for await (const { number, record } of numbered(task)) {
    records += 1;
    try {
      const user = mapping.userOf(record);
      if (!user) {
        passedOver += 1;
        continue;
      }
      if (typeof user.password === "string" && looksLikeHash(user.password)) hasHashes = true;
      const name = foldName(trimName(String(user.userName)));
      const other = places.get(name);
      if (other !== undefined) throw new Refusal(`the user name is also that of ${other}`);
      places.set(name, record.place);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.set(number, { place: record.place, userName: nameOf(record), why: error.message });
    }
  }
  return { records: records - passedOver, passedOver, refused, hasHashes, leftOut: [...mapping.leftOut] };
}

/** A name for a record that no user could be made of. */
function nameOf({ fields, resource }: SourceRecord): string {
  const named = [...fields].find(([name]) => /^(user_?name|um_user_name|login|uid|email)$/i.test(name));
  return named?.[1][0] ?? textIn(resource, "userName") ?? "";
}

async function* numbered({ source, file }: ImportTask): AsyncGenerator<{ number: number; record: SourceRecord }, void> {
  let number = 0;
  for await (const record of recordsOf(source, file)) {
    yield { number, record };
    number += 1;
  }
}

async function* entriesOf(
  task: ImportTask,
  refused: ReadonlyMap<number, Refused>,
  done: ReadonlySet<number>,
): AsyncGenerator<Entry, void> {
  const mapping = mappingFor(task);
  for await (const { number, record } of numbered(task)) {
    if (done.has(number) || refused.has(number)) continue;
    const user = mapping.userOf(record);
    if (user) yield { record: number, place: record.place, user };
  }
}

async function* batchesOf(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[], void> {
  let batch: Entry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BULK_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function mappingFor({ source, map, wso2Hash }: ImportTask): Mapping {
  return mappingOf(source, map, wso2Hash);
}

function importOf({ url }: Api, { file, source, map, wso2Hash }: ImportTask) {
  return { file, url, choices: JSON.stringify({ source, map, wso2Hash }) };
}

/**
 * Without the scope, the text of a hash would become the password: whoever has the file could sign in with it. A
 * rehearsal with a hash that nobody can have tells which it would be.
 */
async function checkMayImportHashes(api: Api): Promise<void> {
  const body = {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `hash-${randomUUID()}`,
    password: "{UNKNOWN}hash-of-a-rehearsal",
  };
  const answer = await api.send("POST", "/scim2/Users?dryRun=true", { body, headers: SCIM });
  if (answer.status === 400 && /hash cannot be imported/.test(answer.text)) return;
  if (answer.status !== 201) throw new RunEnded(`${api.url} refuses users: ${reasonOf(answer)}`);
  throw new RunEnded(
    `The file has password hashes, and ${api.url} would treat them as passwords: the caller needs the scope internal_user_hash_import.`,
  );
}

/** Sends users until each was created or refused. */
async function send(api: Api, batch: readonly Entry[], isRehearsal: boolean) {
  const part = { records: batch.map(({ record }) => record), created: 0, existing: 0, refused: [] as Refused[] };
  let waiting = batch;
  for (let round = 0; waiting.length > 0; round += 1) {
    const outcomes = outcomesOf(await sendOnce(api, waiting, isRehearsal), waiting.length);
    waiting = waiting.filter(({ place, user }, at) => {
      const outcome = outcomes[at] ?? "later";
      if (outcome === "later" && round + 1 < ROUNDS) return true;
      if (outcome === "created") part.created += 1;
      else if (outcome === "existing") part.existing += 1;
      else {
        const why = outcome === "later" ? "the service had no time for it: import the file again" : outcome.why;
        part.refused.push({ place, userName: String(user.userName), why });
      }
      return false;
    });
  }
  return part;
}

async function sendOnce(api: Api, entries: readonly Entry[], isRehearsal: boolean): Promise<ApiResponse> {
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: entries.map(({ record, user }) => ({
      method: "POST",
      path: "/Users",
      bulkId: String(record),
      data: { schemas: schemasOf(user), ...user },
    })),
  };
  const answer = await api.send("POST", `/scim2/Bulk${isRehearsal ? "?dryRun=true" : ""}`, {
    body,
    headers: SCIM,
  });
  if (answer.status !== 200) throw new RunEnded(`${api.url} refuses the bulk request: ${reasonOf(answer)}`);
  return answer;
}

function schemasOf(user: ScimUser): readonly string[] {
  const extensions = Object.keys(user).filter((name) => name.startsWith("urn:"));
  return ["urn:ietf:params:scim:schemas:core:2.0:User", ...extensions];
}

/** The outcomes of a bulk request, in its order. */
function outcomesOf({ body }: ApiResponse, expected: number): readonly Outcome[] {
  const operations = listIn(body, "Operations") ?? [];
  if (operations.length !== expected) throw new RunEnded("The service returned no result for some users.");
  return operations.map((operation): Outcome => {
    const status = Number(statusOf(operation));
    const response = memberOf(operation, "response");
    if (status === 201) return "created";
    if (status === 409 && textIn(response, "scimType") === "uniqueness") return "existing";
    if (status === 429 || status >= 500) return "later";
    if (status === 403) throw new RunEnded(textIn(response, "detail") ?? "The caller is not allowed to create users.");
    return { why: textIn(response, "detail") ?? `status ${status}` };
  });
}

function statusOf(operation: unknown): string | undefined {
  return textIn(operation, "status") ?? textIn(memberOf(operation, "status"), "code");
}

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((total, one) => total + one, 0);
}
