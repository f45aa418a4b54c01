/** The rows of resources that a request has read: what its changes are compared with. */
import { type Item, identityOf, type Key, type When } from "../table/table.ts";
import { type PlaceKind, recordedPlaceOf } from "./places.ts";

/** Each row in every version that the request saw. */
export type RowMemory = ReturnType<typeof newRowMemory>;

/** Pairs are many, and their keys say all. */
const pairs: readonly PlaceKind[] = ["member", "role of user", "role of group", "credential", "lock", "client"];
const REMOVED = /^T#[^#]*#GONE#/;

function isKept(key: Key): boolean {
  const place = recordedPlaceOf(key);
  return place ? !pairs.includes(place.kind) : REMOVED.test(key.PK);
}

/** Opens the memory of one request. */
export function newRowMemory() {
  const rows = new Map<string, Item[]>();
  const remember = (key: Key, item: Item | undefined, keyOnly = false): Item | undefined => {
    if (keyOnly || !isKept(key)) return item;
    const known = (rows.get(identityOf(key)) ?? []).filter((one) => one.ver !== item?.ver);
    rows.set(identityOf(key), item ? [...known, item] : known);
    return item;
  };
  return {
    /** Returns the item. One that was read without its attributes is not kept. */
    remember,
    forget: (key: Key) => rows.delete(identityOf(key)),
    rememberAll(keys: readonly Key[], items: (Item | undefined)[]): (Item | undefined)[] {
      for (const [at, key] of keys.entries()) remember(key, items[at]);
      return items;
    },
    /** The row that a condition is about: the latest, where the condition names no version. */
    find(key: Key, when: When): Item | undefined {
      const known = rows.get(identityOf(key)) ?? [];
      const version = typeof when === "object" ? when.equal?.ver : undefined;
      return version === undefined ? known.at(-1) : known.findLast((one) => one.ver === version);
    },
    /** What is left of a removed resource that is stored again. */
    removed(tenant: string, type: string, id: string): Item | undefined {
      return rows.get(identityOf({ PK: `T#${tenant}#GONE#${type}#${id}`, SK: "A" }))?.at(-1);
    },
  };
}
