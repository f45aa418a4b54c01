/**
 * Every kind of change of many members, killed after each of its writes: the next request sees the state before or
 * after it, its own change counts, and nothing is left once it is known that the change does not run any more.
 * `KILLS=all` combines every kill with everything that may be looked at first.
 */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { ABANDONED_MS } from "#core/directory/memberships/bulk-model.ts";
import { createRole } from "#core/directory/provisioning/roles.ts";
import { patchGroup, postGroup, putGroup, removeGroup } from "#core/directory/scim-api/v2/groups.ts";
import { patchRole, postRole, putRole, removeRole } from "#core/directory/scim-api/v2/roles.ts";
import type { Scim2Call } from "#core/directory/scim-api/v2/stores.ts";
import { removeUser } from "#core/directory/scim-api/v2/users.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { discrepancies } from "./audit.ts";
import { callOn, dyingTable, Killed, type Views, viewsOn } from "./killed.support.ts";
import { type Directory, faultOf, foundDirectory } from "./support.ts";

const TENANT = "killed";
const MANY = 100;
/** No change makes more than this many writes. */
const WRITES_MAX = 40;

let made: TestTable;
let table: Table;
let calm: Directory;
let views: Views;
/** Those whose membership changes, one of their number first; and one who is only met by the next change. */
let people: readonly string[];
let [next, first, last] = ["", "", ""];
beforeAll(async () => {
  made = await testTable();
  table = made.open(newMeter());
  ({ calm } = await foundDirectory(made, TENANT, 1));
  people = (await Promise.all(Array.from({ length: MANY }, (_, at) => calm.addUser(`p.${at}`)))).sort();
  [first = "", last = ""] = [people[0], people.at(-1)];
  next = await calm.addUser("next");
  views = viewsOn(table, TENANT);
}, 60_000);
afterEach(() => {
  vi.restoreAllMocks();
});

const values = (ids: readonly string[]) => ids.map((value) => ({ value }));
let names = 0;
const newName = (): string => {
  names += 1;
  return `name ${names}`;
};

/** A change of the members of a group or of the assignees of a role. */
interface Change {
  readonly of: "group" | "role";
  /** The members before; `undefined` for an owner that does not exist yet. */
  readonly before: () => readonly string[] | undefined;
  /** The members after; `undefined` for a deleted owner. */
  readonly after: () => readonly string[] | undefined;
  readonly send: (call: Scim2Call, id: string, displayName: string) => Promise<unknown>;
}
const patch = (path: string, op: string, ids: () => readonly string[]) => (call: Scim2Call, id: string) => {
  const body = { Operations: [{ op, path, value: values(ids()) }] };
  return path === "members" ? patchGroup(call, { id }, body, {}) : patchRole(call, { id }, body, {});
};
const half = () => people.slice(0, MANY / 2);
const others = () => people.slice(MANY / 2);

const changes: Readonly<Record<string, Change>> = {
  "a new group": {
    of: "group",
    before: () => undefined,
    after: () => people,
    send: (call, _, displayName) => postGroup(call, { displayName, members: values(people) }, {}),
  },
  "a PATCH that adds members": {
    of: "group",
    before: () => people.slice(0, 3),
    after: () => people,
    send: patch("members", "add", () => people),
  },
  "a PATCH that removes members": {
    of: "group",
    before: () => people,
    after: () => others(),
    send: patch("members", "remove", half),
  },
  "a PATCH that replaces members": {
    of: "group",
    before: half,
    after: others,
    send: patch("members", "replace", others),
  },
  "a PUT with another name and members": {
    of: "group",
    before: half,
    after: others,
    send: (call, id) =>
      putGroup(call, { id }, { displayName: newName(), externalId: "x", members: values(others()) }, {}),
  },
  "a PUT without members": {
    of: "group",
    before: () => people,
    after: () => [],
    send: (call, id) => putGroup(call, { id }, { displayName: newName() }, {}),
  },
  "the removal of a group": {
    of: "group",
    before: () => people,
    after: () => undefined,
    send: (call, id) => removeGroup(call, { id }),
  },
  "a new role": {
    of: "role",
    before: () => undefined,
    after: () => people,
    send: (call, _, displayName) => postRole(call, { displayName, users: values(people) }, {}),
  },
  "a PATCH that assigns a role": {
    of: "role",
    before: () => people.slice(0, 3),
    after: () => people,
    send: patch("users", "add", () => people),
  },
  "a PATCH that takes a role away": {
    of: "role",
    before: () => people,
    after: () => others(),
    send: patch("users", "remove", half),
  },
  "a PUT of a role with other users": {
    of: "role",
    before: half,
    after: others,
    send: (call, id) => putRole(call, { id }, { displayName: newName(), users: values(others()) }, {}),
  },
  "the removal of a role": {
    of: "role",
    before: () => people,
    after: () => undefined,
    send: (call, id) => removeRole(call, { id }),
  },
};

