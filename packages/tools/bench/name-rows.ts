/** The rows of a loaded name index. */
import type { NameListKeys } from "#core/table/keys.ts";
import { type Entry, layout } from "#core/table/name-index/items.ts";
import { wideLayout } from "#core/table/name-index/wide-layout.ts";
import type { Item } from "#core/table/table.ts";

/** An index that grew to so many names has wide ranges. */
const WIDE_FROM = 50_000;

/** The rows of an index as it would be had these names come one by one. The entries must be in order. */
export function layoutOf(keys: NameListKeys, entries: readonly Entry[]): Iterable<Item> {
  return entries.length < WIDE_FROM ? layout(keys, entries) : wideLayout(keys, entries);
}
