/**
 * Two who change the same at once, pair by pair: whatever wins, both sides of a membership, the counts and the names fit
 * together, and nobody is told anything but what can be told to one who came second.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeGroup } from "#core/identities/provisioning/groups.ts";
import { pause } from "#core/platform/clock.ts";
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
/** Every test is about people and groups of its own. */
afterAll(async () => expect(await discrepancies(table, TENANT)).toEqual([]));

interface Cast {
  readonly userId: string;
  readonly userName: string;
  readonly groupId: string;
  /** Another member of the group. */
  readonly otherId: string;
}

/** What each of two ended with, begun at about the same time. */
const atOnce = async (one: () => Promise<unknown>, other: () => Promise<unknown>) => {
  const late = async (doing: () => Promise<unknown>) => {
    await pause(random() * 12);
    return faultOf(doing());
  };
  return Promise.all([late(one), late(other)]);
};

/** Plays a scene several times, in hostile weather, each time with others; then holds all that is kept against itself. */
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
    // What was shown half done is gone before the next ones are made.
    await pause(11);
  }
  expect(await discrepancies(table, TENANT)).toEqual([]);
};

const groupOf = (id: string) => calm.stores.groups.find(TENANT, id);

describe("a user joins", () => {
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

  test("while it is deleted: nobody is left behind", () =>
    rounds({}, async ({ userId, groupId, otherId }) => {
      const [joined, deleted] = await atOnce(
        () => hostile.join(groupId, userId),
        () => hostile.removeUser(userId),
      );
      expect([undefined, "request.invalid"]).toContain(joined);
      expect(deleted).toBeUndefined();
      expect(await calm.membersOf(groupId)).toEqual([otherId]);
    }));

  test("while the group is deleted: the user knows nothing of it", () =>
    rounds({}, async ({ userId, groupId }) => {
      const [joined, deleted] = await atOnce(
        () => hostile.join(groupId, userId),
        () => hostile.removeGroup(groupId),
      );
      expect([undefined, "scim.not_found"]).toContain(joined);
      expect(deleted).toBeUndefined();
      expect((await calm.stores.users.find(TENANT, userId))?.groupIds).toEqual([]);
    }));

  test("while another joins: both are in", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const more = await Promise.all(["a", "b"].map((name) => calm.addUser(`${name}.${round}`)));
      const ended = await atOnce(
        () => hostile.join(groupId, more[0] ?? ""),
        () => hostile.join(groupId, more[1] ?? ""),
      );
      expect(ended).toEqual([undefined, undefined]);
      expect(await calm.membersOf(groupId)).toEqual([userId, otherId, ...more].sort());
    }));

  test("while it is taken out: it is in or not, and counted once", () =>
    rounds({ isMember: true }, async ({ userId, groupId }) => {
      await atOnce(
        () => hostile.part(groupId, userId),
        () => hostile.join(groupId, userId),
      );
      expect((await groupOf(groupId))?.memberCount).toBe((await calm.membersOf(groupId)).length);
    }));
});

describe("a user goes", () => {
  test("from a group and for good at once", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const [, deleted] = await atOnce(
        () => hostile.part(groupId, userId),
        () => hostile.removeUser(userId),
      );
      expect(deleted).toBeUndefined();
      expect(await calm.membersOf(groupId)).toEqual([otherId]);
      expect((await groupOf(groupId))?.memberCount).toBe(1);
    }));

  test("with its group", () =>
    rounds({ isMember: true }, async ({ userId, groupId, otherId }) => {
      const ended = await atOnce(
        () => hostile.removeUser(userId),
        () => hostile.removeGroup(groupId),
      );
      expect(ended).toEqual([undefined, undefined]);
      expect((await calm.stores.users.find(TENANT, otherId))?.groupIds).toEqual([]);
    }));

  test("twice: the second finds nobody", () =>
    rounds({ isMember: true }, async ({ userId }) => {
      const ended = await atOnce(
        () => hostile.removeUser(userId),
        () => hostile.removeUser(userId),
      );
      expect(new Set(ended)).toEqual(new Set([undefined, "scim.not_found"]));
    }));
});

