/**
 * Compares indexes with the users of a store, while the service runs, and mends what differs. Users and indexes are
 * read once; what differs then is looked at again, user by user: the row of a user is the same before and after its
 * pairs are read, so that what is reported is not the work of another writer.
 */
import { isDeepStrictEqual } from "node:util";
import { keys } from "#core/database/table/keys.ts";
import { inspectLogged, mendLoggedRange, timesHeldLogged } from "#core/database/table/logged-index/inspect.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import {
  correctingSeveral,
  countsOf,
  type InspectedRange,
  inspectIndex,
  mendIndexRange,
  timesHeld,
} from "#core/database/table/value-index/inspect.ts";
import type { Pair } from "#core/database/table/value-index/model.ts";
import { pairOf, pairText } from "#core/database/table/value-index/pair.ts";
import { indexOfValues } from "#core/directory/users/index-rows.ts";
import type { User } from "#core/directory/users/model.ts";
import { attributeOf, heldPairs, pairChange, pairsOf } from "#core/directory/users/pairs.ts";
import { asRead } from "#core/directory/users/rows.ts";
import { userStore as openUsers } from "#core/directory/users/store.ts";
import type { IndexedAttribute } from "#core/scim/protocol/indexed.ts";
import { digestOf, TextBag, unlike } from "./text-bag.ts";
import {
  bringIn,
  type IndexWork,
  inRounds,
  nameOf,
  type StorePlace,
  type Suspects,
  suspect,
  walkUsers,
} from "./work.ts";

/** Pairs that are mended in one transaction, of those that come and of those that go. */
const PAIRS_AT_ONCE = 20;
/** Users of an attribute of which a round prints a line each. */
const PRINTED_MOST = 20;
/** So often an index is read until it does not change meanwhile. */
const COUNTS = 5;

/** What one round found of an attribute. */
interface Compared {
  readonly attribute: IndexedAttribute;
  readonly ofUsers: TextBag;
  readonly ofIndex: TextBag;
  /** The lows of ranges whose rows do not belong together. */
  readonly brokenRanges: string[];
  /** Users that the index may hold wrongly; with the texts of their pairs. */
  readonly suspects: Suspects;
}

/**
 * Checks the indexes of some attributes in a store; with `isMending`, mends them. True where they are right in the end.
 * Prints a line for each range that is wrong, and for the first users.
 */
export function audit(
  work: IndexWork,
  store: StorePlace,
  names: readonly string[],
  isMending: boolean,
): Promise<boolean> {
  const attributes = names.flatMap((name) => attributeOf(name) ?? []);
  return inRounds(isMending, async () => {
    let wrong = 0;
    /** Users whose rows do not note all indexes: they come in once the indexes hold nothing else of them. */
    const late = new Set<string>();
    for (const one of await compare(work, store, attributes))
      wrong += await mend(work, store, { ...one, late }, isMending);
    for (const id of isMending ? late : []) {
      await bringIn(work.table, store.tenant, id, names);
    }
    for (const { name, isMultiValued } of attributes) {
      if (isMultiValued) wrong += await recount(work, store, name, isMending);
    }
    return wrong;
  });
}

async function compare(
  work: IndexWork,
  store: StorePlace,
  attributes: readonly IndexedAttribute[],
): Promise<readonly Compared[]> {
  const { table } = work;
  const all = attributes.map(
    (attribute): Compared => ({
      attribute,
      ofUsers: new TextBag(),
      ofIndex: new TextBag(),
      brokenRanges: [],
      suspects: new Map(),
    }),
  );
  await eachUser(work, store, "Reads the users", (user) => {
    for (const one of all) {
      for (const pair of pairsOf(one.attribute, user)) one.ofUsers.add(pairText(pair));
      if (!user.indexed.includes(one.attribute.name)) suspect(one.suspects, user.id);
    }
  });
  for (const one of all) {
    for await (const range of inspect(table, store, one.attribute)) {
      for (const text of range.texts) one.ofIndex.add(text);
      if (range.problem === undefined) continue;
      one.brokenRanges.push(range.low);
      work.print(`${nameOf(store)}, ${one.attribute.name}: a range ${range.problem}.`);
    }
  }
  const unlikes = all.map(({ ofUsers, ofIndex }) => unlike(ofUsers, ofIndex));
  if (unlikes.some(({ size }) => size > 0)) await findSuspects(work, store, all, unlikes);
  return all;
}

/** Whose pairs the digests are that differ. */
async function findSuspects(
  work: IndexWork,
  store: StorePlace,
  all: readonly Compared[],
  unlikes: readonly ReadonlySet<number>[],
): Promise<void> {
  await eachUser(work, store, "Looks again at the users", (user) => {
    for (const [at, one] of all.entries()) {
      const isUnlike = (pair: Pair) => unlikes[at]?.has(digestOf(pairText(pair))) === true;
      if (pairsOf(one.attribute, user).some(isUnlike)) suspect(one.suspects, user.id);
    }
  });
  for (const [at, one] of all.entries()) {
    for await (const { texts } of inspect(work.table, store, one.attribute)) {
      for (const text of texts) if (unlikes[at]?.has(digestOf(text))) suspect(one.suspects, pairOf(text).id, text);
    }
  }
}

async function eachUser(work: IndexWork, store: StorePlace, title: string, look: (user: User) => void): Promise<void> {
  for await (const { found } of walkUsers(work, `${title} of ${nameOf(store)}`, store)) found.forEach(look);
}

