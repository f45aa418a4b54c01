/** Exports the users of a tenant: as SCIM users, one in each line, or as a table. */
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { tableConfig } from "#functions/env.ts";
import { type Api, listIn, memberOf, RunEnded, reasonOf, textIn } from "../client.ts";
import { progressOf } from "../frame/output.ts";
import { marked } from "./sources.ts";

const PAGE = 200;
const READ_AT_ONCE = 20;
const TIMEOUTS = { callMs: 20_000, requestMs: 0, throttling: "awaited" } as const;

/** What to export, and where to. */
export interface ExportTask {
  readonly file: string;
  readonly filter: string | undefined;
  readonly hasHashes: boolean;
  /** Where the table is, for hashes. */
  readonly environment: NodeJS.ProcessEnv;
  /** Shows no progress. */
  readonly isQuiet?: boolean | undefined;
}

/** The result of an export. */
interface ExportResult {
  readonly users: number;
  /** Values for which a table has no column. */
  readonly withoutColumn: number;
}

type User = Record<string, unknown>;

/** Exports users. The file appears when it is complete. Throws `RunEnded` where the service refuses. */
export async function exportUsers(api: Api, task: ExportTask): Promise<ExportResult> {
  const partial = `${task.file}.partial`;
  const columns = new Set<string>();
  let [users, withoutColumn] = [0, 0];
  const isTable = /\.csv$/i.test(task.file);
  // What an earlier run left may be open for others.
  await rm(partial, { force: true });
  const output = await open(partial, "wx", 0o600);
  try {
    for await (const page of pagesOf(api, task)) {
      for (const user of page) {
        const { row, left } = isTable ? rowOf(user) : { row: user, left: 0 };
        for (const name of Object.keys(row)) columns.add(name);
        await output.write(`${JSON.stringify(row)}\n`);
        users += 1;
        withoutColumn += left;
      }
    }
    await output.sync();
  } finally {
    await output.close();
  }
  if (isTable) {
    const table = `${task.file}.table.partial`;
    await rm(table, { force: true });
    await pipeline(
      rowsOf(partial),
      stringify({
        header: true,
        columns: [...columns],
        // Blanks at the ends belong to the value.
        quoted_match: /^\s|\s$/,
        cast: { boolean: String, string: (cell, { column }) => marked(String(column), cell) },
      }),
      createWriteStream(table, { flags: "wx", mode: 0o600 }),
    );
    await rename(table, task.file);
    await rm(partial);
  } else await rename(partial, task.file);
  return { users, withoutColumn };
}

async function* pagesOf(api: Api, task: ExportTask): AsyncGenerator<readonly User[], void> {
  const hashOf = task.hasHashes ? hashesOf(api, task.environment) : undefined;
  let cursor = "";
  const progress = progressOf("export", undefined, { isQuiet: task.isQuiet });
  try {
    do {
      const query = new URLSearchParams({ cursor, count: String(PAGE), ...(task.filter && { filter: task.filter }) });
      const answer = await api.send("GET", `/scim2/Users?${query}`, { headers: { accept: "application/scim+json" } });
      if (answer.status !== 200) throw new RunEnded(`${api.url} refuses the list of users: ${reasonOf(answer)}`);
      const page = (listIn(answer.body, "Resources") ?? []) as User[];
      yield hashOf ? await withHashes(page, hashOf) : page;
      progress.add(page.length);
      cursor = textIn(answer.body, "nextCursor") ?? "";
    } while (cursor !== "");
  } finally {
    progress.stop();
  }
}

async function withHashes(page: readonly User[], hashOf: (id: string) => Promise<string | undefined>): Promise<User[]> {
  const users: User[] = [];
  for (let at = 0; at < page.length; at += READ_AT_ONCE) {
    const some = page.slice(at, at + READ_AT_ONCE).map(async (user) => {
      const password = await hashOf(String(memberOf(user, "id")));
      return password === undefined ? user : { ...user, password };
    });
    users.push(...(await Promise.all(some)));
  }
  return users;
}

/** Reads hashes from the table: no operation of the API shows them. */
function hashesOf({ url }: Api, environment: NodeJS.ProcessEnv) {
  const { requestDeadlineMs: _, ...config } = tableConfig(TIMEOUTS, environment);
  const store = credentialStore(openTable({ ...config, deadlineMs: TIMEOUTS.callMs })(newMeter()));
  const tenant = /\/t\/([^/]+)$/.exec(url)?.[1] ?? SUPER_TENANT;
  return async (id: string) => (await store.find(tenant, id))?.passwordHash;
}

async function* rowsOf(file: string): AsyncGenerator<Row, void> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line) as Row;
}

/** Values by column. */
type Row = Readonly<Record<string, string | boolean>>;

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
/** What the service decides, and no import sets. */
const left: ReadonlySet<string> = new Set(["schemas", "id", "meta", "groups", "roles"]);

/** The row of a user, and how many of its values have no column: of one type, a table has one. */
function rowOf(user: Readonly<Record<string, unknown>>): { readonly row: Row; readonly left: number } {
  const row: Record<string, string | boolean> = {};
  let without = 0;
  const put = (column: string, value: unknown): void => {
    if (value === undefined || value === null || value === "") return;
    if (typeof value === "object" || Object.hasOwn(row, column)) without += 1;
    else row[column] = typeof value === "boolean" ? value : String(value);
  };
  for (const [name, value] of Object.entries(user)) {
    if (left.has(name)) continue;
    if (Array.isArray(value)) for (const each of value) putElement(put, name, each);
    else if (name === ENTERPRISE) putEnterprise(put, value as object);
    else if (value !== null && typeof value === "object") {
      const separator = name.startsWith("urn:") ? ":" : ".";
      for (const [part, each] of Object.entries(value)) put(`${name}${separator}${part}`, each);
    } else put(name, value);
  }
  return { row, left: without };
}

type Put = (column: string, value: unknown) => void;

function putElement(put: Put, list: string, element: unknown): void {
  if (element === null || typeof element !== "object") {
    put(list, element);
    return;
  }
  const { type, primary: _, display: __, value, ...parts } = element as Record<string, unknown>;
  const place = type === undefined ? list : `${list}.${type}`;
  if (list === "addresses") for (const [part, each] of Object.entries(parts)) put(`${place}.${part}`, each);
  else put(place, value);
}

function putEnterprise(put: Put, extension: object): void {
  for (const [part, value] of Object.entries(extension)) {
    put(`enterprise.${part}`, part === "manager" ? (value as { value?: unknown }).value : value);
  }
}
