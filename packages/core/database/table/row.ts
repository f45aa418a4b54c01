/**
 * Row codecs: a codec declares each attribute of one kind of row. It writes values as items and parses items that were
 * read. A row that does not fit its codec is damaged: the request fails with 500, and the log names the row's key. A
 * damaged row never leads to a wrong result. A row of a later release is refused too (decision 0072): writing it would
 * lose what that release stored.
 */

import { Fault } from "../../kernel/faults.ts";
import { isObject, parsedJson } from "../../kernel/json.ts";
import type { Item, Value } from "./table.ts";

/** The attribute with the version of a row's shape (decision 0072). Rows of version 1, as all of today, lack it. */
const SHAPE = "_v";

/** What `parse` returns for a damaged value. */
export const misfit = Symbol("misfit");

/** How one attribute is stored. */
export interface Field<V> {
  /** The name of the attribute; the name of the property where it is left out. */
  readonly attribute?: string;
  /** The expected value, for the log: "a number". */
  readonly expects: string;
  parse(stored: unknown): V | typeof misfit;
  /** `undefined` stores nothing. */
  write(value: V): Value | undefined;
}

/** One declared attribute for each property of the value. */
export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

/** Converts items of one kind to values and back. Keys are not part of it. */
export interface RowCodec<T> {
  /** Throws `DamagedRow`; the fault of `laterRow` for a row of a later release. */
  read(item: Item): T;
  write(value: T): Readonly<Record<string, Value>>;
}

/** A row that does not fit its codec. The message names the key and the attribute, not the value. */
export class DamagedRow extends Error {
  override readonly name = "DamagedRow";
  constructor(kind: string, { PK, SK }: Pick<Item, "PK" | "SK">, { attribute, expects }: Damage) {
    super(
      `The ${kind} row PK=${JSON.stringify(PK)} SK=${JSON.stringify(SK)} is damaged: ${attribute} must be ${expects}.`,
    );
  }
}

export const text = plain("a text", (stored): stored is string => typeof stored === "string");
export const number = plain("a finite number", (stored): stored is number => Number.isFinite(stored));
export const bool = plain("true or false", (stored): stored is boolean => typeof stored === "boolean");
export const bytes = plain("bytes", (stored): stored is Uint8Array => stored instanceof Uint8Array);

/** True, or absent for false. */
export const flag: Field<boolean> = { ...withDefault(bool, false), write: (value) => value || undefined };

/** A set of texts, read in the order of their UTF-16 units. An empty set is not stored. */
export const textSet: Field<readonly string[]> = {
  expects: "a set of texts or absent",
  parse(stored = new Set()) {
    const values = stored instanceof Set ? [...stored] : [misfit];
    return values.every((value) => typeof value === "string") ? values.sort() : misfit;
  },
  write: (values) => (values.length > 0 ? new Set(values) : undefined),
};

interface Damage {
  readonly attribute: string;
  readonly expects: string;
}

interface Member extends Damage, Field<unknown> {
  readonly property: string;
  readonly attribute: string;
}

/**
 * The fault for a row of a shape that only a later release reads; its cause is for operators. While traffic shifts
 * between two releases, a retry may meet the other one.
 */
function laterRow(kind: string, { PK, SK }: Pick<Item, "PK" | "SK">): Fault {
  const cause = new Error(`A later release wrote the ${kind} row PK=${JSON.stringify(PK)} SK=${JSON.stringify(SK)}.`);
  return new Fault("service.unavailable", "A later release of the service stored this. Try again.", { cause });
}

/** The codec of one kind of row, from a declaration of its attributes. */
export function rowCodec<T extends object>(kind: string, fields: Fields<T>): RowCodec<T> {
  const members = membersOf(fields);
  return {
    read(item) {
      if (item[SHAPE] !== undefined) throw laterRow(kind, item);
      const { value, damage } = parseMembers<T>(members, item);
      if (damage) throw new DamagedRow(kind, item, damage);
      return value;
    },
    write: (value) => writeMembers(members, value),
  };
}

/** Stores a property under another attribute name. */
export function as<V>(attribute: string, field: Field<V>): Field<V> {
  return { ...field, attribute };
}

/** An attribute that may be absent. */
export function optional<V>(field: Field<V>): Field<V | undefined> {
  return {
    ...field,
    expects: `${field.expects} or absent`,
    parse: (stored) => (stored === undefined ? undefined : field.parse(stored)),
    write: (value) => (value === undefined ? undefined : field.write(value)),
  };
}

/** An attribute that may be absent, with the value that its absence means. */
export function withDefault<V>(field: Field<V>, value: V): Field<V> {
  return { ...field, parse: (stored) => (stored === undefined ? value : field.parse(stored)) };
}

/** One of some fixed texts. */
export function oneOf<const V extends string>(...values: readonly V[]): Field<V> {
  return plain(`one of ${values.join(", ")}`, (stored): stored is V => values.some((value) => value === stored));
}

function plain<V extends Value>(expects: string, is: (stored: unknown) => stored is V): Field<V> {
  return { expects, parse: (stored) => (is(stored) ? stored : misfit), write: (value) => value };
}

/** A list of values of one kind. */
export function list<V>(element: Field<V>): Field<readonly V[]> {
  return {
    expects: `a list, each element ${element.expects}`,
    parse(stored) {
      if (!Array.isArray(stored)) return misfit;
      const values = stored.flatMap((one) => {
        const value = element.parse(one);
        return value === misfit ? [] : [value];
      });
      return values.length === stored.length ? values : misfit;
    },
    write: (values) => values.flatMap((value) => element.write(value) ?? []),
  };
}

/** A map with declared members. */
export function record<T extends object>(fields: Fields<T>): Field<T> {
  const members = membersOf(fields);
  return {
    expects: "a map with its declared members",
    parse(stored) {
      if (!isObject(stored)) return misfit;
      const { value, damage } = parseMembers<T>(members, stored);
      return damage ? misfit : value;
    },
    write: (value) => writeMembers(members, value),
  };
}

/**
 * A value stored as JSON text, which parses many times faster than a tree of attribute values. `is` checks the parsed
 * value. Text that is not JSON counts as damaged.
 */
export function json<T>(expects: string, is: (parsed: unknown) => parsed is T): Field<T> {
  return {
    expects: `JSON of ${expects}`,
    parse(stored) {
      const value = typeof stored === "string" ? parsedJson(stored) : undefined;
      return is(value) ? value : misfit;
    },
    write: (value) => JSON.stringify(value),
  };
}

function membersOf<T>(fields: Fields<T>): readonly Member[] {
  return Object.entries<Field<unknown>>(fields).map(([property, field]) => ({
    ...field,
    property,
    attribute: field.attribute ?? property,
  }));
}

/** Leaves out properties without a value, so that a value equals what was written. */
function parseMembers<T>(
  members: readonly Member[],
  stored: Readonly<Record<string, unknown>>,
): { readonly value: T; readonly damage?: undefined } | { readonly value?: undefined; readonly damage: Damage } {
  const values: Record<string, unknown> = {};
  for (const member of members) {
    const value = member.parse(stored[member.attribute]);
    if (value === misfit) return { damage: member };
    if (value !== undefined) values[member.property] = value;
  }
  return { value: values as T };
}

function writeMembers(members: readonly Member[], value: object): Record<string, Value> {
  const values = value as Readonly<Record<string, unknown>>;
  const written: Record<string, Value> = {};
  for (const { property, attribute, write } of members) {
    const stored = write(values[property]);
    if (stored !== undefined) written[attribute] = stored;
  }
  return written;
}