/** Mends an index, or says what is wrong. Returns how many things were wrong. */
async function mend(
  work: IndexWork,
  store: StorePlace,
  { attribute, brokenRanges, suspects, late }: Compared & { readonly late: Set<string> },
  isMending: boolean,
): Promise<number> {
  const wrong = brokenRanges.length;
  for (const low of isMending ? brokenRanges : []) {
    await mendRange(work.table, store, attribute, low);
  }
  const [place, ending] = [`${nameOf(store)}, ${attribute.name}`, isMending ? "; mended" : ""];
  let users = 0;
  for (const [id, met] of suspects) {
    if (!(await mendUser(work, { ...store, attribute, id, met, late }, isMending))) continue;
    users += 1;
    if (users <= PRINTED_MOST) work.print(`${place}: the index was wrong for the user ${id}${ending}.`);
  }
  if (users > PRINTED_MOST) work.print(`${place}: it was wrong for ${users - PRINTED_MOST} more users${ending}.`);
  return wrong + users;
}

/** What an index may hold wrongly. */
interface Suspect extends StorePlace {
  readonly attribute: IndexedAttribute;
  readonly id: string;
  /** The texts of pairs of the user that were met in the index. */
  readonly met: ReadonlySet<string>;
  readonly late: Set<string>;
}

/** Makes an index hold what it should of one user. Returns whether it did not. */
async function mendUser({ table }: IndexWork, suspected: Suspect, isMending: boolean): Promise<boolean> {
  const { tenant, userStore, attribute, id, late } = suspected;
  const index = indexOfValues(table, tenant, userStore, attribute.name);
  const read = () => openUsers(table).find(tenant, id);
  const mendPart = async (): Promise<"right" | "wrong" | "mended"> => {
    const user = await read();
    const noted = user?.userStore === userStore ? heldPairs(attribute, user) : [];
    const wanted = user ? pairsOf(attribute, user) : [];
    const times = await timesOf(table, suspected, [...noted, ...wanted]);
    // A change of the pairs of a user changes its row too.
    if (!isDeepStrictEqual(await read(), user)) throw stale();
    const twice = [...times].filter(([, count]) => count > 1).map(([text]) => text);
    const real = [...times].filter(([, count]) => count > 0).map(([text]) => pairOf(text));
    const change = pairChange(real, noted);
    if (!change && twice.length === 0) return "right";
    if (!isMending) return "wrong";
    for (const text of twice) await mendRange(table, suspected, attribute, text);
    if (!change || twice.length > 0) return "mended";
    const [added, removed] = [change.added.slice(0, PAIRS_AT_ONCE), change.removed.slice(0, PAIRS_AT_ONCE)];
    const when = user ? asRead(user) : "absent";
    // How many users have several values is counted for all of them.
    const steps = await index.steps({ added, removed, several: 0 }, stale);
    await table.write({ check: keys.user(tenant, id), when, otherwise: stale }, ...steps);
    return "mended";
  };
  let state = await whileStale(mendPart);
  const wasWrong = state !== "right";
  while (state === "mended") state = await whileStale(mendPart);
  const user = await read();
  if (!user || user.userStore !== userStore || user.indexed.includes(attribute.name)) return wasWrong;
  late.add(id);
  return true;
}

/** How often an index has the pairs of a user, of those that it may have, and those that were met there. */
async function timesOf(
  table: Table,
  { attribute, met, ...store }: Suspect,
  possible: readonly Pair[],
): Promise<ReadonlyMap<string, number>> {
  const texts = [...new Set([...possible.map(pairText), ...met])];
  const own = keysOf(store, attribute.name);
  const heldBy = attribute.kind === "time" ? timesHeldLogged : timesHeld;
  const times = await Promise.all(texts.map((text) => heldBy(table, own, text)));
  return new Map(texts.map((text, at) => [text, times[at] ?? 0]));
}

/**
 * Corrects how many users are counted as having several values. Returns 1 where the number was wrong. It is known only
 * where no value changes while the index is read; a number that is too high costs lists some units, and no more.
 */
async function recount(
  { table, print }: IndexWork,
  store: StorePlace,
  name: string,
  isMending: boolean,
): Promise<number> {
  const own = keysOf(store, name);
  for (let tries = 0; tries < COUNTS; tries += 1) {
    const before = await countsOf(table, own);
    const ids = new TextBag();
    for await (const { texts } of inspectIndex(table, own)) for (const text of texts) ids.add(pairOf(text).id);
    const { mark, several } = await countsOf(table, own);
    if (mark !== before.mark) continue;
    const by = ids.repeated() - several;
    if (by === 0) return 0;
    const found = `${Math.abs(by)} users with several values were counted too ${by > 0 ? "few" : "many"}`;
    print(`${nameOf(store)}, ${name}: ${found}${isMending ? "; mended" : ""}.`);
    if (isMending) await table.write(correctingSeveral(own, by, stale));
    return 1;
  }
  print(`${nameOf(store)}, ${name}: users with several values were not counted, because they change too fast.`);
  return 0;
}

function inspect(table: Table, store: StorePlace, { kind, name }: IndexedAttribute): AsyncIterable<InspectedRange> {
  return (kind === "time" ? inspectLogged : inspectIndex)(table, keysOf(store, name));
}

function mendRange(table: Table, store: StorePlace, { kind, name }: IndexedAttribute, text: string): Promise<void> {
  return (kind === "time" ? mendLoggedRange : mendIndexRange)(table, keysOf(store, name), text);
}

function keysOf({ tenant, userStore }: StorePlace, name: string) {
  return keys.userValues(tenant, userStore, name);
}
