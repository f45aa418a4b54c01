/** Checks and mends the indexes of the names of users and groups, while the service runs. */
import { keys, type NameListKeys } from "#core/database/table/keys.ts";
import { mendNames } from "#core/database/table/name-index/mending.ts";
import { nameIndex } from "#core/database/table/name-index/name-index.ts";
import { type IndexWork, nameOf, type StorePlace } from "./work.ts";

/** The name indexes of a store, each with what it is called. */
function listsOf(store: StorePlace): readonly (readonly [title: string, keys: NameListKeys])[] {
  const { tenant, userStore } = store;
  return [
    [`names of users, ${nameOf(store)}`, keys.userNames(tenant, userStore)],
    [`names of groups, ${nameOf(store)}`, keys.groupNames(tenant, userStore)],
  ];
}

/** Compares the name indexes of a store with their entries; mends what differs. True where they are right then. */
export async function checkNames({ table, print }: IndexWork, store: StorePlace, isMending: boolean): Promise<boolean> {
  let isRight = true;
  for (const [title, own] of listsOf(store)) {
    const index = nameIndex(table, own);
    const found = await index.audit();
    for (const { low, problem } of found) print(`${title}, range ${placeOf(low)}: ${problem}.`);
    if (found.length === 0) continue;
    for (const low of isMending ? new Set(found.map((one) => one.low)) : []) await mendNames(table, own, low);
    const isMended = isMending && (await index.audit()).length === 0;
    if (isMended) print(`${title}: mended.`);
    isRight &&= isMended;
  }
  return isRight;
}

/** Which range, without a name of a user. */
function placeOf(low: string): string {
  return low === "" ? "the first" : `of ${Buffer.from(low).toString("hex").slice(0, 16)}`;
}
