/** A table in which one resource has other rows. For reading only. */
import type { DocumentRows } from "../../database/changes/document-rows.ts";
import {
  compareKeys,
  type Item,
  type Key,
  LAST,
  type Page,
  type RangeQuery,
  type Table,
} from "../../database/table/table.ts";

/** The table with the rows of a resource replaced. */
export function overlaid(table: Table, { row, pairs, ranges }: DocumentRows): Table {
  const own = (key: Key) => (key.PK === row.PK && key.SK === row.SK ? row : undefined);
  const query = async (range: RangeQuery): Promise<Page> => {
    const { PK, from = "", to = LAST } = range;
    const isIn = (sortKey: string) => ranges.some((one) => one.PK === PK && sortKey.startsWith(one.prefix));
    const isReplaced = isIn(from) && isIn(to);
    if (!isReplaced) return table.query(range);
    const rows = pairs.filter(({ SK }) => compareKeys(SK, from) >= 0 && compareKeys(SK, to) <= 0);
    return pageOf(range.backwards ? rows.toReversed() : rows, range);
  };
  return {
    ...table,
    get: async (key, options) => own(key) ?? table.get(key, options),
    getMany: async (keys, options) => {
      const items = await table.getMany(keys, options);
      return items.map((item, at) => replaced(keys[at], item));
    },
    snapshot: async (keys) => {
      const items = await table.snapshot(keys);
      return items.map((item, at) => replaced(keys[at], item));
    },
    query,
    async queryAll(range, most = Number.POSITIVE_INFINITY) {
      const items: Item[] = [];
      for (let after = range.after; items.length < most; ) {
        const page = await query({
          ...range,
          limit: Math.min(range.limit, most - items.length),
          ...(after && { after }),
        });
        items.push(...page.items);
        if (!page.next) break;
        after = page.next;
      }
      return items;
    },
    async write() {
      throw new TypeError("a resource as it was is for reading only");
    },
  };

  function replaced(key: Key | undefined, item: Item | undefined): Item | undefined {
    return (key && own(key)) ?? item;
  }
}

function pageOf(rows: readonly Item[], { after, limit }: RangeQuery): Page {
  const start = after ? rows.findIndex(({ SK }) => SK === after.SK) + 1 : 0;
  const items = rows.slice(start, start + limit);
  const last = items.at(-1);
  return { items, ...(last && start + limit < rows.length && { next: { PK: last.PK, SK: last.SK } }) };
}
