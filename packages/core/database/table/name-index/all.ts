/** All entries of a name index that begin alike, for lists that compare them with other sets. */
import { compareKeys, LAST, type ReadOptions } from "../table.ts";
import { rangeAtKey, readDirectory } from "./directory.ts";
import { type Entry, entryOf, type IndexContext } from "./items.ts";
import { isPrefix, prefixEnd } from "./name-key.ts";

/** The most entries that one Query requests. */
const ENTRIES_PER_QUERY = 8_000;

/** See `NameReads.all`. Some ranges are read at once, with as many entries as one Query returns. */
export async function allWith(
  context: IndexContext,
  prefix: string,
  most: number,
  options: ReadOptions,
): Promise<readonly Entry[] | undefined> {
  if (!isPrefix(prefix)) return [];
  const { ranges, before } = await readDirectory(context, options);
  const [from = 0, to = 0] = [prefix, prefix + LAST].map((text) => Math.max(0, rangeAtKey(ranges, text)));
  // Of the ranges at both ends, a part may start otherwise.
  const least = prefix === "" ? (before.at(-1) ?? 0) : (before[to] ?? 0) - (before[from + 1] ?? 0);
  if (least > most) return undefined;
  const spans: { readonly low: string; high: string; count: number }[] = [];
  for (const { low, high, count } of ranges.slice(from, to + 1)) {
    const span = spans.at(-1);
    if (!span || span.count + count > ENTRIES_PER_QUERY) spans.push({ low, high, count });
    else Object.assign(span, { high, count: span.count + count });
  }
  const { table, keys } = context;
  const read = await Promise.all(
    spans.map(async ({ low, high }) => {
      const from = compareKeys(low, prefix) > 0 ? low : prefix;
      const to = prefix !== "" && compareKeys(prefixEnd(prefix), high) < 0 ? prefixEnd(prefix) : high;
      const within = { ...(from !== "" && { from }), to, limit: ENTRIES_PER_QUERY };
      const items = await table.queryAll({ PK: keys.entries, ...within, ...options });
      return items.filter(({ SK }) => compareKeys(SK, high) < 0 && SK.startsWith(prefix)).map(entryOf);
    }),
  );
  const entries = read.flat();
  return entries.length > most ? undefined : entries;
}
