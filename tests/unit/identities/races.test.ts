/**
 * Two concurrent changes of one resource, pair by pair: whichever commits first, both sides of a membership, the
 * tallies and the names are consistent, and the other change has one of its expected results.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeGroup } from "#core/directory/provisioning/groups.ts";
import { pause } from "#core/kernel/clock.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, type HostileDatabase, seeded } from "#tests/support/hostile-database.ts";
import { discrepancies } from "./audit.ts";
import { type Directory, faultOf, foundDirectory } from "./support.ts";

const TENANT = "races";
const ROUNDS = 4;
const random = seeded(7);

let table: TestTable;
let calm: Directory;
let hostile: Directory;
let database: HostileDatabase;
beforeAll(async () => {
  table = await testTable();
  ({ calm, hostile, database } = await foundDirectory(table, TENANT, 7));
});

let round = 0;
beforeEach(() => database.set(CALM));
/** Every test has users and groups of its own. */
afterAll(async () => expect(await discrepancies(table, TENANT)).toEqual([]));

interface Cast {
  readonly userId: string;
  readonly userName: string;
  readonly groupId: string;
  /** Another member of the group. */
  readonly otherId: string;
}

/** The results of two changes that begin at about the same time. */
const atOnce = async (one: () => Promise<unknown>, other: () => Promise<unknown>) => {
  const late = async (doing: () => Promise<unknown>) => {
    await pause(random() * 12);
    return faultOf(doing());
  };
  return Promise.all([late(one), late(other)]);
};

/** Runs a scenario several times on a hostile database, each time with other users and groups; then checks all rows. */
const rounds = async (
  { isMember = false }: { readonly isMember?: boolean },
  play: (cast: Cast) => Promise<void>,
): Promise<void> => {
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    round += 1;
    const userName = `user.${round}`;
    const [userId, otherId] = [await calm.addUser(userName), await calm.addUser(`other.${round}`)];
    const groupId = await calm.addGroup(`Group ${round}`, isMember ? [userId, otherId] : [otherId]);
    database.set({ conflict: 0.1, heldMs: 5, lost: 0.05, half: 0.5, halfMs: 10 });
    await play({ userId, userName, groupId, otherId });
    database.set(CALM);
    // No read of half a transaction is left for the next round.
    await pause(11);
  }
  expect(await discrepancies(table, TENANT)).toEqual([]);
};

const groupOf = (id: string) => calm.stores.groups.find(TENANT, id);

describe("a user is added to a group", () => {
  test("while it is renamed: the group shows the new name", () =>
    rounds({}, async ({ userId, groupId, userName }) => {
      const ended = await atOnce(
        () => hostile.join(groupId, userId),
        () => hostile.changeUser(userId, { userName: `${userName}.new` }),
      );
      expect(ended).toEqual([undefined, undefined]);
      const [member] = (await calm.stores.groups.members(TENANT, groupId, 10)).filter((one) => one.userId === userId);
      expect(member?.name).toBe(`${userName}.new`);
    }));

  test("while it is deleted: no membership is left", () =>
    rounds({}, async ({ userId, groupId, otherId }) => {
      const [joined, deleted] = await atOnce(
        () => hostile.join(groupId, userId),
        () => hostile.removeUser(userId),
      );
      expect([undefined, "request.invalid"]).toContain(joined);
      expect(deleted).toBeUndefined();
      expect(await calm.membersOf(groupId)).toEqual([otherId]);
    }));

  test("while the group is deleted: the user is in no group", () =>
    rounds({}, async ({ userId, groupId }) => {
      const [joined, deleted] = await atOnce(
        () => hostile.join(groupId, userId),
        () => hostile.removeGroup(groupId),
      );
      expect([undefined, "scim.not_found"]).toContain(joined);
      expect(deleted).toBeUndefined();
      expect((await calm.stores.users.find(TENANT, userId))?.groupIds).toEqual([]);
    }));

  test("while another user is added: both are members", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const more = await Promise.all(["a", "b"].map((name) => calm.addUser(`${name}.${round}`)));
      const ended = await atOnce(
        () => hostile.join(groupId, more[0] ?? ""),
        () => hostile.join(groupId, more[1] ?? ""),
      );
      expect(ended).toEqual([undefined, undefined]);
      expect(await calm.membersOf(groupId)).toEqual([userId, otherId, ...more].sort());
    }));

  test("while it is removed from it: it is a member or not, and counted correctly", () =>
    rounds({ isMember: true }, async ({ userId, groupId }) => {
      await atOnce(
        () => hostile.part(groupId, userId),
        () => hostile.join(groupId, userId),
      );
      expect((await groupOf(groupId))?.memberCount).toBe((await calm.membersOf(groupId)).length);
    }));
});

