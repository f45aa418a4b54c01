/** The indexes of users: what writers of users keep, against the users. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Step, Table } from "#core/database/table/table.ts";
import { layout } from "#core/database/table/value-index/layout.ts";
import { comparePairs } from "#core/database/table/value-index/pair.ts";
import { valueIndex } from "#core/database/table/value-index/value-index.ts";
import { readAsides } from "#core/database/trash/aside-rows.ts";
import { restoreUser, userAside } from "#core/directory/restoring/user-restoring-store.ts";
import { type DeclaredIndexes, declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { settleIndexes } from "#core/directory/users/write-store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";
import { checkIndex } from "#tests/support/value-index.ts";
import { everything } from "./audit.ts";
import { dyingTable, Killed } from "./killed.support.ts";

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const calm = () => table.open(newMeter());
const opened = (declared: DeclaredIndexes | undefined, on: Table = calm()): UserStore =>
  userStore(on, { declared, deletedDays: 7 });
const readyIn = async (tenant: string, declared: DeclaredIndexes): Promise<readonly string[]> =>
  [...((await opened(declared).indexes(tenant, PRIMARY)?.ready()) ?? [])].sort();
const rowsOf = async (tenant: string) =>
  (await everything(table)).filter(({ PK, SK }) => PK.startsWith(keys.user(tenant, "").PK) && SK === "A");
const problemsIn = async (tenant: string, attributes: readonly string[] = shippedIndexes, userStore = PRIMARY) =>
  indexProblems(calm(), { tenant, userStore, attributes }, await rowsOf(tenant));
const nothing = { check: () => undefined, steps: () => [] };

/** A table that notes how many steps its transactions have. */
const counting = (on: Table): { readonly table: Table; readonly sizes: number[] } => {
  const sizes: number[] = [];
  const write: Table["write"] = (...steps) => {
    sizes.push(steps.length);
    return on.write(...steps);
  };
  return { table: { ...on, write }, sizes };
};

const NAMES = [
  "Smith",
  "smith",
  "Smythe",
  "Jones",
  "Élan",
  "e\u0301lan",
  "\u{1F600}",
  "x".repeat(800),
  "x".repeat(801),
];

const profileFrom = (random: Random): Resource => {
  const emails = Array.from({ length: random.upTo(4) }, () => ({
    value: `${random.of(["kim", "Kim", "lee", "max"])}@${random.of(["a.test", "b.test"])}`,
    ...(random.chance(0.7) && { type: random.of(["work", "Work", "home"]) }),
  }));
  return {
    ...(random.chance(0.8) && { name: { familyName: random.of(NAMES), givenName: random.of(NAMES) } }),
    ...(random.chance(0.5) && { displayName: random.of(NAMES) }),
    ...(random.chance(0.3) && { externalId: random.of(["A", "a", "b"]) }),
    ...(emails.length > 0 && { emails }),
  };
};

describe("writers at the same time", () => {
  const tenant = "random.test";

  test("leave every index as the users are", { timeout: 120_000 }, async () => {
    const random = randomOf(7);
    const ids: string[] = [];
    const writer = async (): Promise<void> => {
      const users = opened(declaredIndexes(shippedIndexes));
      for (let turn = 0; turn < 60; turn += 1) {
        const id = random.of([...ids, ""]);
        const profile = profileFrom(random);
        const kind = id === "" || ids.length < 20 ? 0 : random.upTo(10);
        if (kind < 4) {
          const user = freshUser(newId(), `user.${random.upTo(1_000_000)}`, turn, { profile });
          await users.add(tenant, user).then(() => ids.push(user.id), ignoreFault);
        } else if (kind < 8) {
          const name = `user.${random.upTo(1_000_000)}`;
          const userName = random.chance(0.3) ? { userName: name } : {};
          const isLoud = random.chance(0.1);
          const active = random.chance(0.8);
          await users
            .update(tenant, id, (before) => ({
              after: {
                ...before,
                profile,
                active,
                ...userName,
                // The same name in another case.
                ...(isLoud && { userName: before.userName.toUpperCase() }),
              },
            }))
            .catch(ignoreFault);
        } else if (kind < 9) {
          await users.remove(tenant, id, Date.now(), nothing).catch(ignoreFault);
        } else await again(tenant, id).catch(ignoreFault);
      }
    };
    await Promise.all(Array.from({ length: 6 }, writer));
    const rows = await rowsOf(tenant);
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.every(({ _x }) => _x instanceof Set && _x.size === shippedIndexes.length)).toBe(true);
    expect(await problemsIn(tenant)).toEqual([]);
    expect(await readyIn(tenant, declaredIndexes(shippedIndexes))).toEqual([...shippedIndexes].sort());
  });
});

