/** Checks the complete indexes of all user stores, mends them, or takes them out of use. */
import { readIndexState, withdrawingIndexes } from "#core/directory/users/index-rows.ts";
import { userStore } from "#core/directory/users/store.ts";
import { audit } from "./audit.ts";
import { checkNames } from "./names.ts";
import { type IndexWork, nameOf, printUndeclared, type StorePlace } from "./work.ts";

/**
 * Compares the complete indexes with the users, and those of names with their entries. True where all are complete, and
 * right or mended.
 */
export async function check(work: IndexWork, isMending: boolean): Promise<boolean> {
  const { table, declared, stores, print } = work;
  let isRight = true;
  for (const store of stores) {
    const { ready } = await readIndexState(table, store.tenant, store.userStore);
    printUndeclared(work, store, ready);
    const names = declared.attributes.filter((name) => ready.includes(name));
    const missing = declared.attributes.filter((name) => !ready.includes(name));
    if (missing.length > 0 && (await hasUsers(work, store))) {
      print(`${nameOf(store)}: not complete yet: ${missing.join(", ")}. Run npm run index.`);
      isRight = false;
    }
    isRight = (await checkNames(work, store, isMending)) && isRight;
    if (names.length === 0) continue;
    const isRightHere = await audit(work, store, names, isMending);
    if (isRightHere) print(`${nameOf(store)}: the indexes are as the users are: ${[...names].sort().join(", ")}.`);
    isRight &&= isRightHere;
  }
  return isRight;
}

async function hasUsers({ table }: IndexWork, { tenant, userStore: store }: StorePlace): Promise<boolean> {
  return (await userStore(table).names(tenant, store).total()) > 0;
}

/** Lists use no index any more, until they are completed again. */
export async function switchOff({ table, stores, print }: IndexWork): Promise<boolean> {
  for (const { tenant, userStore } of stores) {
    const { ready, building } = await readIndexState(table, tenant, userStore);
    const names = [...new Set([...ready, ...building])];
    if (names.length > 0) await table.write(withdrawingIndexes(tenant, userStore, names));
    print(`${nameOf({ tenant, userStore })}: lists use no index.`);
  }
  return true;
}
