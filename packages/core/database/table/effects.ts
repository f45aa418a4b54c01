/**
 * What the steps of a write do to items, as DynamoDB does it: for writes that are tried out before DynamoDB gets them.
 * Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { compareText } from "../../kernel/text-order.ts";
import { fromStored, type StoredItem, type StoredValue, toStored } from "./client/values.ts";
import { storedItem } from "./expressions.ts";
import type { Item, Key, Step, Value, When } from "./table.ts";

/** Bytes of an item, with the names of its attributes. */
export const ITEM_BYTES_MAX = 409_600;

type Change = Extract<Step, { readonly change: Key }>;
type Attributes = Readonly<Record<string, Value | undefined>>;

/** Why an item cannot be changed as a step says: in the words of DynamoDB. */
export class Impossible extends Error {}

/** Whether the condition of a step holds for the current item. */
export function holds(when: When, item: Item | undefined): boolean {
  if (when === "any") return true;
  if (when === "absent") return !item;
  if (when === "present") return item !== undefined;
  if (!item) return false;
  const { equal = {}, above = {}, lacking = [], unlike = {} } = when;
  return (
    Object.entries(normal(equal)).every(([name, value]) => isDeepStrictEqual(item[name], value)) &&
    Object.entries(above).every(([name, least]) => isAbove(item[name], least)) &&
    lacking.every((name) => item[name] === undefined) &&
    Object.entries(unlike).every(([name, value]) => item[name] !== value)
  );
}

/**
 * The item after a step whose condition holds; `undefined` where there is none then. Throws `Impossible` for a change
 * that does not fit the types of the item, or makes it larger than 400 KB.
 */
export function afterStep(step: Step, item: Item | undefined): Item | undefined {
  if ("put" in step) return asStored(step.put);
  if ("change" in step) return changed(step, item);
  return "remove" in step ? undefined : item;
}

/** An item as DynamoDB returns it. */
export function asStored(item: Item): Item {
  return plain(fromStored(storedItem(item))) as Item;
}

/** The bytes of an item, as DynamoDB counts them. */
export function itemBytes(item: Item): number {
  return bytesOfMap(storedItem(item));
}

function changed(
  { change: { PK, SK }, set = {}, add = {}, take = {}, clear = [], push }: Change,
  item: Item | undefined,
): Item {
  const before = item ?? { PK, SK };
  const after: Record<string, Value | undefined> = { ...before, ...normal(set) };
  push?.through.forEach((name, at, all) => {
    after[name] = at === 0 ? push.value : (before[all[at - 1] ?? ""] ?? "");
  });
  for (const [name, value] of Object.entries(add)) after[name] = added(before[name], value);
  for (const [name, members] of Object.entries(take)) after[name] = without(before[name], members);
  for (const name of clear) after[name] = undefined;
  const result = asStored({ ...after, PK, SK });
  if (itemBytes(result) > ITEM_BYTES_MAX) {
    throw new Impossible("Item size to update has exceeded the maximum allowed size");
  }
  return result;
}

function added(before: Value | undefined, value: number | ReadonlySet<string>): Value {
  if (typeof value === "number") return sum(before === undefined ? 0 : numberIn(before), value);
  return new Set([...(before === undefined ? [] : setIn(before)), ...value]);
}

/** DynamoDB adds decimals. Digits after the fifteenth are errors of binary fractions. */
function sum(a: number, b: number): number {
  return Number.isInteger(a) && Number.isInteger(b) ? a + b : Number((a + b).toPrecision(15));
}

/** DynamoDB stores no empty set. */
function without(before: Value | undefined, members: ReadonlySet<string>): Value | undefined {
  if (before === undefined) return undefined;
  const left = [...setIn(before)].filter((member) => !members.has(member));
  return left.length > 0 ? new Set(left) : undefined;
}

function numberIn(value: Value): number {
  if (typeof value === "number") return value;
  throw wrongType();
}

function setIn(value: Value): ReadonlySet<string> {
  if (value instanceof Set && [...value].every((member) => typeof member === "string")) return value;
  throw wrongType();
}

function wrongType(): Impossible {
  return new Impossible("An operand in the update expression has an incorrect data type");
}

function isAbove(value: Value | undefined, least: string): boolean {
  return typeof value === "string" && compareText(value, least) > 0;
}

/** Values as DynamoDB returns them. */
function normal(values: Attributes): Attributes {
  return plain(fromStored(toStored(values))) as Attributes;
}

/** A value whose bytes are in arrays of the class that DynamoDB's client returns: other classes count as different. */
function plain(value: Value | undefined): Value | undefined {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (typeof value !== "object" || value === null || value instanceof Set) return value;
  if (Array.isArray(value)) return value.map((each) => plain(each) ?? null);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function bytesOfMap(map: StoredItem): number {
  return Object.entries(map).reduce((bytes, [name, value]) => bytes + bytesOfText(name) + bytesOf(value), 0);
}

/** Containers take 3 bytes, and one for each element. */
function bytesOf({ S, N, B, SS, L, M }: StoredValue): number {
  if (S !== undefined) return bytesOfText(S);
  if (N !== undefined) return bytesOfNumber(N);
  if (B !== undefined) return Buffer.byteLength(B, "base64");
  if (SS !== undefined) return SS.reduce((bytes, member) => bytes + bytesOfText(member), 0);
  if (L !== undefined) return L.reduce((bytes, element) => bytes + 1 + bytesOf(element), 3);
  if (M !== undefined) return bytesOfMap(M) + Object.keys(M).length + 3;
  return 1;
}

/** One byte for two significant digits, and one more. */
function bytesOfNumber(text: string): number {
  const [mantissa = ""] = text.toLowerCase().split("e");
  const digits = [...mantissa].filter((one) => one >= "0" && one <= "9");
  const significant = digits.slice(
    digits.findIndex((one) => one !== "0"),
    digits.findLastIndex((one) => one !== "0") + 1,
  );
  return Math.ceil(significant.length / 2) + 1;
}

function bytesOfText(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