/** Restores a deleted user. */
const again = async (tenant: string, id: string, declared = declaredIndexes(shippedIndexes)): Promise<void> => {
  const [aside] = await readAsides(calm(), tenant, [{ type: "user", id }], Date.now());
  if (!aside) return;
  await restoreUser(calm(), {
    tenant,
    aside,
    name: undefined,
    nowMs: Date.now(),
    absent: () => new Fault("scim.not_found", "It is restored already."),
    user: await userAside(calm(), tenant, aside),
    declared,
    allowed: Promise.resolve(),
  });
};

const ignoreFault = (error: unknown): void => {
  if (!(error instanceof Fault)) throw error;
};

describe("the indexes of a user store", () => {
  const userWith = (profile: Resource, more: Partial<User> = {}): User =>
    freshUser(newId(), `u.${newId()}`, 1, { profile, ...more });

  test("are ready at once where its first user comes with them", async () => {
    const tenant = "fresh.test";
    await opened(declaredIndexes(["displayName"])).add(tenant, userWith({ displayName: "A" }));
    await opened(declaredIndexes(["displayName", "active"])).add(tenant, userWith({}));
    expect(await readyIn(tenant, declaredIndexes(["displayName", "active"]))).toEqual(["displayName"]);
    expect(await readyIn(tenant, declaredIndexes(["active"]))).toEqual([]);
  });

  test("are not ready where it had users before", async () => {
    const tenant = "former.test";
    const former = await opened(undefined).add(tenant, userWith({ displayName: "A" }));
    const declared = declaredIndexes(["displayName"]);
    await opened(declared).add(tenant, userWith({ displayName: "B" }));
    expect(await readyIn(tenant, declared)).toEqual([]);
    expect(await problemsIn(tenant, ["displayName"])).toEqual([]);
    // A change of a user from before brings it into the indexes.
    const after = await opened(declared).update(tenant, former.id, (before) => ({
      after: { ...before, active: false },
    }));
    expect(after.indexed).toEqual(["displayName"]);
    expect(await problemsIn(tenant, ["displayName"])).toEqual([]);
  });

  test("are not ready any more once a container writes a user without them, even when they are declared again", async () => {
    const tenant = "undeclared.test";
    const [both, one] = [declaredIndexes(["displayName", "active"]), declaredIndexes(["active"])];
    const user = await opened(both).add(tenant, userWith({ displayName: "A" }));
    expect(await readyIn(tenant, both)).toEqual(["active", "displayName"]);
    await opened(one).update(tenant, user.id, (before) => ({ after: { ...before, active: false } }));
    expect(await readyIn(tenant, both)).toEqual(["active"]);
    expect(await problemsIn(tenant, ["displayName", "active"])).toEqual([]);
    expect((await opened(both).find(tenant, user.id))?.indexed).toEqual(["active"]);
  });

  test("keep a user whom a program changes that knows no declaration", async () => {
    const tenant = "program.test";
    const declared = declaredIndexes(["displayName", "emails.value"]);
    const user = await opened(declared).add(tenant, userWith({ displayName: "A" }));
    await opened(undefined).update(tenant, user.id, (before) => ({
      after: { ...before, profile: { displayName: "B", emails: [{ value: "b@x.test" }] } },
    }));
    expect((await opened(declared).find(tenant, user.id))?.indexed).toEqual(["displayName", "emails.value"]);
    expect(await problemsIn(tenant, declared.attributes)).toEqual([]);
    expect(await readyIn(tenant, declared)).toEqual(["displayName", "emails.value"]);
  });

  test("come to a user while it is changed, and the change knows it", async () => {
    const tenant = "overtaken.test";
    const declared = declaredIndexes(["displayName"]);
    const user = await opened(undefined).add(tenant, userWith({ displayName: "A" }));
    let attempts = 0;
    await opened(declared).update(tenant, user.id, async (before) => {
      attempts += 1;
      if (attempts === 1) await settleIndexes({ table: calm(), tenant, declared }, user.id);
      return { after: { ...before, profile: { displayName: "B" } } };
    });
    expect(attempts).toBe(2);
    expect(await problemsIn(tenant, ["displayName"])).toEqual([]);
    expect((await pairsAt(tenant, "displayName")).map(({ value }) => value)).toEqual(["b"]);
  });

  test("do not hold a deleted user, and hold a restored one", async () => {
    const tenant = "restored.test";
    const declared = declaredIndexes(shippedIndexes);
    const user = await opened(declared).add(tenant, userWith({ displayName: "A", emails: [{ value: "a@x.test" }] }));
    await opened(declared).remove(tenant, user.id, Date.now(), nothing);
    expect(await rowsOf(tenant)).toEqual([]);
    expect(await problemsIn(tenant)).toEqual([]);
    await again(tenant, user.id, declared);
    expect((await opened(declared).find(tenant, user.id))?.indexed).toEqual([...shippedIndexes].sort());
    expect(await problemsIn(tenant)).toEqual([]);
  });
});

