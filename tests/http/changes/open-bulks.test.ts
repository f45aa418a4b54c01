/**
 * Versions and lists while a bulk membership of the tenant is committed and not carried out: its request has ended.
 */
import { describe, expect, test } from "vitest";
import type { Table } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { causedIn } from "#tests/support/caused.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, RFC7644, type Shown, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const MANY = 60;
const api = world({ deployment: RFC7644 });

const sent = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
};

/** The table of a request that ends before it carries out a part of a bulk. */
const ending = (): Table => {
  const table = tableOf(api.service);
  return causedIn(TENANT, "patchGroup", {
    ...table,
    async write(...steps) {
      const isPart = steps.some((step) => "remove" in step && step.remove.SK.startsWith("B#"));
      if (isPart) throw new Fault("service.unavailable", "The process has ended.");
      return table.write(...steps);
    },
  });
};
const newUsers = async (): Promise<readonly Shown[]> => {
  const Operations = Array.from({ length: MANY }, (_, at) => {
    const data = { schemas: [URN.user], userName: fresh("member") };
    return { method: "POST", path: "/Users", bulkId: `b${at}`, data };
  });
  const { Operations: done } = await sent("POST", "/scim2/Bulk", { schemas: [URN.bulk], Operations });
  const ids: readonly string[] = done.map(({ location }: Shown) => location.split("/").at(-1));
  return ids.map((id, at) => ({ id, userName: Operations[at]?.data.userName }));
};

/** An owner of members: its path, the list of them, and how they are added by a request that ends too early. */
const owners = {
  async group(users: readonly Shown[]) {
    const { id } = await sent("POST", "/scim2/Groups", { displayName: fresh("crew") });
    const adding = users.map((user) => ({ userId: user.id, name: user.userName, userName: user.userName }));
    const join = groupStore(ending()).update(TENANT, id, Date.now(), {
      prepare: async () => undefined,
      change: async (before) => ({ after: before, adding, removing: [] }),
    });
    await expect(join).rejects.toThrow("The process has ended");
    return { path: `/scim2/Groups/${id}`, list: "members" };
  },
  async role(users: readonly Shown[], kind: "user" | "group" = "user") {
    const { id } = await sent("POST", "/scim2/v2/Roles", { displayName: fresh("crew") });
    const adding = users.map((user) => ({ kind, id: user.id }) as const);
    const assigning = roleStore(ending()).update(TENANT, id, Date.now(), async (before) => {
      return { after: before, adding, removing: [] };
    });
    await expect(assigning).rejects.toThrow("The process has ended");
    return { path: `/scim2/v2/Roles/${id}`, list: "users" };
  },
};
const recordsOf = async (path: string): Promise<readonly Shown[]> => (await sent("GET", `${path}/history`)).records;
const countIn = (shown: Shown, list: string): number => (shown[list] ?? []).length;

describe.each(["group", "role"] as const)("of a %s", (kind) => {
  test("a version of one of its users is shown with the groups and roles of now", async () => {
    const users = await newUsers();
    const path = `/scim2/Users/${users[7]?.id}`;
    const [{ version } = { version: "" }] = await recordsOf(path);
    await owners[kind](users);
    const shown = await sent("GET", `${path}/history/${version}`);
    const now = await sent("GET", path);
    expect([shown.groups, shown.roles]).toEqual([now.groups, now.roles]);
    expect(countIn(shown, `${kind}s`)).toBe(1);
  });
  test("its own versions are shown with their members, also where none are asked for", async () => {
    const { path, list } = await owners[kind](await newUsers());
    const [joined, created] = await recordsOf(path);
    const shown = await sent("GET", `${path}/history/${created?.version}?attributes=displayName`);
    expect(shown.displayName).toContain("crew");
    expect(countIn(await sent("GET", `${path}/history/${created?.version}`), list)).toBe(0);
    expect(countIn(await sent("GET", `${path}/history/${joined?.version}`), list)).toBe(MANY);
  });
  test("its version before the bulk is restored", async () => {
    const { path, list } = await owners[kind](await newUsers());
    const [, created] = await recordsOf(path);
    await sent("POST", `${path}/history/${created?.version}/restore`);
    expect(countIn(await sent("GET", path), list)).toBe(0);
  });
});

describe("lists are filtered by what the bulk has assigned", () => {
  const idsIn = async (path: string, filter: string): Promise<readonly string[]> => {
    const { Resources = [] } = await sent("GET", `${path}?${new URLSearchParams({ filter })}`);
    return Resources.map(({ id }: Shown) => id);
  };
  test("roles by a user", async () => {
    const users = await newUsers();
    const { path } = await owners.role(users);
    expect(await idsIn("/scim2/v2/Roles", `users.value eq "${users[7]?.id}"`)).toEqual([path.split("/").at(-1)]);
  });
  test("groups by a member", async () => {
    const users = await newUsers();
    const { path } = await owners.group(users);
    expect(await idsIn("/scim2/Groups", `members.value eq "${users[7]?.id}"`)).toEqual([path.split("/").at(-1)]);
  });
  test("groups by a role, and roles by a group", async () => {
    const names = Array.from({ length: MANY }, () => fresh("crew"));
    const groups = await Promise.all(names.map((displayName) => sent("POST", "/scim2/Groups", { displayName })));
    const { path } = await owners.role(groups, "group");
    const roleId = path.split("/").at(-1);
    expect(await idsIn("/scim2/v2/Roles", `groups.value eq "${groups[7]?.id}"`)).toEqual([roleId]);
    const second = await owners.role(groups, "group");
    const found = await idsIn("/scim2/Groups", `roles.value eq "${second.path.split("/").at(-1)}"`);
    expect(found.toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
  });
});