/** What is looked at first after a kill: each must be right without the others. */
const looks = ["the owner", "a list of users", "one user", "a filter", "the next change"] as const;
type Look = (typeof looks)[number];

const ownersBy = async (look: Look): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (look !== "one user") return views.listed();
  return new Map([[first, await views.ownersOf(first)], ...(await views.listed())]);
};

/** Creates the owner of a change in its state before. */
const prepare = async ({ of, before }: Change): Promise<string> => {
  const members = before();
  if (!members) return "";
  if (of === "group") return calm.addGroup(newName(), members);
  const context = { tenant: TENANT, now: Date.now() };
  return (await createRole(callOn(table, TENANT).stores, context, { displayName: newName(), users: values(members) }))
    .id;
};
/** Adds one member and removes another: a small change that is acknowledged after the kill. */
const changeNext = (call: Scim2Call, { of }: Change, id: string) => {
  const path = of === "group" ? "members" : "users";
  const Operations = [
    { op: "add", path, value: values([next]) },
    { op: "remove", path: `${path}[value eq "${last}"]` },
  ];
  return of === "group" ? patchGroup(call, { id }, { Operations }, {}) : patchRole(call, { id }, { Operations }, {});
};
const sorted = (ids: readonly string[]) => [...ids].sort();
const withNext = (members: readonly string[] | undefined) =>
  members && sorted([...members.filter((id) => id !== last), next]);
/** The id of the owner with a name; its own id where it has had one before. */
const idOf = async ({ of }: Change, id: string, displayName: string): Promise<string | undefined> => {
  if (id !== "") return id;
  if (of === "group") return (await calm.stores.groups.names(TENANT, "PRIMARY").find(displayName))?.id;
  return (await calm.stores.roles.all(TENANT)).find(({ name }) => name === displayName)?.id;
};

/** Does something once the request that began a bulk must have ended. */
const afterAWhile = async (doing: () => Promise<unknown>): Promise<void> => {
  const now = Date.now();
  vi.spyOn(systemClock, "now").mockImplementation(() => now + ABANDONED_MS + 1_000);
  await doing();
  vi.restoreAllMocks();
};

