/**
 * The history of a resource, in its own row (decision 0082): the times of its latest changes, from which the ids of
 * their records follow. The record in whose transaction older times were cut off keeps them, so that all changes of a
 * resource can be followed.
 */

import { keys } from "../table/keys.ts";
import type { Item, Key, Value } from "../table/table.ts";

/** The attributes of a resource's row: times in order, and those that changes in place have added since. */
export const HISTORY = "_h";
export const TOUCHES = "_t";

/**
 * When members of a group or role were last removed, counted backwards, so that a later time is a smaller text. A
 * change of members that was delayed must not be written with an earlier time than a removal that it comes after.
 */
export const REMOVAL = "_r";
const BACKWARDS_FROM = 1e14;
const REMOVAL_DIGITS = 15;

/** The text of a time in `REMOVAL`. */
export function removalText(atMs: number): string {
  return String(BACKWARDS_FROM - atMs).padStart(REMOVAL_DIGITS, "0");
}

/** A row keeps at least so many of its latest changes, once it has had them, and less than three times as many. */
export const BLOCK = 16;

const TIME_BYTES = 6;

/** The times of the changes of a row, oldest first, in milliseconds since 1970. */
export function historyOf(item: Readonly<Record<string, Value | undefined>> | undefined): readonly number[] {
  const touches = touchesOf(item);
  const times = timesIn(item?.[HISTORY]);
  return touches.length > 0 ? [...new Set([...times, ...touches])].sort((a, b) => a - b) : times;
}

/** The times of changes in place that are not among those in order. */
export function touchesOf(item: Readonly<Record<string, Value | undefined>> | undefined): readonly number[] {
  const stored = item?.[TOUCHES];
  return stored instanceof Set ? [...stored].map(Number) : [];
}

/** The times in a stored block. */
export function timesIn(stored: Value | undefined): readonly number[] {
  if (!(stored instanceof Uint8Array)) return [];
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const count = Math.floor(bytes.length / TIME_BYTES);
  return Array.from({ length: count }, (_, at) => bytes.readUIntBE(at * TIME_BYTES, TIME_BYTES));
}

/** Times as they are stored. */
export function storedTimes(times: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(times.length * TIME_BYTES);
  for (const [at, time] of times.entries()) bytes.writeUIntBE(time, at * TIME_BYTES, TIME_BYTES);
  return new Uint8Array(bytes);
}

/** The history with one more change, and the times that are cut off, which belong in the record of that change. */
export function withChange(
  history: readonly number[],
  atMs: number,
): { readonly kept: readonly number[]; readonly older: readonly number[] } {
  const all = [...history, atMs];
  if (all.length < BLOCK * 2) return { kept: all, older: [] };
  return { kept: all.slice(-BLOCK), older: all.slice(0, -BLOCK) };
}

/** Where the row of a removed resource keeps its history. */
export function removedKey(tenant: string, type: string, id: string): Key {
  return keys.removed(tenant, type, id);
}

/** The row that keeps the history of a removed resource. */
export function removedItem(
  place: { readonly tenant: string; readonly type: string; readonly id: string },
  history: readonly number[],
  expiresAtSeconds: number,
): Item {
  return {
    ...removedKey(place.tenant, place.type, place.id),
    type: place.type,
    id: place.id,
    [HISTORY]: storedTimes(history),
    expiresAtSeconds,
  };
}