describe("a user is deleted", () => {
  test("while it is removed from a group", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const [, deleted] = await atOnce(
        () => hostile.part(groupId, userId),
        () => hostile.removeUser(userId),
      );
      expect(deleted).toBeUndefined();
      expect(await calm.membersOf(groupId)).toEqual([otherId]);
      expect((await groupOf(groupId))?.memberCount).toBe(1);
    }));

  test("while its group is deleted", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const ended = await atOnce(
        () => hostile.removeUser(userId),
        () => hostile.removeGroup(groupId),
      );
      expect(ended).toEqual([undefined, undefined]);
      expect((await calm.stores.users.find(TENANT, otherId))?.groupIds).toEqual([]);
    }));

  test("twice: the second request gets 404", () =>
    rounds({ isMember: true }, async ({ userId }) => {
      const ended = await atOnce(
        () => hostile.removeUser(userId),
        () => hostile.removeUser(userId),
      );
      expect(new Set(ended)).toEqual(new Set([undefined, "scim.not_found"]));
    }));
});

describe("a group is created", () => {
  test("with a user who is deleted: without that user, or not at all", () =>
    rounds({}, async ({ userId, otherId }) => {
      const name = `Made ${round}`;
      const [made, deleted] = await atOnce(
        () => hostile.addGroup(name, [userId, otherId]),
        () => hostile.removeUser(userId),
      );
      expect([undefined, "request.invalid"]).toContain(made);
      expect(deleted).toBeUndefined();
      const entry = await calm.stores.groups.names(TENANT, "PRIMARY").find(name.toLowerCase());
      expect(entry === undefined).toBe(made !== undefined);
      if (entry) expect(await calm.membersOf(entry.id)).toEqual([otherId]);
    }));

  test("with a user who is renamed: with the new name", () =>
    rounds({}, async ({ userId, userName }) => {
      const ended = await atOnce(
        () => hostile.addGroup(`Made ${round}`, [userId]),
        () => hostile.changeUser(userId, { userName: `${userName}.new` }),
      );
      expect(ended).toEqual([undefined, undefined]);
    }));

  test("by many writers under one name: one of them gets it", async () => {
    database.set({ conflict: 0.1, heldMs: 3, lost: 0.1 });
    const members = [await calm.addUser("wanted.member")];
    const ended = await Promise.all(Array.from({ length: 20 }, () => faultOf(hostile.addGroup("Wanted", members))));
    expect(ended.filter((fault) => fault === undefined)).toHaveLength(1);
    expect(new Set(ended)).toEqual(new Set([undefined, "scim.unique"]));
  });

  test("and gets many members concurrently: all of them are members", async () => {
    database.set({ conflict: 0.05, heldMs: 2, lost: 0.05 });
    const ids = await Promise.all(Array.from({ length: 15 }, (_, at) => calm.addUser(`member.${at}`)));
    const groupId = await calm.addGroup("Many");
    await Promise.all(ids.map((id) => hostile.join(groupId, id)));
    expect(await calm.membersOf(groupId)).toEqual(ids.toSorted());
    expect((await groupOf(groupId))?.memberCount).toBe(15);
  });
});

