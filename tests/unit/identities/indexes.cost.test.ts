/** What the indexes of attributes add to the cost of writing a user. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const SHIPPED = declaredIndexes(shippedIndexes);
const NONE = declaredIndexes([]);
const profile: Resource = {
  externalId: "hr-1",
  displayName: "Kim Jensen",
  name: { familyName: "Jensen", givenName: "Kim" },
  emails: [{ value: "kim@x.test", type: "work" }],
  title: "Driver",
};

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
  // Containers have looked which indexes there are, and every index has its first range.
  for (const [tenant, declared] of [
    ["with.test", SHIPPED],
    ["without.test", NONE],
  ] as const) {
    const users = userStore(table.open(newMeter()), { declared });
    const { id } = await users.add(tenant, freshUser(newId(), "first.user", 1, { profile }));
    await users.update(tenant, id, (before) => ({ after: { ...before, active: false } }));
  }
});

/** Of six indexes; the two of times stand behind logs. tests/load/logged-index.test.ts has the moving of entries. */
const OF_VALUES = 6 * 4;
const OF_TIMES = 2 * 2;

/** The cost of the same write with the shipped indexes, and what the indexes add to it. */
const costs = async (
  write: (users: UserStore, tenant: string, user: User) => Promise<unknown>,
): Promise<{ readonly cost: Cost; readonly more: number; readonly moreTrips: number }> => {
  const [cost, bare] = [await costOf("with.test", SHIPPED, write), await costOf("without.test", NONE, write)];
  const moreTrips = cost.roundTrips - bare.roundTrips;
  return { cost, more: cost.writeUnits - bare.writeUnits, moreTrips };
};

const costOf = async (
  tenant: string,
  declared: typeof SHIPPED,
  write: (users: UserStore, tenant: string, user: User) => Promise<unknown>,
): Promise<Cost> => {
  const calm = userStore(table.open(newMeter()), { declared });
  const user = await calm.add(tenant, freshUser(newId(), `u.${newId()}`, 1, { profile }));
  const meter = newMeter();
  await write(userStore(table.open(meter), { declared }), tenant, user);
  return { ...meter.cost };
};

const changing =
  (more: Partial<User>) =>
  (users: UserStore, tenant: string, { id }: User): Promise<User> =>
    users.update(tenant, id, (before) => ({ after: { ...before, ...more } }));

describe("an index adds", () => {
  test("to a new user 4 write units, 2 behind a log, also where the user lacks the attribute, and no round trip", async () => {
    for (const given of [profile, {}]) {
      const { cost, more, moreTrips } = await costs((users, tenant) =>
        users.add(tenant, freshUser(newId(), `n.${newId()}`, 1, { profile: given })),
      );
      expect([cost.roundTrips, more, moreTrips]).toEqual([2, OF_VALUES + OF_TIMES, 0]);
      // Half a unit for each range.
      expect(cost.readUnits).toBe(0.5 + 6 * 0.5);
    }
  });

  test("to a change of another attribute nothing", async () => {
    const { cost, more, moreTrips } = await costs(changing({ profile: { ...profile, title: "Dispatcher" } }));
    expect([cost.roundTrips, more, moreTrips]).toEqual([2, 0, 0]);
  });

  test("behind a log to a change of its attribute 2 write units and no round trip", async () => {
    const { cost, more, moreTrips } = await costs(changing({ modifiedMs: 1_800_000_000_000 }));
    expect([cost.roundTrips, more, moreTrips]).toEqual([2, OF_TIMES / 2, 0]);
  });

  test("to a change of its attribute 4 to 8 write units and one round trip", async () => {
    const { cost, more, moreTrips } = await costs(
      changing({ profile: { ...profile, name: { familyName: "Nielsen", givenName: "Kim" } } }),
    );
    expect([cost.roundTrips, moreTrips]).toEqual([3, 1]);
    expect(more).toBeGreaterThanOrEqual(4);
    expect(more).toBeLessThanOrEqual(8);
  });

  test("to a rename nothing", async () => {
    const { more, moreTrips } = await costs((users, tenant, user) => {
      const userName = `renamed.${user.id}`;
      return users.update(tenant, user.id, (before) => ({ after: { ...before, userName } }), {
        userStore: PRIMARY,
        name: userName,
      });
    });
    expect([more, moreTrips]).toEqual([0, 0]);
  });

  test("to a removal 4 write units, 2 behind a log, and no round trip", async () => {
    const { cost, more, moreTrips } = await costs((users, tenant, { id }) =>
      users.remove(tenant, id, 2, { check: () => undefined, steps: () => [] }),
    );
    expect([cost.roundTrips, more, moreTrips]).toEqual([3, OF_VALUES + OF_TIMES, 0]);
  });
});
