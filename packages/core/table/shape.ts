/**
 * Versions of stored shapes (decision 0072). A kind of row whose stored shape was changed has a version in each row;
 * its codec reads the two versions before its own too.
 */
import { DamagedRow, type Fields, laterRow, type RowCodec, rowCodec, SHAPE } from "./row.ts";
import type { Item, Value } from "./table.ts";

/** The version of a row without `SHAPE`. */
const FIRST = 1;
/** So many versions before its own a codec reads. */
const FORMER = 2;

/** The attributes of a row in one version of its shape. */
export type Stored = Readonly<Record<string, Value | undefined>>;

/** How a kind of row was changed. The fields of its codec describe the newest version. */
export interface Shape {
  /** From 2 on. */
  readonly version: number;
  /** For each of the two versions before: returns the attributes in the version after it. */
  readonly upgrades: Readonly<Record<number, (stored: Stored) => Stored>>;
  /**
   * Returns the attributes in the version before. While it is set, that version is written: in the release that
   * introduces a version, because the release before it serves the same table until all traffic has moved.
   */
  readonly downgrade?: (stored: Stored) => Stored;
}

/** A codec of a kind of row with versions. */
export interface VersionedCodec<T> extends RowCodec<T> {
  /** The attributes of the newest version. */
  readonly attributes: readonly string[];
  /** The version that is written. */
  readonly written: number;
  /**
   * The attributes of a row of an older version in the version that is written, with those that the codec does not
   * know. Throws as `read` does.
   */
  rewritten(item: Item): Readonly<Record<string, Value>>;
}

/** The codec of one kind of row whose shape was changed. Throws an `Error` for a shape with another set of upgrades. */
export function versionedCodec<T extends object>(kind: string, fields: Fields<T>, shape: Shape): VersionedCodec<T> {
  const { version, upgrades, downgrade } = shape;
  const oldest = Math.max(FIRST, version - FORMER);
  const former = Array.from({ length: version - oldest }, (_, at) => oldest + at);
  if (former.join() !== Object.keys(upgrades).join() || version <= FIRST) {
    throw new Error(
      `Version ${version} of the ${kind} row needs upgrades from ${former.join(" and ")}, and no others.`,
    );
  }
  const codec = rowCodec(kind, fields);
  const written = downgrade ? version - 1 : version;
  const upgraded = (item: Item): Stored => {
    const at = shapeOf(item);
    if (at > version) throw laterRow(kind, item);
    // Not true for NaN either.
    if (!(at >= oldest)) {
      const expects = `${oldest} to ${version}: migrate with the release before`;
      throw new DamagedRow(kind, item, { attribute: SHAPE, expects });
    }
    const steps = former.filter((from) => from >= at).map((from) => upgrades[from]);
    return steps.reduce<Stored>((stored, upgrade) => upgrade?.(stored) ?? stored, item);
  };
  const read = (item: Item) => codec.read({ ...upgraded(item), PK: item.PK, SK: item.SK, [SHAPE]: undefined });
  const marked = (stored: Stored) => {
    const { PK: _, SK: __, [SHAPE]: ___, ...older } = downgrade ? downgrade(stored) : stored;
    return defined(written > FIRST ? { ...older, [SHAPE]: written } : older);
  };
  return {
    attributes: Object.entries<Fields<T>[keyof T]>(fields).map(([name, { attribute }]) => attribute ?? name),
    written,
    read,
    write: (value) => marked(codec.write(value)),
    rewritten(item) {
      // An upgrade may make a value that no reader accepts: then the row stays as it is.
      read(item);
      return marked(upgraded(item));
    },
  };
}

/** The version of a row's shape. NaN for a damaged one. */
export function shapeOf({ [SHAPE]: stored = FIRST }: Item | Stored): number {
  return typeof stored === "number" && Number.isSafeInteger(stored) && stored >= FIRST ? stored : Number.NaN;
}

function defined(stored: Stored): Record<string, Value> {
  return Object.fromEntries(Object.entries(stored).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}
