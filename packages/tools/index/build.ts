/**
 * Completes the indexes that a deployment declares, while it serves requests: notes that they are being built, waits
 * until every container that writes users declares them, brings each user into them, and checks them. Then lists use
 * them. Stores how far it is after each page of users, and continues there.
 */

import { keys } from "#core/database/table/keys.ts";
import { number, optional, rowCodec, text, textSet } from "#core/database/table/row.ts";
import type { Table } from "#core/database/table/table.ts";
import { beginIndexes, completingIndex, readIndexState } from "#core/directory/users/index-rows.ts";
import { concurrently } from "#core/kernel/concurrently.ts";
import { audit } from "./audit.ts";
import { bringIn, type IndexWork, nameOf, printUndeclared, type StorePlace, settle, walkUsers } from "./work.ts";

const USERS_AT_ONCE = 8;

/** How far a user store is. */
interface Walked {
  readonly attributes: readonly string[];
  readonly beganMs: number;
  /** The name of the last user that is in the indexes; absent before the first. */
  readonly after?: string | undefined;
}

const walkedRow = rowCodec<Walked>("walk through users", {
  attributes: textSet,
  beganMs: number,
  after: optional(text),
});

/** A user store with indexes to complete. */
interface Building extends StorePlace {
  readonly attributes: readonly string[];
  readonly walked: Walked;
}

/** Completes the indexes of all user stores. True where all that are declared are complete. */
export async function build(work: IndexWork): Promise<boolean> {
  const { stores, print } = work;
  const begun: Building[] = [];
  for (const store of stores) begun.push(...(await begin(work, store)));
  if (begun.length === 0) {
    print("All declared indexes are complete.");
    return true;
  }
  await settle(work, Math.max(...begun.map(({ walked }) => walked.beganMs)));
  let isComplete = true;
  for (const building of begun) isComplete = (await complete(work, building)) && isComplete;
  return isComplete;
}

/** Notes what is to be built of a store; nothing where all is complete. */
async function begin(work: IndexWork, store: StorePlace): Promise<readonly Building[]> {
  const { table, declared, now } = work;
  const { tenant, userStore } = store;
  const [{ ready, building }, item] = await Promise.all([
    readIndexState(table, tenant, userStore),
    table.get(keys.userIndexing(tenant, userStore)),
  ]);
  printUndeclared(work, store, ready);
  const attributes = declared.attributes.filter((name) => !ready.includes(name));
  if (attributes.length === 0) return [];
  const walked = item && walkedRow.read(item);
  const isBegun = attributes.every((name) => building.includes(name) && walked?.attributes.includes(name));
  if (walked && isBegun) return [{ ...store, attributes, walked }];
  const fresh: Walked = { attributes, beganMs: now() };
  await note(table, store, fresh);
  await table.write(beginIndexes(tenant, userStore, attributes));
  return [{ ...store, attributes, walked: fresh }];
}

async function complete(work: IndexWork, { attributes, walked, ...store }: Building): Promise<boolean> {
  const { table, print } = work;
  const { tenant, userStore } = store;
  let changed = 0;
  for await (const { found, after } of walkUsers(work, `Users in ${nameOf(store)}`, store, walked.after)) {
    const late = found.filter(({ indexed }) => !attributes.every((name) => indexed.includes(name)));
    await concurrently(late, USERS_AT_ONCE, async ({ id }) => {
      if (await bringIn(table, tenant, id, work.declared.attributes)) changed += 1;
    });
    await note(table, store, { ...walked, after });
  }
  print(`${nameOf(store)}: ${changed} users were brought into indexes.`);
  // What a function with other settings wrote meanwhile is mended.
  if (!(await audit(work, store, attributes, true))) return false;
  for (const attribute of attributes) {
    const { building } = await readIndexState(table, tenant, userStore);
    if (!building.includes(attribute)) {
      print(
        `${nameOf(store)}: ${attribute} is not complete, because a function that does not declare it wrote a user. Deploy deployment.toml to all functions, then run this again.`,
      );
      return false;
    }
    await table.write(completingIndex(tenant, userStore, attribute, building, withdrawn));
    print(`${nameOf(store)}: lists use the index of ${attribute}.`);
  }
  await table.forget(keys.userIndexing(tenant, userStore));
  return true;
}

function withdrawn(): Error {
  return new Error("Another run, or a function with other settings, has changed the indexes. Run this again.");
}

function note(table: Table, { tenant, userStore }: StorePlace, walked: Walked): Promise<void> {
  const put = { ...keys.userIndexing(tenant, userStore), ...walkedRow.write(walked) };
  return table.write({ put, when: "any", otherwise: withdrawn });
}
