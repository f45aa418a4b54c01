/**
 * The indexes of the names of users and groups: makes their ranges wide where there are many, or narrow for the release
 * that knows no others (decision 0128), and checks them. The service runs meanwhile.
 */
import { keys, type NameListKeys } from "#core/table/keys.ts";
import { nameIndex } from "#core/table/name-index/name-index.ts";
import { countRanges, mendNames, narrowRanges, widenRanges } from "#core/table/name-index/reshaping.ts";
import { type IndexWork, nameOf, type StorePlace } from "./work.ts";

/** The name indexes of a store, each with what it is called. */
function listsOf(store: StorePlace): readonly (readonly [title: string, keys: NameListKeys])[] {
  const { tenant, userStore } = store;
  return [
    [`names of users, ${nameOf(store)}`, keys.userNames(tenant, userStore)],
    [`names of groups, ${nameOf(store)}`, keys.groupNames(tenant, userStore)],
  ];
}

/** Makes wide ranges of narrow ones, in indexes with many. It may end at any time. */
export async function widenNames({ table, stores, print, progress }: IndexWork): Promise<boolean> {
  for (const [title, own] of stores.flatMap(listsOf)) {
    const before = await countRanges(table, own);
    const bar = progress(`Joins ranges of the ${title}`, before.narrow);
    try {
      for await (const joined of widenRanges(table, own)) bar.add(joined);
    } finally {
      bar.stop();
    }
    const { narrow, wide } = await countRanges(table, own);
    if (wide > 0) print(`${title}: ${wide} wide ranges; ${before.narrow - narrow} narrow ones were joined.`);
  }
  print("Every index of many names has wide ranges. Before the release before 0.2.0 serves again, run --narrow.");
  return true;
}

/** Makes narrow ranges of all wide ones. It may end at any time. False where writers have made others meanwhile. */
export async function narrowNames({ table, stores, print, progress }: IndexWork): Promise<boolean> {
  let isDone = true;
  for (const [title, own] of stores.flatMap(listsOf)) {
    const { wide } = await countRanges(table, own);
    if (wide === 0) continue;
    const bar = progress(`Splits ranges of the ${title}`, wide);
    try {
      for await (const _ of narrowRanges(table, own)) bar.add(1);
    } finally {
      bar.stop();
    }
    print(`${title}: ${wide} wide ranges were split.`);
    const left = (await countRanges(table, own)).wide;
    if (left === 0) continue;
    print(
      `${title}: functions of this release have made ${left} others meanwhile. Stop their traffic, and run it again.`,
    );
    isDone = false;
  }
  if (!isDone) return false;
  print("No index of names has a wide range: the release before 0.2.0 can serve the table.");
  return true;
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
