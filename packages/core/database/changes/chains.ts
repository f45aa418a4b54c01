/**
 * Follows the history of resources from their latest change to their first (decision 0083). The row of a resource has
 * the times of its latest changes; records have those that were cut off from it. So a page needs two reads at once: of
 * the rows and records with the times, and of the records at these times.
 */
import type { Item, Table } from "../table/table.ts";
import { type RecordRow, recordKey, toRecord } from "./record-rows.ts";
import { type HistoryPlace, historyKeys, idsAt, latestIds } from "./resource-rows.ts";

/** How far the history of one resource is read. */
export interface Chain extends HistoryPlace {
  /** The record with the times that are read next; the row of the resource where there is none. */
  readonly source?: string | undefined;
  /** Records with times that are read after these. */
  readonly pending: readonly string[];
}

/** The changes of some resources, newest first. */
export interface ChainPage {
  readonly rows: readonly RecordRow[];
  /** Where the next page continues, before the id `reached`; empty at the end. */
  readonly chains: readonly Chain[];
  readonly reached: string;
  /** The row of each resource that exists, in the order of the chains that were given. */
  readonly resources: readonly (Item | undefined)[];
  /** Whether a row or what is left of one was found for each of them. */
  readonly isKnown: readonly boolean[];
}

/** The times of one chain that are read, as ids, and what is known of the others. */
interface Block {
  readonly chain: Chain;
  readonly ids: readonly string[];
}

/** The start of a history. */
export function chainOf(place: HistoryPlace): Chain {
  return { ...place, pending: [] };
}

/** The next block of each chain, without ids at or after `before`. Two round trips. */
export async function readChains(
  table: Table,
  tenant: string,
  chains: readonly Chain[],
  before?: string,
): Promise<ChainPage> {
  const keys = chains.flatMap((chain) =>
    chain.source === undefined ? historyKeys(tenant, chain) : [recordKey(tenant, chain.source)],
  );
  // Resources of two types may have one row.
  const distinct = new Map(keys.map((key) => [`${key.PK}\n${key.SK}`, key]));
  const items = await table.getMany([...distinct.values()]);
  const found = new Map([...distinct.keys()].map((name, at) => [name, items[at]]));
  const wanted = keys.map(({ PK, SK }) => found.get(`${PK}\n${SK}`))[Symbol.iterator]();
  const next = () => wanted.next().value;
  const sources = chains.map(({ source }) => {
    const row = next();
    return { row, left: source === undefined ? next() : undefined };
  });
  const blocks = chains.map((chain, at): Block => {
    const { row, left } = sources[at] ?? {};
    return { chain, ids: chain.source === undefined ? latestIds(chain, row ?? left) : olderIds(tenant, chain, row) };
  });
  const ids = blocks.flatMap((block) => block.ids);
  const recordItems = ids.length > 0 ? await table.getMany(ids.map((id) => recordKey(tenant, id))) : [];
  // Records that have expired are missing.
  const records = new Map(recordItems.flatMap((item) => (item ? [[item.SK, toRecord(tenant, item)] as const] : [])));
  const continued = blocks.map((block) => ({ block, after: afterBlock(block, records) }));
  // Older changes of one resource may be newer than those of another that were read.
  const floors = continued.flatMap(({ block, after }) => (after ? [block.ids.at(-1) ?? before ?? CEILING] : []));
  const [floor = ""] = floors.sort().reverse();
  const rows = [...records.values()]
    .filter(({ record: { id } }) => id >= floor && (before === undefined || id < before))
    .sort((a, b) => (a.record.id < b.record.id ? 1 : -1));
  return {
    rows,
    reached: floor,
    chains: continued.flatMap(({ block, after }) => {
      const isRead = (block.ids.at(-1) ?? CEILING) >= floor;
      return isRead ? (after ?? []) : [block.chain];
    }),
    resources: chains.map(({ source }, at) => (source === undefined ? sources[at]?.row : undefined)),
    isKnown: sources.map(({ row, left }) => (row ?? left) !== undefined),
  };
}

/** After all ids. */
const CEILING = "~";

function olderIds(tenant: string, chain: Chain, row: Item | undefined): readonly string[] {
  return row ? idsAt(chain, toRecord(tenant, row).older) : [];
}

/** The rest of a chain; `undefined` at its end. */
function afterBlock({ chain, ids }: Block, records: ReadonlyMap<string, RecordRow>): Chain | undefined {
  const sources = ids.filter((id) => (records.get(id)?.older.length ?? 0) > 0);
  const [source, ...pending] = [...chain.pending, ...sources].sort().reverse();
  return source === undefined ? undefined : { type: chain.type, id: chain.id, source, pending };
}
