/**
 * The packs of an index of columns (decision 0136). A record is a text of parts, of which the first is its id and
 * decides its place. Each column of a pack is a row of its own, so that a list reads those that it compares.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { ColumnIndexKeys } from "../keys.ts";
import { as, bytes, number, rowCodec } from "../row.ts";
import type { Item, Key } from "../table.ts";
import { escaped, unescaped } from "./pair.ts";

/** Comes before each part in a column, and between the parts of a record. */
const SEPARATOR = "\u0000";

type Columns = Pick<ColumnIndexKeys, "columns" | "column">;

const columnRow = rowCodec<{ readonly fold: number; readonly packed: Uint8Array }>("column", {
  fold: as("f", number),
  packed: as("z", bytes),
});

/** The text of a record. Texts are in the order of the first parts, which differ. */
export function recordText(parts: readonly string[]): string {
  return parts.map(escaped).join(SEPARATOR);
}

/** The parts of the text of a record. */
export function partsOf(text: string): readonly string[] {
  return text.split(SEPARATOR).map(unescaped);
}

/** The first part of the text of a record, as it is stored. */
export function idOfText(text: string): string {
  return text.slice(0, text.indexOf(SEPARATOR));
}

/** The keys of all columns of a pack. */
export function columnKeys({ columns, column }: Columns, low: string, slot: number): readonly Key[] {
  return Array.from({ length: columns }, (_, at) => column(low, slot, at));
}

/** The rows of a pack of records, whose texts are in order. */
export function columnItems(keys: Columns, key: { readonly low: string; readonly slot: number }, pack: ColumnPack) {
  const records = pack.texts.map((text) => text.split(SEPARATOR));
  return columnKeys(keys, key.low, key.slot).map((at, place): Item => {
    const values = records.map((record) => `${SEPARATOR}${record[place] ?? ""}`);
    return { ...at, ...columnRow.write({ fold: pack.fold, packed: deflateRawSync(values.join("")) }) };
  });
}

/** The records of a pack, and the number of the fold that writes it. */
export interface ColumnPack {
  readonly fold: number;
  readonly texts: readonly string[];
}

/** The parts of a column, as they are stored; `undefined` where the row is of another fold. */
export function columnOf(item: Item | undefined, fold: number): readonly string[] | undefined {
  const row = item && columnRow.read(item);
  if (row?.fold !== fold) return undefined;
  return inflateRawSync(row.packed).toString("utf8").split(SEPARATOR).slice(1);
}

/** The texts of the records of a whole pack; `undefined` where a row is of another fold. */
export function textsOf(items: readonly (Item | undefined)[], fold: number): readonly string[] | undefined {
  const columns = items.flatMap((item) => {
    const column = columnOf(item, fold);
    return column ? [column] : [];
  });
  const [first = []] = columns;
  if (columns.length !== items.length) return undefined;
  return first.map((_, at) => columns.map((column) => column[at] ?? "").join(SEPARATOR));
}
