/**
 * Lists of users while one comes, goes or changes between two reads of the list: whoever stays as it is, is on exactly
 * one page, also where the count that was read is not that of the entries any more.
 */
import { beforeAll, expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { newId } from "#core/kernel/ids.ts";
import { listAfter } from "#core/scim/listing/list.ts";
import type { Position, Source } from "#core/scim/listing/source.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Ask, queryOf } from "./values.support.ts";

const TENANT = "first.test";
const COUNT = 130;
/** Reads of a list, at each of which something happens once. */
const READS = 7;
const declared = declaredIndexes([...shippedIndexes, "userName"]);

let table: TestTable;
let users: UserStore;
/** Those who are there all the time. */
let staying: readonly string[] = [];
let number = 0;

const userAt = (name: string, at: number): User =>
  freshUser(newId(), name, 1, {
    profile: {
      title: "Driver",
      name: { familyName: `Family ${at % 40}`, ...(at % 4 !== 0 && { givenName: `Given ${at}` }) },
    },
  });

beforeAll(async () => {
  table = await testTable();
  users = userStore(table.open(newMeter()), { declared });
  const all = Array.from({ length: COUNT }, (_, at) => userAt(`name.${(at * 37) % 997}`, at));
  for (const user of all) await users.add(TENANT, user);
  staying = all.map(({ id }) => id);
}, 60_000);

/** What happens between two reads. Each comes first in every order. */
const events: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  async "one comes"() {
    const user = userAt(`a.${number}`, 1);
    return async () => {
      await users.add(TENANT, { ...user, profile: { title: "Driver", name: { familyName: "A", givenName: "A" } } });
    };
  },
  async "one comes without a value"() {
    const user = userAt(`a.${number}`, 1);
    return async () => {
      await users.add(TENANT, { ...user, profile: { title: "Driver" } });
    };
  },
  async "one goes"() {
    const { id } = await users.add(TENANT, userAt(`a.${number}`, 4));
    return () => users.remove(TENANT, id, 2, { check: () => undefined, steps: () => [] });
  },
  async "one loses its value"() {
    const { id } = await users.add(TENANT, userAt(`a.${number}`, 1));
    return async () => {
      await users.update(TENANT, id, (before) => ({ after: { ...before, profile: { title: "Driver" } } }));
    };
  },
};

/** A table of a request, at one of whose reads something happens first. */
const interrupted = (on: Table, at: number, event: () => Promise<void>): Table => {
  let reads = 0;
  const reading = async <R>(read: () => Promise<R>): Promise<R> => {
    reads += 1;
    if (reads === at) await event();
    return read();
  };
  return {
    ...on,
    get: (...asked) => reading(() => on.get(...asked)),
    getMany: (...asked) => reading(() => on.getMany(...asked)),
    query: (...asked) => reading(() => on.query(...asked)),
    queryAll: (...asked) => reading(() => on.queryAll(...asked)),
  };
};

const sourceOn = (on: Table): Source<User> => {
  const own = userStore(on, { declared });
  return {
    nameAttribute: "userName",
    index: own.names(TENANT, PRIMARY),
    indexes: own.indexes(TENANT, PRIMARY),
    readMany: (ids, options) => own.findMany(TENANT, ids, options),
    keyOf: ({ userName }) => foldName(userName),
    resourcesOf: async (items) => items.map(({ profile, active, userName }) => ({ ...profile, active, userName })),
    canLookUp: () => false,
    lookUp: async () => [],
  };
};

const asks: readonly Ask[] = [
  {},
  { sortBy: "userName", sortOrder: "descending" },
  { filter: 'userName sw "n"' },
  { filter: 'title eq "Driver"' },
  { filter: 'userName sw "n" and title eq "Driver"' },
  { filter: "name.familyName pr" },
  { filter: 'name.familyName sw "family"', sortBy: "userName" },
  { sortBy: "name.givenName" },
  { sortBy: "name.givenName", sortOrder: "descending" },
  { filter: "active eq true", sortBy: "name.givenName" },
];

test.each(asks)(
  "show who stays exactly once, whatever happens between two reads: %j",
  { timeout: 120_000 },
  async (ask) => {
    for (const event of Object.values(events)) {
      for (let at = 1; at <= READS; at += 1) {
        number += 1;
        const on = interrupted(table.open(newMeter()), at, await event());
        const times = new Map<string, number>();
        let place: Position | undefined;
        // The first page holds all of them, if nothing happens.
        const total = (await users.names(TENANT, PRIMARY).total()) + Number(at % 2);
        do {
          const page = await listAfter([sourceOn(on)], queryOf(ask), place, total);
          for (const { id } of page.items) times.set(id, (times.get(id) ?? 0) + 1);
          place = page.next;
        } while (place);
        expect(staying.filter((id) => times.get(id) !== 1)).toEqual([]);
      }
    }
  },
);
