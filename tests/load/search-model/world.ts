/** The tenant of a model: its table, plain and hostile, its users as they are loaded, and the calls that list them. */

import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { wideLayout } from "#core/database/table/name-index/wide-layout.ts";
import { compareKeys, type Item, type Table } from "#core/database/table/table.ts";
import { listUsers as listFirst } from "#core/directory/scim-api/v1/list.ts";
import { listUsers } from "#core/directory/scim-api/v2/list.ts";
import { type DeclaredIndexes, declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { lookupSteps } from "#core/directory/users/lookup-rows.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/rows.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type HostileDatabase, hostileDatabase, type Odds } from "#tests/support/hostile-database.ts";
import { loadInto } from "#tests/support/load.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { callOn } from "#tests/unit/identities/killed.support.ts";
import { directory } from "#tests/unit/identities/support.ts";
import type { Ask } from "./asks.ts";
import { Tracked } from "./model.ts";
import { profileFrom, userNameFrom } from "./people.ts";

export const TENANT = "model.test";
/** Loaded users were created in the year before. */
const BEGAN_MS = Date.UTC(2025, 0);
const BETWEEN_MS = 700_000;
const LOADED = 0.9;
const CREATORS = 16;
const MEMBERS_AT_ONCE = 20;

/** User stores, in the order of lists. */
const STORES = [PRIMARY, "EMEA"] as const;

/** What DynamoDB does to writers and readers between checkpoints. */
export const HOSTILE: Odds = { conflict: 0.03, throttle: 0.005, half: 0.3, halfMs: 30, lost: 0.02, heldMs: 2 };

export interface World {
  /** Those that have an index: the shipped ones, and in some worlds `userName` or `phoneNumbers.value`. */
  readonly attributes: readonly string[];
  /** The user stores, in the order of lists. */
  readonly stores: readonly string[];
  readonly declared: DeclaredIndexes;
  readonly table: TestTable;
  readonly database: HostileDatabase;
  /** All users that there are or were. */
  readonly users: Map<string, Tracked>;
  readonly groups: readonly string[];
  /** Answered changes that needed more than one transaction. */
  readonly counts: { severalTransactions: number };
  /** A table of a new request, without faults. */
  calm(): Table;
  /** The same on the hostile database. */
  hostile(): Table;
  /** A number that no other call gets. */
  next(): number;
}

/** The users of a request. */
export const usersOn = ({ declared }: Pick<World, "declared">, table: Table): UserStore =>
  userStore(table, { declared, deletedDays: 7 });

/** What changes of users by clients read and write. */
export const storesOn = ({ stores, declared }: Pick<World, "stores" | "declared">, table: Table) => ({
  ...directory(() => table, TENANT).stores,
  users: usersOn({ declared }, table),
  userStores: stores,
});

/** A page of a list, by ids and as it shows users. */
export interface Shown {
  readonly total: number;
  readonly users: readonly Resource[];
  readonly next: string | undefined;
}

/** Lists users by a new request. */
export const listOn = async (
  world: Pick<World, "declared" | "stores">,
  table: Table,
  { version, ...ask }: Ask,
  page: Resource,
): Promise<Shown> => {
  const plain = callOn(table, TENANT);
  const call = { ...plain, stores: { ...plain.stores, userStores: world.stores, users: usersOn(world, table) } };
  if (version === 2) {
    const { totalResults: total, Resources: users, nextCursor: next } = await listUsers(call, { ...ask, ...page });
    return { total, users: users as readonly Resource[], next };
  }
  const stores = {
    ...call.stores,
    isAdministrator: async () => false,
    dialect: { showsUsername: false, needsPassword: false, requiresIfMatch: false, listsWhole: true },
  } as const;
  const { totalResults, Resources } = await listFirst({ ...call, stores }, { ...ask, ...page });
  return { total: totalResults, users: Resources as readonly Resource[], next: undefined };
};

/** Opens a world with so many users: a part is loaded as rows with full ranges, the others are created one by one. */
export const openWorld = async (
  seed: number,
  count: number,
  { isWide, storeCount }: { readonly isWide: boolean; readonly storeCount: number },
): Promise<World> => {
  const stores = STORES.slice(0, storeCount);
  const attributes = [
    ...shippedIndexes,
    ...(isWide ? [] : ["userName"]),
    ...(stores.length > 1 ? ["phoneNumbers.value"] : []),
  ];
  const declared = declaredIndexes(attributes);
  const table = await testTable();
  const database = hostileDatabase(seed, HOSTILE);
  const client = { ...table.client, transport: database.transport };
  const opened = table.reopen({ deadlineMs: 20_000, client });
  const random = randomOf(seed);
  let number = 0;
  const next = (): number => {
    number += 1;
    return number;
  };
  const calm = (): Table => table.open(newMeter());
  const userAt = (id: string, createdMs: number): User =>
    freshUser(id, userNameFrom(random, next()), createdMs, {
      userStore: random.of(stores),
      active: !random.chance(0.1),
      profile: profileFrom(random),
    });
  const loaded = isWide ? Math.floor(count * LOADED) : 0;
  const users = Array.from({ length: loaded }, (_, at): User => {
    const createdMs = BEGAN_MS + (at >> 1) * BETWEEN_MS;
    const user = userAt(idOf(random, createdMs), createdMs);
    return { ...user, modifiedMs: createdMs + random.upTo(3) * 86_400_000, indexed: [...attributes].sort() };
  });
  if (loaded > 0) await loadInto(table, await rowsOf(users, stores, attributes));
  const all = new Map(users.map((user) => [user.id, user]));
  const rest = Array.from({ length: count - loaded }, () => userAt(newId(), Date.now())).values();
  // The first founds the store.
  const create = async (user: User) => all.set(user.id, await usersOn({ declared }, calm()).add(TENANT, user));
  const first = rest.next().value;
  if (first) await create(first);
  await Promise.all(
    Array.from({ length: CREATORS }, async () => {
      for (const user of rest) await create(user);
    }),
  );
  const groups = await foundGroups(table, random, all);
  return {
    attributes,
    stores,
    declared,
    table,
    database,
    users: new Map([...all].map(([id, user]) => [id, new Tracked(id, user)])),
    groups,
    counts: { severalTransactions: 0 },
    calm,
    hostile: () => opened(newMeter()),
    next,
  };
};

/** An id as those of users are: of a time, and random in its second half. */
const idOf = (random: Random, ms: number): string => {
  const hex = (digits: number) =>
    random
      .upTo(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
};

const rowsOf = async (
  users: readonly User[],
  stores: readonly string[],
  attributes: readonly string[],
): Promise<readonly Item[]> => {
  const { indexItems } = await import("#tools/bench/loading.ts");
  const used = () => new Error("the table is empty");
  return [
    ...users.map((user) => userItem(TENANT, user)),
    ...users.flatMap((user) =>
      lookupSteps(TENANT, user.id, { after: user }, used).flatMap((step) => ("put" in step ? [step.put] : [])),
    ),
    ...stores.flatMap((userStore) => {
      const own = users.filter((user) => user.userStore === userStore);
      const entries = own.map(({ userName, id }) => ({ key: foldName(userName), id }));
      return [
        ...wideLayout(
          keys.userNames(TENANT, userStore),
          entries.sort((a, b) => compareKeys(a.key, b.key)),
        ),
        ...indexItems({ tenant: TENANT, userStore, attributes, users: () => own }),
      ];
    }),
  ];
};

/** Two groups, of many users and of few. */
const foundGroups = async (table: TestTable, random: Random, all: Map<string, User>): Promise<readonly string[]> => {
  const own = directory(table.open, TENANT);
  // A group has members of its own user store.
  const ids = [...all.values()].flatMap(({ id, userStore }) => (userStore === PRIMARY ? [id] : []));
  const some = (share: number): readonly string[] => ids.filter(() => random.chance(share)).slice(0, 1_500);
  const groups: string[] = [];
  for (const [name, share] of [
    ["Many", 0.4],
    ["Few", 0.03],
  ] as const) {
    const members = some(share);
    const id = await own.addGroup(name);
    groups.push(id);
    for (let at = 0; at < members.length; at += MEMBERS_AT_ONCE) {
      const some = members.slice(at, at + MEMBERS_AT_ONCE);
      await own.join(id, ...some);
      const read = await usersOn({ declared: declaredIndexes([]) }, table.open(newMeter())).findMany(TENANT, some);
      for (const user of read) if (user) all.set(user.id, user);
    }
  }
  return groups;
};
