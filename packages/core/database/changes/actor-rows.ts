/**
 * The rows of the index of changes by actor (decision 0083). A block is a range of ids; its rows have the ids of the
 * changes in it, by what names their actor: an id, a name, a client. Those who made few of them share rows, so that a
 * block is few rows however many actors there are; who made many has a row.
 */
import { createHash } from "node:crypto";
import { keys } from "../table/keys.ts";
import { number, optional, rowCodec, text } from "../table/row.ts";
import { stale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import { bytesOfChange, changeOfBytes, ID_BYTES } from "./change-id.ts";
import type { ChangeActor } from "./model.ts";

/** Up to where the blocks are complete. */
export interface Indexed {
  /** The first id that is in no block. */
  readonly end: string;
  /** The same before the latest block; absent for the first one. */
  readonly former?: string | undefined;
  readonly atMs: number;
}

/** The ids of an actor's changes, as far as one round trip gives them. */
export interface ActorPage {
  /** In no order; some may be of others. */
  readonly ids: readonly string[];
  /** Where the rows of the page end: the id before which, or from which on in ascending order, nothing is known. */
  readonly limit?: string | undefined;
}

/** Which changes of an actor are read. */
export interface ActorRange {
  readonly from: string;
  readonly before: string;
  readonly isAscending: boolean;
  /** So many are enough. */
  readonly most: number;
}

/** Actors with few changes in a block share so many rows. */
const SHARED_ROWS = 64;
/** With so many changes in a block an actor has a row. */
const OWN_ROW_FROM = 128;
const NAME_BYTES = 6;
const COUNT_BYTES = 2;
/** Ids that one entry of a row can have; more are further entries. */
const COUNT_MOST = 65_535;
const ROWS_PER_PAGE = 1_000;
/** Rows of the block that a range begins in: two who index at once leave two. */
const ROWS_OF_START = 4;

const indexedRow = rowCodec<Indexed>("index of actors", { end: text, former: optional(text), atMs: number });

/** All that names the actor of a change. */
export function namesOf({ id, name, clientId, via = [] }: ChangeActor): readonly string[] {
  return [...new Set([id, name, clientId, ...via])].filter((one) => one !== undefined && one !== "") as string[];
}

/** Up to where a tenant's changes are indexed. One round trip. */
export async function readIndexed(table: Table, tenant: string): Promise<Indexed | undefined> {
  const [item] = await table.getMany([keys.actorsIndexed(tenant)]);
  return item && indexedRow.read(item);
}

/** The step that says that blocks are complete up to another id, on condition that they were up to `former`. */
export function completing(tenant: string, indexed: Indexed): Step {
  const { former } = indexed;
  const put = { ...keys.actorsIndexed(tenant), ...indexedRow.write(indexed) };
  return { put, when: former === undefined ? "absent" : { equal: { end: former } }, otherwise: stale };
}

/** The rows of a block: of the ids from `start` on and before `end`. */
export function blockRows(
  tenant: string,
  { start, end }: { readonly start: string; readonly end: string },
  changes: readonly { readonly id: string; readonly actor: ChangeActor }[],
  expiresAtSeconds: number,
): readonly Item[] {
  const byName = Map.groupBy(
    changes.flatMap(({ id, actor }) => namesOf(actor).map((name) => ({ id, name: digestOf(name) }))),
    ({ name }) => name.toString("hex"),
  );
  const byPart = Map.groupBy([...byName.values()], (own) => {
    const name = own[0]?.name ?? Buffer.alloc(NAME_BYTES);
    return own.length < OWN_ROW_FROM ? sharedPart(name) : ownPart(name);
  });
  return [...byPart].map(([part, entries]) => ({
    ...keys.actorBlock(tenant, part, `${start}-${end}`),
    e: new Uint8Array(Buffer.concat(entries.flatMap((own) => entriesOf(own)))),
    expiresAtSeconds,
  }));
}

/** The changes of an actor before an id, or from one on, in ascending order. One round trip, of three queries. */
export async function readActor(
  table: Table,
  tenant: string,
  name: string,
  { from, before, isAscending, most }: ActorRange,
): Promise<ActorPage> {
  const digest = digestOf(name);
  const ownRows = Math.ceil(most / OWN_ROW_FROM) + ROWS_OF_START;
  const parts = [
    { part: ownPart(digest), limit: Math.min(ownRows, ROWS_PER_PAGE) },
    { part: sharedPart(digest), limit: ROWS_PER_PAGE },
  ];
  const pages = await Promise.all(
    parts.map(async ({ part, limit }) => {
      const PK = keys.actorBlocks(tenant, part);
      if (!isAscending) return table.query({ PK, to: before, limit, backwards: true });
      const [first, page] = await Promise.all([
        table.query({ PK, to: from, limit: ROWS_OF_START, backwards: true }),
        table.query({ PK, from, limit }),
      ]);
      return { ...page, items: [...first.items, ...page.items] };
    }),
  );
  const limits = pages.flatMap(({ items, next }) => {
    const last = next && items.at(-1);
    if (!last) return [];
    const [start = "", end = ""] = last.SK.split("-");
    return [isAscending ? start : end];
  });
  const [limit] = limits.sort((a, b) => (a < b ? -1 : 1) * (isAscending ? 1 : -1));
  const ids = new Set(pages.flatMap(({ items }) => items.flatMap((item) => idsIn(item, digest))));
  return { ids: [...ids], ...(limit !== undefined && { limit }) };
}

function digestOf(name: string): Buffer {
  return createHash("sha256").update(name).digest().subarray(0, NAME_BYTES);
}

function ownPart(digest: Buffer): string {
  return digest.toString("hex");
}

function sharedPart(digest: Buffer): string {
  return String((digest[0] ?? 0) % SHARED_ROWS);
}

/** Entries of a row: a digest, a number of ids, and the ids. */
function entriesOf(own: readonly { readonly id: string; readonly name: Buffer }[]): Uint8Array[] {
  const [first] = own;
  if (!first) return [];
  const count = Buffer.alloc(COUNT_BYTES);
  const some = own.slice(0, COUNT_MOST);
  count.writeUInt16BE(some.length);
  return [first.name, count, ...some.map(({ id }) => bytesOfChange(id)), ...entriesOf(own.slice(COUNT_MOST))];
}

function idsIn({ e }: Item, digest: Buffer): string[] {
  if (!(e instanceof Uint8Array)) return [];
  const bytes = Buffer.from(e.buffer, e.byteOffset, e.byteLength);
  const ids: string[] = [];
  for (let at = 0; at + NAME_BYTES + COUNT_BYTES <= bytes.length; ) {
    const isOwn = bytes.subarray(at, at + NAME_BYTES).equals(digest);
    const count = bytes.readUInt16BE(at + NAME_BYTES);
    const first = at + NAME_BYTES + COUNT_BYTES;
    at = first + count * ID_BYTES;
    for (let own = first; isOwn && own < at; own += ID_BYTES) {
      ids.push(changeOfBytes(bytes.subarray(own, own + ID_BYTES)));
    }
  }
  return ids;
}