describe("a group is made", () => {
  test("of one who is deleted: without it, or not at all", () =>
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

  test("of one who is renamed: with the new name", () =>
    rounds({}, async ({ userId, userName }) => {
      const ended = await atOnce(
        () => hostile.addGroup(`Made ${round}`, [userId]),
        () => hostile.changeUser(userId, { userName: `${userName}.new` }),
      );
      expect(ended).toEqual([undefined, undefined]);
    }));

  test("by many under one name: one of them has it", async () => {
    database.set({ conflict: 0.1, heldMs: 3, lost: 0.1 });
    const members = [await calm.addUser("wanted.member")];
    const ended = await Promise.all(Array.from({ length: 20 }, () => faultOf(hostile.addGroup("Wanted", members))));
    expect(ended.filter((fault) => fault === undefined)).toHaveLength(1);
    expect(new Set(ended)).toEqual(new Set([undefined, "scim.unique"]));
  });

  test("by many with many joining: all of them are in", async () => {
    database.set({ conflict: 0.05, heldMs: 2, lost: 0.05 });
    const ids = await Promise.all(Array.from({ length: 15 }, (_, at) => calm.addUser(`crowd.${at}`)));
    const groupId = await calm.addGroup("Crowd");
    await Promise.all(ids.map((id) => hostile.join(groupId, id)));
    expect(await calm.membersOf(groupId)).toEqual(ids.toSorted());
    expect((await groupOf(groupId))?.memberCount).toBe(15);
  });
});

describe("in between", () => {
  test("a user who is renamed while its joining is decided joins under the new name", async () => {
    const [userId, groupId] = [await calm.addUser("between.one"), await calm.addGroup("Between one")];
    const membership = { replaces: false, joining: new Set([userId]), leaving: new Set<string>() };
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

  test("a group that is joined while a rename is decided shows the new name", async () => {
    const [userId, groupId] = [await calm.addUser("between.two"), await calm.addGroup("Between two")];
    await calm.stores.users.update(TENANT, userId, async (before) => {
      await calm.join(groupId, userId);
      return { after: { ...before, userName: "between.other" } };
    });
    const members = await calm.stores.groups.members(TENANT, groupId, 10);
    expect(members).toEqual([{ userId, name: "between.other" }]);
  });

  test("a member that a list of members does not show yet is neither forgotten nor kept", async () => {
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

  test("a whole list is put in place of what is there when it is written", async () => {
    const ids = await Promise.all(["a", "b", "c"].map((name) => calm.addUser(`between.list.${name}`)));
    const [first = "", second = "", third = ""] = ids;
    const groupId = await calm.addGroup("Between three", [first]);
    const membership = { replaces: true, joining: new Set([second]), leaving: new Set<string>() };
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

test("of two whole lists of members one wins", () =>
  rounds({ isMember: true }, async ({ userId, otherId, groupId }) => {
    const third = await calm.addUser(`third.${round}`);
    const ended = await atOnce(
      () => hostile.replaceMembers(groupId, [userId, third]),
      () => hostile.replaceMembers(groupId, [otherId]),
    );
    expect(ended).toEqual([undefined, undefined]);
    expect([[userId, third].sort(), [otherId]]).toContainEqual(await calm.membersOf(groupId));
  }));

test("a reading that shows half of a swap, with the right number of members, is not believed", async () => {
  const [staying, coming, leaving] = [
    await calm.addUser("half.staying"),
    await calm.addUser("half.coming"),
    await calm.addUser("half.leaving"),
  ];
  const groupId = await calm.addGroup("Half", [staying, leaving]);
  const { groups } = calm.stores;
  let readings = 0;
  const allMembers: typeof groups.allMembers = async (...asked) => {
    readings += 1;
    const members = await groups.allMembers(...asked);
    // `coming` is shown in place of `leaving`, as if the change that is asked for here had just happened.
    return readings > 1
      ? members
      : members.map((one) => (one.userId === leaving ? { userId: coming, name: "x" } : one));
  };
  const membership = { replaces: true, joining: new Set([staying, coming]), leaving: new Set<string>() };
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

test("of many who want one user name one has it", async () => {
  database.set({ conflict: 0.1, heldMs: 3, lost: 0.1 });
  const resource = { externalId: "wanted", emails: [{ value: "wanted@example.com" }] };
  const ended = await Promise.all(Array.from({ length: 25 }, () => faultOf(hostile.addUser("wanted.user", resource))));
  expect(ended.filter((fault) => fault === undefined)).toHaveLength(1);
  expect(new Set(ended)).toEqual(new Set([undefined, "scim.unique"]));
});

test("no answer that was lost does anything twice", async () => {
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
