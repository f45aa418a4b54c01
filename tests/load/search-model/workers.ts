/** Sixteen workers that change users at the same time, with faults: each knows what its users may be. */

import { keys } from "#core/database/table/keys.ts";
import { loggedLimitsOf } from "#core/database/table/logged-index/rows.ts";
import { tend } from "#core/database/table/logged-index/tending.ts";
import { indexContext } from "#core/database/table/name-index/name-index.ts";
import { nameKey } from "#core/database/table/name-index/name-key.ts";
import { locateRoom } from "#core/database/table/name-index/ranges.ts";
import { isStale, stale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import { valueIndex } from "#core/database/table/value-index/value-index.ts";
import { readAsides } from "#core/database/trash/aside-rows.ts";
import { changeUser } from "#core/directory/provisioning/users.ts";
import { restoreUser, userAside } from "#core/directory/restoring/user-restoring-store.ts";
import { freshUser, qualifiedName, type User } from "#core/directory/users/model.ts";
import { attributeOf, pairsOf } from "#core/directory/users/pairs.ts";
import { splitStore, withStore } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import type { Random } from "#tests/support/random.ts";
import { Killed } from "#tests/unit/identities/killed.support.ts";
import { type FaultCounts, faultyTable } from "./faults.ts";
import { changed, type Pending, type State, Tracked } from "./model.ts";
import { changesFrom, defined, manyNumbersFrom, profileFrom, userNameFrom } from "./people.ts";
import { storesOn, TENANT, usersOn, type World } from "./world.ts";

const MANY = "phoneNumbers.value";
/** Ranges of numbers that are folded together. */
const FOLDED = 12;
/** Users of a worker who have many phone numbers. */
const FEW = 2;
/** Chances of a fault at one of the writes of an operation. */
const FAULT = 0.15;
/** Changes did not happen where they end so. */
const refusals: ReadonlySet<string> = new Set(["scim.unique", "resource.contended", "request.invalid"]);

/** One worker. It changes its own users alone, so that it knows their order. */
export interface Worker {
  readonly random: Random;
  readonly own: string[];
  readonly removed: string[];
}

/** What the workers did. */
export interface Churn {
  readonly faults: FaultCounts;
  readonly operations: Map<string, number>;
}

type Operation = (world: World, worker: Worker, table: Table) => Promise<unknown> | undefined;

/** Records how a change ends. Other errors than faults are defects. */
const ending = async (
  { counts }: World,
  pending: Pending,
  doing: Promise<User | undefined>,
  tracked: Tracked,
): Promise<void> => {
  try {
    const user = await doing;
    if (user?.unsettled) counts.severalTransactions += 1;
    pending.done(user);
  } catch (error) {
    if (error instanceof Killed) return pending.doubtful();
    if (!(error instanceof Fault)) throw error;
    if (error.fault === "service.unavailable") return pending.doubtful();
    if (error.fault === "scim.not_found") {
      pending.refused();
      return tracked.decide(undefined);
    }
    if (!refusals.has(error.fault)) throw error;
    pending.refused();
  }
};

const trackedOf = ({ users }: World, id: string): Tracked => {
  const tracked = users.get(id);
  if (!tracked) throw new Error(`no user ${id}`);
  return tracked;
};

const mayExist = ({ states }: Tracked): boolean => states.some((state) => state !== undefined);

/** Changes one of the worker's users by what clients send. */
const change = (
  world: World,
  { random, own }: Worker,
  table: Table,
  members: (before: Resource, userStore: string) => Readonly<Record<string, Json | undefined>>,
  among: number = own.length,
): Promise<void> | undefined => {
  if (own.length === 0) return undefined;
  const tracked = trackedOf(world, random.of(own.slice(0, among)));
  const now = Date.now();
  const patched = (before: Resource): Resource => {
    const { userStore } = splitStore(String(before.userName));
    return defined(Object.entries({ ...before, ...members(before, userStore) }));
  };
  const pending = tracked.begin((state) => {
    if (!state) return undefined;
    const { id: _, userName, active, ...profile } = patched({ ...storedOf(state) });
    return changed(state, { userName: splitStore(String(userName)).name, active: active === true, profile }, now);
  });
  return ending(
    world,
    pending,
    changeUser(storesOn(world, table), { tenant: TENANT, now }, tracked.id, { change: patched }),
    tracked,
  );
};

const storedOf = (user: User): Resource => {
  const { id, active, profile } = user;
  return { id, userName: qualifiedName(user), active, ...profile };
};

const nothing = { check: () => undefined, steps: () => [] };

export const operations: readonly (readonly [name: string, weight: number, run: Operation])[] = [
  [
    "create",
    18,
    (world, { random, own }, table) => {
      const taken = random.chance(0.05) && own.length > 0 ? trackedOf(world, random.of(own)).states[0] : undefined;
      const user = freshUser(newId(), taken?.userName ?? userNameFrom(random, world.next()), Date.now(), {
        userStore: random.of(world.stores),
        active: !random.chance(0.1),
        profile: profileFrom(random),
      });
      const tracked = new Tracked(user.id, undefined);
      world.users.set(user.id, tracked);
      const pending = tracked.begin(() => user);
      return ending(world, pending, usersOn(world, table).add(TENANT, user), tracked).then(
        () => mayExist(tracked) && own.push(user.id),
      );
    },
  ],
  [
    "change",
    40,
    (world, worker, table) => {
      const changes = changesFrom(worker.random);
      return change(world, worker, table, () => changes);
    },
  ],
  [
    "change many numbers",
    4,
    (world, worker, table) => {
      const phoneNumbers = manyNumbersFrom(worker.random);
      // Of few users, so that most have many numbers already.
      return change(world, worker, table, () => ({ phoneNumbers }), FEW);
    },
  ],
  [
    "activate",
    6,
    (world, worker, table) => {
      const active = worker.random.chance(0.7);
      return change(world, worker, table, () => ({ active }));
    },
  ],
  [
    "rename",
    8,
    (world, worker, table) => {
      const name = userNameFrom(worker.random, world.next());
      return change(world, worker, table, (_, userStore) => ({ userName: withStore(userStore, name) }));
    },
  ],
  [
    "rename in case",
    3,
    (world, worker, table) =>
      change(world, worker, table, ({ userName }) => ({ userName: String(userName).toUpperCase() })),
  ],
  [
    "remove",
    10,
    (world, { random, own, removed }, table) => {
      if (own.length < 3) return undefined;
      const [id = ""] = own.splice(random.upTo(own.length), 1);
      const tracked = trackedOf(world, id);
      const doing = usersOn(world, table)
        .remove(TENANT, id, Date.now(), nothing)
        .then(() => undefined);
      const pending = tracked.begin(() => undefined);
      return ending(world, pending, doing, tracked).then(() => (tracked.isInDoubt ? own : removed).push(id));
    },
  ],
  ["restore", 4, (world, worker, table) => restore(world, worker, table)],
  [
    "tend",
    5,
    (world, { random }, table) => {
      const own = keys.userValues(TENANT, random.of(world.stores), random.of(["meta.created", "meta.lastModified"]));
      const limits = loggedLimitsOf({
        sealAt: 1 + random.upTo(20),
        leaseMs: 0,
        graceMs: 3_000,
        blockedMost: 20 + random.upTo(200),
        changesMost: 5 + random.upTo(40),
      });
      const tending = (on: Table) => unlessEnded(tend({ table: on, keys: own, limits }));
      return Promise.all([tending(table), tending(world.hostile())]);
    },
  ],
  [
    "fold values",
    5,
    (world, { random, own }, table) => {
      const { attributes } = world;
      // Numbers get many ranges, so that a change of many numbers needs several transactions.
      const isOfMany = attributes.includes(MANY) && random.chance(0.5);
      const id = own.length > 0 ? random.of(isOfMany ? own.slice(0, FEW) : own) : undefined;
      const user = id === undefined ? undefined : trackedOf(world, id).states[0];
      const name = isOfMany ? MANY : random.of(attributes.filter((one) => !one.startsWith("meta.")));
      const attribute = attributeOf(name);
      if (!user || !attribute) return undefined;
      const pairs = pairsOf(attribute, user);
      const some = isOfMany ? pairs.slice(0, FOLDED) : [random.of(pairs)];
      const splitAt = isOfMany ? 40 : 40 + random.upTo(2_000);
      const limits = { foldBytes: 1, splitAt: () => splitAt };
      const index = valueIndex(table, keys.userValues(TENANT, user.userStore, attribute.name), limits);
      // Makes room for pairs, which are not written.
      return unlessEnded(index.steps({ added: some, removed: [], several: 0 }, stale));
    },
  ],
  [
    "make room for names",
    4,
    (world, { random, own }, table) => {
      const user = own.length > 0 ? trackedOf(world, random.of(own)).states[0] : undefined;
      if (!user) return undefined;
      const splitAt = 40 + random.upTo(2_000);
      const context = indexContext(table, keys.userNames(TENANT, user.userStore), {
        splitBytes: 300 + random.upTo(3_000),
        widenAt: random.upTo(8),
        wide: { foldBytes: 1, splitAt: () => splitAt },
      });
      return unlessEnded(locateRoom(context, nameKey(user.userName), true));
    },
  ],
];

/** Work that no change depends on may end anywhere. */
const unlessEnded = async (doing: Promise<unknown>): Promise<void> => {
  try {
    await doing;
  } catch (error) {
    const isForeseen = error instanceof Killed || error instanceof Fault || isStale(error);
    if (!isForeseen && (error as Error).constructor.name !== "Moved") throw error;
  }
};

/** Takes a deleted user back. */
const restore = async (world: World, { random, own, removed }: Worker, table: Table): Promise<void> => {
  if (removed.length === 0) return;
  const [id = ""] = removed.splice(random.upTo(removed.length), 1);
  const tracked = trackedOf(world, id);
  const [aside] = await readAsides(world.calm(), TENANT, [{ type: "user", id }], Date.now());
  // A user whose creation was in doubt was never there.
  if (!aside) return;
  const user = await userAside(world.calm(), TENANT, aside);
  const nowMs = Date.now();
  const after: State = { ...user, modifiedMs: Math.max(nowMs, user.modifiedMs + 1) };
  const pending = tracked.begin(() => after);
  const absent = () => new Fault("scim.not_found", "It is restored already.");
  const allowed = Promise.resolve();
  const again = { tenant: TENANT, aside, name: undefined, nowMs, absent, user, declared: world.declared, allowed };
  await ending(
    world,
    pending,
    restoreUser(table, again).then(() => after),
    tracked,
  );
  (mayExist(tracked) ? own : removed).push(id);
};

const weights = operations.flatMap(([name, weight, run]) => Array.from({ length: weight }, () => ({ name, run })));

/** Has all workers do so many operations each. */
export const churn = async (
  world: World,
  workers: readonly Worker[],
  each: number,
  { faults, operations: counts }: Churn,
): Promise<void> => {
  await Promise.all(
    workers.map(async (worker) => {
      for (let turn = 0; turn < each; turn += 1) {
        const { name, run } = worker.random.of(weights);
        const table = world.hostile();
        const isFaulty = worker.random.chance(FAULT);
        const doing = run(world, worker, isFaulty ? faultyTable(table, worker.random, faults) : table);
        if (!doing) continue;
        await doing;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }),
  );
};