/** Kills a change after some writes, and looks at what is left. False when the change makes fewer writes. */
const killAndLook = async (change: Change, most: number, look: Look): Promise<boolean> => {
  const owner = await prepare(change);
  const displayName = newName();
  const dying = dyingTable(table, most);
  const ended = await change.send(callOn(dying.table, TENANT), owner, displayName).then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof Killed)) throw error;
      return "killed";
    },
  );
  const id = await idOf(change, owner, displayName);
  const owned = (owners: ReadonlyMap<string, readonly string[]>) =>
    sorted([...owners].flatMap(([userId, of]) => (of.includes(id ?? "-") ? [userId] : [])));
  const read = () => (change.of === "group" ? views.membersOf(id ?? "-") : views.assigneesOf(id ?? "-"));
  let states = [change.before(), change.after()].map((members) => members && sorted(members));

  if (look === "the next change") {
    const fault = await faultOf(changeNext(callOn(table, TENANT), change, id ?? "-"));
    expect([undefined, "scim.not_found"]).toContain(fault);
    if (fault) states = states.filter((members) => members === undefined);
    else states = states.filter((members) => members !== undefined).map(withNext);
  }
  const listed = look === "a list of users" || look === "one user" ? owned(await ownersBy(look)) : undefined;
  const filtered = look === "a filter" && change.of === "group" ? await views.usersIn(id ?? "-") : undefined;
  const members = await read();
  expect(states).toContainEqual(members);
  expect(listed ?? members ?? []).toEqual(members ?? []);
  expect(filtered ?? members ?? []).toEqual(members ?? []);
  expect(owned(await views.listed())).toEqual(members ?? []);
  if (change.of === "group" && members) {
    expect(await views.groupsWith(first)).toEqual(members.includes(first) ? [id] : []);
    expect((await calm.stores.groups.find(TENANT, id ?? ""))?.memberCount).toBe(members.length);
  }
  if (members === undefined && change.of === "group") await calm.removeGroup(await calm.addGroup(displayName, [first]));

  await afterAWhile(() => views.listed());
  expect(await discrepancies(made, TENANT)).toEqual([]);
  if (id !== undefined && members) {
    if (change.of === "group") await calm.removeGroup(id);
    else await calm.stores.roles.remove(TENANT, id, () => undefined);
  }
  return ended === "killed";
};

/** Each kill has one of the looks in turn, or all of them with `KILLS=all`. */
const isAll = process.env.KILLS === "all";

test.each(Object.entries(changes).map(([name, change], at) => ({ name, change, at })))(
  "$name, killed after each of its writes",
  async ({ change, at }) => {
    for (let most = 0; ; most += 1) {
      expect(most).toBeLessThan(WRITES_MAX);
      let isKilled = false;
      for (const look of isAll ? looks : looks.slice((at + most) % looks.length).slice(0, 1)) {
        isKilled = await killAndLook(change, most, look);
      }
      if (isKilled) continue;
      // One write would need no list of work.
      expect(most).toBeGreaterThan(1);
      return;
    }
  },
  120_000,
);

test("the removal of a user in many groups and with many roles, killed after each of its writes", async () => {
  const groupIds = await Promise.all(Array.from({ length: 60 }, (_, at) => calm.addGroup(`of many ${at}`)));
  const context = { tenant: TENANT, now: Date.now() };
  const { stores } = callOn(table, TENANT);
  const roles = await Promise.all(
    Array.from({ length: 30 }, (_, at) => createRole(stores, context, { displayName: `of many ${at}` })),
  );
  for (let most = 0; ; most += 1) {
    expect(most).toBeLessThan(WRITES_MAX);
    const userId = await calm.addUser("in.many", { externalId: "in many", password: "a-long-password" });
    for (const id of groupIds) await calm.join(id, userId);
    for (const { id } of roles) await patch("users", "add", () => [userId])(callOn(table, TENANT), id);
    const dying = dyingTable(table, most);
    const ended = await removeUser(callOn(dying.table, TENANT), { id: userId }).then(
      () => "done",
      (error: unknown) => error instanceof Killed,
    );
    const user = await calm.stores.users.find(TENANT, userId);
    expect([undefined, 60], "it has all of its groups or is deleted").toContain(user?.groupIds.length);
    if (user) await calm.removeUser(userId);
    await calm.removeUser(await calm.addUser("in.many"));
    await afterAWhile(() => views.listed());
    expect(await discrepancies(made, TENANT)).toEqual([]);
    const found = await calm.stores.groups.findMany(TENANT, groupIds);
    expect(new Set(found.map((group) => group?.memberCount))).toEqual(new Set([0]));
    if (ended !== "done") continue;
    expect(most).toBeGreaterThan(2);
    return;
  }
}, 240_000);
