/** Tells whose row a key is, for the rows whose changes are recorded. */
import { type Place, placeOf, type RowKind } from "../table/key-kinds.ts";
import type { Key } from "../table/table.ts";

/** The kinds of rows that a change can be about. */
export type PlaceKind = RowKind | "subscriber";

/** A row by its key. */
export interface RecordedPlace extends Omit<Place, "kind"> {
  readonly kind: PlaceKind;
}

const SUBSCRIBERS = /^T#([^#]*)#SUBS$/;
const SUBSCRIBER = /^S#(.*)$/s;

/** What a row is; `undefined` for rows that are derived, short-lived, or how far a delivery is. */
export function recordedPlaceOf(key: Key): RecordedPlace | undefined {
  const [, tenant] = SUBSCRIBERS.exec(key.PK) ?? [];
  if (tenant === undefined) return placeOf(key);
  // Claims are in the same partition.
  const [, id] = SUBSCRIBER.exec(key.SK) ?? [];
  return id === undefined ? undefined : { kind: "subscriber", tenant, id, member: "" };
}