describe("a change that is as large as it can be", () => {
  const tenant = "large.test";
  const attributes = [
    ...shippedIndexes,
    ...["nickName", "title", "userType", "locale", "timezone", "profileUrl", "preferredLanguage"],
    ...["department", "division", "costCenter"].map((name) => `${ENTERPRISE}:${name}`),
  ];
  const types = ["work", "home", "other"];
  const large = (mark: string, kinds: readonly string[]): Resource => ({
    externalId: mark,
    displayName: mark,
    name: { familyName: mark, givenName: mark },
    ...Object.fromEntries(attributes.slice(6, 13).map((name) => [name, `${mark}.${name}`])),
    [ENTERPRISE]: { department: mark, division: mark, costCenter: mark },
    emails: Array.from({ length: 15 }, (_, at) => `${String.fromCharCode(97 + at)}${mark}@x.test`).flatMap((value) =>
      kinds.map((type) => ({ value, type })),
    ),
  });
  const steps = (tag: string): Step[] =>
    Array.from({ length: 5 }, (_, at) => ({ put: { PK: `T#${tag}`, SK: `${at}` }, when: "any", otherwise: fail }));
  const fail = () => new Error("no condition");

  beforeAll(async () => {
    // Each address is in a range of its own.
    const pairs = Array.from({ length: 40_000 }, (_, at) => ({
      value: `${String.fromCharCode(97 + (at % 26))}${at}@x.test`,
      facet: "",
      id: newId(),
    })).sort(comparePairs);
    const on = calm();
    for (const put of layout(keys.userValues(tenant, PRIMARY, "emails.value"), pairs, 0)) {
      await on.write({ put, when: "any", otherwise: fail });
    }
  });

  test.each([
    ["15 addresses", ["work"]],
    ["15 addresses with three types each", types],
  ])("fits transactions: %s", { timeout: 60_000 }, async (_, kinds) => {
    const declared = declaredIndexes(attributes);
    const { table: on, sizes } = counting(calm());
    const users = opened(declared, on);
    const added = await users.add(tenant, freshUser(newId(), `large.${newId()}`, 1, { profile: large("a", kinds) }), {
      steps: steps(newId()),
    });
    const holding = async (id: string): Promise<readonly string[]> => {
      const index = (await pairsAt(tenant, "emails.value")).filter((pair) => pair.id === id);
      return index.map(({ value, facet }) => `${value} ${facet}`).sort();
    };
    const expected = (mark: string) =>
      (large(mark, kinds).emails as readonly { value: string; type: string }[])
        .map(({ value, type }) => `${value} ${type}`)
        .sort();
    expect(await holding(added.id)).toEqual(expected("a"));
    const updated = await users.update(tenant, added.id, (before) => ({
      after: { ...before, userName: `renamed.${newId()}`, profile: large("b", kinds), active: false },
      steps: steps(newId()),
    }));
    expect(await holding(added.id)).toEqual(expected("b"));
    const row = await users.find(tenant, updated.id);
    expect(row?.indexed).toEqual([...attributes].sort());
    expect(row?.unsettled).toBeUndefined();
    expect(row?.version).toBe(2);
    await users.remove(tenant, added.id, Date.now(), { ...nothing, steps: () => steps(newId()) });
    expect(await holding(added.id)).toEqual([]);
    await again(tenant, added.id, declared);
    expect(await holding(added.id)).toEqual(expected("b"));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(97);
    expect(
      await problemsIn(
        tenant,
        attributes.filter((name) => name !== "emails.value"),
      ),
    ).toEqual([]);
  });
});