describe("between read and write", () => {
  test("a user who is renamed before it is added is a member with the new name", async () => {
    const [userId, groupId] = [await calm.addUser("between.one"), await calm.addGroup("Between one")];
    const membership = { replaces: false, adding: new Set([userId]), removing: new Set<string>() };
    await changeGroup(calm.stores, { tenant: TENANT, now: 1 }, groupId, {
      membership,
      // The user has been read by now.
      async change(before) {
        await calm.changeUser(userId, { userName: "between.renamed" });
        return { after: before, membership };
      },
    });
    const members = await calm.stores.groups.members(TENANT, groupId, 10);
    expect(members).toEqual([{ userId, name: "between.renamed" }]);
  });

  test("a group that a user is added to before a rename is written shows the new name", async () => {
    const [userId, groupId] = [await calm.addUser("between.two"), await calm.addGroup("Between two")];
    await calm.stores.users.update(TENANT, userId, async (before) => {
      await calm.join(groupId, userId);
      return { after: { ...before, userName: "between.other" } };
    });
    const members = await calm.stores.groups.members(TENANT, groupId, 10);
    expect(members).toEqual([{ userId, name: "between.other" }]);
  });

  test("a member that is added before a whole list is written is removed by it", async () => {
    const ids = await Promise.all(["a", "b", "c"].map((name) => calm.addUser(`between.half.${name}`)));
    const [first = "", second = "", third = ""] = ids;
    const [replaced, deleted] = [await calm.addGroup("Half one", [first]), await calm.addGroup("Half two", [first])];
    database.set({ half: 1, halfMs: 40 });
    await hostile.join(replaced, third);
    await hostile.replaceMembers(replaced, [second]);
    expect(await calm.membersOf(replaced)).toEqual([second]);
    await hostile.join(deleted, third);
    await hostile.removeGroup(deleted);
    expect(await calm.membersOf(deleted)).toEqual([]);
    expect((await calm.stores.users.find(TENANT, third))?.groupIds).toEqual([]);
    database.set(CALM);
    await pause(40);
  });

  test("a whole list replaces the members at the time of its write", async () => {
    const ids = await Promise.all(["a", "b", "c"].map((name) => calm.addUser(`between.list.${name}`)));
    const [first = "", second = "", third = ""] = ids;
    const groupId = await calm.addGroup("Between three", [first]);
    const membership = { replaces: true, adding: new Set([second]), removing: new Set<string>() };
    await changeGroup(calm.stores, { tenant: TENANT, now: 1 }, groupId, {
      membership,
      async change(before) {
        await calm.join(groupId, third);
        return { after: before, membership };
      },
    });
    expect(await calm.membersOf(groupId)).toEqual([second]);
  });
});

test("one of two concurrent whole lists of members wins", () =>
  rounds({ isMember: true }, async ({ userId, otherId, groupId }) => {
    const third = await calm.addUser(`third.${round}`);
    const ended = await atOnce(
      () => hostile.replaceMembers(groupId, [userId, third]),
      () => hostile.replaceMembers(groupId, [otherId]),
    );
    expect(ended).toEqual([undefined, undefined]);
    expect([[userId, third].sort(), [otherId]]).toContainEqual(await calm.membersOf(groupId));
  }));

test("a read of half of a swap, with the right number of members, is repeated", async () => {
  const [staying, coming, removing] = [
    await calm.addUser("half.staying"),
    await calm.addUser("half.coming"),
    await calm.addUser("half.removing"),
  ];
  const groupId = await calm.addGroup("Half", [staying, removing]);
  const { groups } = calm.stores;
  let readings = 0;
  const allMembers: typeof groups.allMembers = async (...asked) => {
    readings += 1;
    const members = await groups.allMembers(...asked);
    // The read returns `coming` instead of `removing`, as if the requested change had just happened.
    return readings > 1
      ? members
      : members.map((one) => (one.userId === removing ? { userId: coming, name: "x" } : one));
  };
  const membership = { replaces: true, adding: new Set([staying, coming]), removing: new Set<string>() };
  await changeGroup(
    { ...calm.stores, groups: { ...groups, allMembers } },
    { tenant: TENANT, now: Date.now() },
    groupId,
    {
      change: async (before) => ({ after: before, membership }),
      membership,
    },
  );
  expect(await calm.membersOf(groupId)).toEqual([staying, coming].sort());
  expect(readings).toBe(2);
});

test("one of many users gets a user name", async () => {
  database.set({ conflict: 0.1, heldMs: 3, lost: 0.1 });
  const resource = { externalId: "wanted", emails: [{ value: "wanted@example.com" }] };
  const ended = await Promise.all(Array.from({ length: 25 }, () => faultOf(hostile.addUser("wanted.user", resource))));
  expect(ended.filter((fault) => fault === undefined)).toHaveLength(1);
  expect(new Set(ended)).toEqual(new Set([undefined, "scim.unique"]));
});

test("a lost response applies no change twice", async () => {
  database.set({ lost: 0.4 });
  for (let at = 0; at < 4; at += 1) {
    const userId = await hostile.addUser(`lost.${at}`, { externalId: "lost", emails: [{ value: "lost@example.com" }] });
    const groupId = await hostile.addGroup(`Lost ${at}`, [userId], { externalId: `lost ${at}` });
    await hostile.changeUser(userId, { userName: `found.${at}`, externalId: "found" });
    await hostile.changeGroup(groupId, { displayName: `Found ${at}`, externalId: `found ${at}` });
    await hostile.part(groupId, userId);
    await hostile.join(groupId, userId);
    if (at % 2 === 0) await hostile.removeUser(userId);
    else await hostile.removeGroup(groupId);
  }
  expect(database.counts.lost).toBeGreaterThan(20);
});
