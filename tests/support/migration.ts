/** A kind of rows in its third version, for tests of migrations. */
import { as, list, number, optional, rowCodec, text, textSet } from "#core/table/row.ts";
import { type Stored, versionedCodec } from "#core/table/shape.ts";
import type { Item } from "#core/table/table.ts";
import type { VersionedKind } from "#tools/migrate/kinds.ts";

/** The newest value: an address in parts, tags that others add to, and a version for optimistic locking. */
export interface Sample {
  readonly lines: readonly string[];
  readonly count: number;
  readonly note?: string | undefined;
  readonly tags: readonly string[];
  readonly version: number;
}

/** Version 1: the address is one text. Version 2: a list. Version 3: the list has another name, and its length. */
const common = { note: optional(text), tags: textSet, version: as("ver", number) };
export const firstCodec = rowCodec<Omit<Sample, "lines" | "count"> & { readonly address: string }>("sample", {
  address: text,
  ...common,
});
export const sampleCodec = versionedCodec<Sample>(
  "sample",
  { lines: as("l", list(text)), count: number, ...common },
  {
    version: 3,
    upgrades: {
      1: ({ address, ...rest }: Stored): Stored => ({ ...rest, lines: String(address).split(", ") }),
      2: ({ lines, ...rest }: Stored): Stored => ({ ...rest, l: lines, count: (lines as string[]).length }),
    },
  },
);

const PARTITION = "T#acme#SAMPLE#";

/** The kind. */
export const sampleKind: VersionedKind = {
  name: "sample",
  matches: ({ PK }) => PK.startsWith(PARTITION),
  codec: sampleCodec,
};

/** The key of a row. */
export const sampleKey = (id: number) => ({ PK: `${PARTITION}${String(id).padStart(5, "0")}`, SK: "A" });

/** A row as the first release wrote it. */
export const firstRow = (id: number): Item => ({
  ...sampleKey(id),
  ...firstCodec.write({ address: `Street ${id}, City`, tags: [`t${id}`], version: 1 }),
});

/** The row of `firstRow` in version 3. */
export const thirdValue = (id: number): Sample => ({
  lines: [`Street ${id}`, "City"],
  count: 2,
  tags: [`t${id}`],
  version: 1,
});