describe("a user whose values do not fit one transaction", () => {
  const tenant = "many.test";
  const attribute = "phoneNumbers.value";
  const declared = declaredIndexes([attribute, "active"]);
  const numbers = (from: number) => ({
    phoneNumbers: Array.from({ length: 100 }, (_, at) => ({ value: String(1_000 + from + at * 3), type: "work" })),
  });
  const held = async () => (await pairsAt(tenant, attribute)).length;
  const fail = () => new Error("no condition");
  let foreign = 0;

  beforeAll(async () => {
    // Small ranges, so that each value needs steps of its own.
    const index = valueIndex(calm(), keys.userValues(tenant, PRIMARY, attribute), {
      foldBytes: 60,
      splitAt: () => 2,
    });
    for (let at = 0; at < 300; at += 1) {
      const pair = { value: String(1_000 + ((at * 7) % 300)), facet: "", id: newId() };
      await calm().write(...(await index.steps({ added: [pair], removed: [], several: 0 }, fail)));
    }
    foreign = await held();
  }, 60_000);

  test("comes into its indexes, changes there and leaves them in several", { timeout: 60_000 }, async () => {
    const { table: on, sizes } = counting(calm());
    const users = opened(declared, on);
    const user = await users.add(tenant, freshUser(newId(), "many", 1, { profile: numbers(0) }));
    expect(await held()).toBe(foreign + 100);
    await users.update(tenant, user.id, (before) => ({ after: { ...before, profile: numbers(1) } }));
    expect(await held()).toBe(foreign + 100);
    const row = await users.find(tenant, user.id);
    expect([row?.indexed, row?.unsettled, row?.version]).toEqual([["active", attribute], undefined, 2]);
    await users.remove(tenant, user.id, Date.now(), nothing);
    expect(await held()).toBe(foreign);
    await again(tenant, user.id, declared);
    expect(await held()).toBe(foreign + 100);
    expect(sizes.length).toBeGreaterThan(8);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(97);
  });

  test("is brought into them by its next change, where the process ends in between", { timeout: 60_000 }, async () => {
    const user = freshUser(newId(), "half", 1, { profile: numbers(2) });
    const before = await held();
    const dying = opened(declared, dyingTable(calm(), 2).table).add(tenant, user);
    await expect(dying).rejects.toThrow(Killed);
    const row = await opened(declared).find(tenant, user.id);
    expect(Object.keys(row?.unsettled ?? {})).toEqual([attribute]);
    expect(await held()).toBeGreaterThan(before);
    await opened(declared).update(tenant, user.id, (found) => ({ after: { ...found, active: false } }));
    expect(await held()).toBe(before + 100);
    expect(await problemsIn(tenant, ["active"])).toEqual([]);
  });
});

const pairsAt = async (tenant: string, attribute: string) =>
  (await checkIndex(calm(), keys.userValues(tenant, PRIMARY, attribute))).pairs;
