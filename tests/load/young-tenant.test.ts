/**
 * Creates of a tenant that has no users yet, by a model in which transactions on one item conflict. Files of this
 * directory have modules of their own, which its time and its ids need.
 */
import { afterEach, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { nameIndex } from "#core/database/table/name-index/name-index.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type ConflictModel, conflictModel } from "#tests/support/conflict-model.ts";
import { randomOf } from "#tests/support/random.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";

/** A test that hangs fails after this time. */
const HANGS_MS = 120_000;
const TENANT = "young";
const store = { tenant: TENANT, userStore: "PRIMARY", attributes: shippedIndexes };
const given = ["mi", "le", "dan", "so", "ka", "ri", "no", "el", "tom", "ay", "is", "jun", "per", "al", "bo", "ste"];
const family = ["kor", "van", "hel", "son", "ova", "bel", "ric", "tan", "mur", "dez", "lin", "gar", "esh", "ito"];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Everything that chooses by chance does so by this seed, ids too: with the model's time, each run is the same. */
const seeded = (seed: number): (() => number) => {
  const random = randomOf(seed);
  const next = (): number => random.upTo(1_000_000) / 1_000_000;
  vi.spyOn(Math, "random").mockImplementation(next);
  vi.spyOn(crypto, "getRandomValues").mockImplementation((bytes) => {
    if (bytes instanceof Uint8Array) for (let at = 0; at < bytes.length; at += 1) bytes[at] = random.upTo(256);
    return bytes;
  });
  return next;
};

/** A person with values for every index that is shipped. */
const personOf = (random: () => number, number: number) => {
  const part = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  const [first, last] = [`${part(given)}${part(family)}`, `${part(family)}${part(given)}`];
  const userName = `${first}.${last}${Math.floor(random() * 1e6).toString(36)}${number}`;
  return freshUser(newId(), userName, 1_000 + number, {
    profile: {
      externalId: `hr-${Math.floor(random() * 1e9)}`,
      displayName: `${first} ${last}`,
      name: { givenName: first, familyName: last },
      emails: [{ value: `${userName}@example.com`, type: "work" }],
    },
  });
};

/** Creates users, each after a pause. Returns the reasons of those that were not created. */
const createAll = (
  model: ConflictModel,
  random: () => number,
  { users, pauseMs }: { readonly users: number; readonly pauseMs: () => number },
): Promise<readonly string[]> =>
  model.run(async () => {
    const declared = declaredIndexes(shippedIndexes);
    // Loads the code that writes users: its time is not that of the model.
    await userStore(model.table, { declared }).add("another", personOf(random, 0));
    const open: Promise<unknown>[] = [];
    for (let number = 0; number < users; number += 1) {
      open.push(userStore(model.table, { declared }).add(TENANT, personOf(random, number)));
      await model.pause(pauseMs());
    }
    const settled = await Promise.allSettled(open);
    return settled.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  });

const rowsOf = async (model: ConflictModel, PK: string) => model.table.queryAll({ PK, limit: 10_000 });

/** Creates 300 users in an empty tenant, and 100 more. Returns the conflicts for each of the first and of the others. */
const createdInYoung = async (seed: number): Promise<readonly [number, number]> => {
  const random = seeded(seed);
  const model = conflictModel(random);
  const pauseMs = () => (-Math.log(1 - random()) * 1_000) / 300;
  expect(await createAll(model, random, { users: 300, pauseMs })).toEqual([]);
  const { conflicts } = model.counts;
  expect(conflicts / 300).toBeLessThan(20);
  expect(await createAll(model, random, { users: 100, pauseMs })).toEqual([]);
  const later = (model.counts.conflicts - conflicts) / 100;
  await model.run(async () => {
    expect(await nameIndex(model.table, keys.userNames(TENANT, "PRIMARY")).audit()).toEqual([]);
    expect(await nameIndex(model.table, keys.userNames(TENANT, "PRIMARY")).total()).toBe(400);
    expect(await indexProblems(model.table, store, model.rows(`T#${TENANT}#U#`))).toEqual([]);
  });
  vi.restoreAllMocks();
  return [conflicts / 300, later];
};

test("300 creates a second in a new tenant all succeed, and rarely meet once its ranges are spread", {
  timeout: HANGS_MS,
}, async () => {
  const found: (readonly [number, number])[] = [];
  for (const seed of [7, 17, 27]) found.push(await createdInYoung(seed));
  // Without spreading, each create met more than 50 others, and a third ended in 503. Where one range was spread at a
  // time, 5 to 34; now 2.3 to 5.1 with 79 of 80 seeds, and 7.7 with one. Another change may move a seed to such a run.
  const medianOf = (at: 0 | 1) => found.map((each) => each[at]).sort((one, other) => one - other)[1];
  expect(medianOf(0)).toBeLessThan(6.5);
  expect(medianOf(1)).toBeLessThan(3);
});

test("a tenant whose users come one after the other keeps one range of each index", async () => {
  const random = seeded(8);
  const model = conflictModel(random);
  expect(await createAll(model, random, { users: 20, pauseMs: () => 200 })).toEqual([]);
  expect(model.counts.conflicts).toBe(0);
  await model.run(async () => {
    const indexes = [
      keys.userNames(TENANT, "PRIMARY").ranges,
      ...shippedIndexes.map((name) => keys.userValues(TENANT, "PRIMARY", name).ranges),
    ];
    // The entries of times are in their logs.
    const most = (ranges: string) => (ranges.includes("#meta.") ? 0 : 1);
    for (const ranges of indexes) {
      expect([ranges, (await rowsOf(model, ranges)).length]).toEqual([ranges, most(ranges)]);
    }
  });
});
