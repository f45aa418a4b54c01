/**
 * Values in DynamoDB's JSON, in one pass each way. They are what `@aws-sdk/util-dynamodb` makes of the same values, but
 * bytes are in Base64 already, as they are sent.
 */
import type { Value } from "../table.ts";

/** A value with its type. One member is set. */
export interface StoredValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly StoredValue[];
  readonly M?: StoredItem;
}

/** Attributes by name. */
export type StoredItem = Readonly<Record<string, StoredValue>>;

type Values = Readonly<Record<string, Value | undefined>>;

/** How a client takes and returns the attributes of items: in DynamoDB's JSON, or as they are. */
export interface Notation {
  write(values: Values): StoredItem;
  read(stored: StoredItem): Record<string, Value>;
}

/** Attributes in DynamoDB's JSON, without those that are `undefined`. Throws `RangeError` for what has no such form. */
export function toStored(values: Values): StoredItem {
  const stored: Record<string, StoredValue> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) put(stored, name, storedValue(value));
  return stored;
}

/** The attributes of an item that DynamoDB returned. */
export function fromStored(stored: StoredItem): Record<string, Value> {
  // A copy: attributes come in any order, and an object that gets them one by one in its own order is slow to make.
  const values: Record<string, StoredValue | Value> = { ...stored };
  for (const name of Object.keys(stored)) put(values, name, plainValue(stored[name] ?? {}));
  return values as Record<string, Value>;
}

/** The notation of calls that are sent as they are. */
export const storedNotation: Notation = { write: toStored, read: fromStored };

function storedValue(value: Value): StoredValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: numberText(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((each) => each !== undefined).map(storedValue) };
  if (value instanceof Set) return { SS: textsOf(value) };
  if (value instanceof Uint8Array) return { B: base64Of(value) };
  if (isPlain(value)) return { M: toStored(value) };
  throw new RangeError(`a value of type ${Object.prototype.toString.call(value)} cannot be stored`);
}

/** Another number would be stored as one that differs from it, or not at all. */
function numberText(value: number): string {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`the number ${value} cannot be stored`);
  return String(value);
}

function textsOf(set: ReadonlySet<unknown>): string[] {
  const texts = [...set].filter((member) => typeof member === "string");
  if (texts.length < set.size || texts.length === 0)
    throw new RangeError("a set that is stored has texts, at least one");
  return texts;
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Instances of classes would lose what their class does. */
function isPlain(value: object): value is Values {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype.constructor === undefined || prototype.constructor.name === "Object";
}

function plainValue(stored: StoredValue): Value {
  if (stored.S !== undefined) return stored.S;
  if (stored.N !== undefined) return numberOf(stored.N);
  if (stored.BOOL !== undefined) return stored.BOOL;
  if (stored.M !== undefined) return fromStored(stored.M);
  if (stored.L !== undefined) return stored.L.map(plainValue);
  if (stored.SS !== undefined) return new Set(stored.SS);
  if (stored.B !== undefined) return bytesOf(stored.B);
  // No row has other sets. Their members make a set of texts, which fits no field of a row.
  if (stored.NS ?? stored.BS) return new Set(stored.NS ?? stored.BS);
  return null;
}

/** A number that JavaScript would change stays a text, which fits no field for numbers: the row counts as damaged. */
export function numberOf(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

function bytesOf(base64: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A plain assignment of `__proto__` would change the prototype. */
function put<V>(target: Record<string, V>, name: string, value: V): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
