/**
 * Every change of a role, its permissions, a group's roles or a group's members takes effect on the next Basic request,
 * also in containers that have cached the roles. Their clocks stand still, so that no cached fact ends by its age.
 */
import { expect, test } from "vitest";
import { container } from "#tests/support/authorizer.ts";
import { addUser, idOf } from "#tests/support/people.ts";
import { URN } from "#tests/support/scim.ts";
import { basic, world } from "#tests/support/world.ts";

const api = world();
const ROLES = "/scim2/v2/Roles";
const VIEW = "internal_application_mgt_view";
const OTHER = "internal_user_mgt_list";
const password = "a-long-password";
const USERS_AT_ONCE = 45;
let made = 0;

interface Someone {
  readonly userId: string;
  readonly groupId: string;
  readonly username: string;
  /** A role with OTHER that the user has by its group. */
  readonly roleId: string;
}
type Change = (someone: Someone) => Promise<unknown>;

const sent = async (method: string, path: string, body?: unknown) => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const patch = (path: string, ...Operations: readonly unknown[]) =>
  sent("PATCH", path, { schemas: [URN.patch], Operations });
const refs = (...ids: readonly string[]) => ids.map((value) => ({ value }));
const newName = () => {
  made += 1;
  return `role-change-${made}`;
};
const newRole = async (more: Record<string, unknown>): Promise<string> =>
  (await sent("POST", ROLES, { displayName: newName(), ...more })).id;
const newUser = async () => {
  const username = newName();
  const { id } = await sent("POST", "/scim2/Users", { userName: username, password });
  return { id, username };
};
const newSomeone = async (): Promise<Someone> => {
  const { id: userId, username } = await newUser();
  const group = await sent("POST", "/scim2/Groups", { displayName: newName(), members: refs(userId) });
  const roleId = await newRole({ permissions: refs(OTHER), groups: refs(group.id) });
  return { userId, groupId: group.id, username, roleId };
};
const everyoneId = async (): Promise<string> =>
  (await sent("GET", `${ROLES}?filter=displayName+eq+everyone`)).Resources[0].id;

const gains: Record<string, Change> = {
  "its role gets a permission": ({ roleId }) =>
    patch(`${ROLES}/${roleId}`, { op: "add", path: "permissions", value: refs(VIEW) }),
  "its role is replaced": async ({ roleId, groupId }) =>
    sent("PUT", `${ROLES}/${roleId}`, {
      displayName: newName(),
      permissions: refs(OTHER, VIEW),
      groups: refs(groupId),
    }),
  "its group gets a role": async ({ groupId }) => {
    const id = await newRole({ permissions: refs(VIEW) });
    await patch(`${ROLES}/${id}`, { op: "add", path: "groups", value: refs(groupId) });
  },
  "a role is created with its group": ({ groupId }) => newRole({ permissions: refs(VIEW), groups: refs(groupId) }),
  "it gets a role": async ({ userId }) => {
    const id = await newRole({ permissions: refs(VIEW) });
    await patch(`${ROLES}/${id}`, { op: "add", path: "users", value: refs(userId) });
  },
  "it joins a group with a role": async ({ userId }) => {
    const group = await sent("POST", "/scim2/Groups", { displayName: newName() });
    await newRole({ permissions: refs(VIEW), groups: refs(group.id) });
    await patch(`/scim2/Groups/${group.id}`, { op: "add", path: "members", value: refs(userId) });
  },
  "everyone gets a permission": async () =>
    patch(`${ROLES}/${await everyoneId()}`, { op: "add", path: "permissions", value: refs(VIEW) }),
};

/** What gave the user the scope, and how it loses it. */
const losses: Record<string, readonly [Change, Change]> = {
  "its role loses the permission": [
    gains["its role gets a permission"] as Change,
    ({ roleId }) => patch(`${ROLES}/${roleId}`, { op: "replace", path: "permissions", value: refs(OTHER) }),
  ],
  "its group loses the role": [
    gains["its role gets a permission"] as Change,
    ({ roleId, groupId }) => patch(`${ROLES}/${roleId}`, { op: "remove", path: `groups[value eq "${groupId}"]` }),
  ],
  "its role is deleted": [
    gains["its role gets a permission"] as Change,
    ({ roleId }) => sent("DELETE", `${ROLES}/${roleId}`),
  ],
  "its group is deleted": [
    gains["its role gets a permission"] as Change,
    ({ groupId }) => sent("DELETE", `/scim2/Groups/${groupId}`),
  ],
  "its group of more members than a transaction changes is deleted": [
    async (someone) => {
      await gains["its role gets a permission"]?.(someone);
      const added = Array.from({ length: USERS_AT_ONCE + 5 }, () =>
        addUser(api.service, { username: newName(), password }),
      );
      const value = refs(...(await Promise.all(added)));
      await patch(`/scim2/Groups/${someone.groupId}`, { op: "add", path: "members", value });
    },
    ({ groupId }) => sent("DELETE", `/scim2/Groups/${groupId}`),
  ],
  "it leaves its group": [
    gains["its role gets a permission"] as Change,
    ({ userId, groupId }) => patch(`/scim2/Groups/${groupId}`, { op: "remove", path: `members[value eq "${userId}"]` }),
  ],
  "everyone loses the permission": [
    gains["everyone gets a permission"] as Change,
    async () => patch(`${ROLES}/${await everyoneId()}`, { op: "remove", path: "permissions" }),
  ],
};

/** Two containers, and what each decides about the next request of the user. */
const watch = async ({ username }: Someone) => {
  const containers = [container(api), container(api)];
  const look = () =>
    Promise.all(
      containers.map(async ({ ask }) => {
        const { context, cost } = await ask(basic({ username, password }));
        return { decision: context.decision, roundTrips: cost.roundTrips };
      }),
    );
  await look();
  return look;
};
const both = (decision: string) => [decision, decision];
const decisions = (looked: readonly { readonly decision: string | undefined }[]) => looked.map((one) => one.decision);

const check = async (someone: Someone, change: Change, from: string, to: string) => {
  const look = await watch(someone);
  const before = await look();
  expect(decisions(before)).toEqual(both(from));
  await change(someone);
  expect(decisions(await look())).toEqual(both(to));
  const after = await look();
  expect(decisions(after)).toEqual(both(to));
  // The facts are cached again, and then the sign-in is known.
  for (const { roundTrips } of [...before, ...after]) expect(roundTrips).toBeLessThanOrEqual(2);
  for (const { roundTrips } of await look()) expect(roundTrips).toBe(1);
};

test.each(Object.entries(gains))("a user has a scope as soon as %s", async (name, change) => {
  await check(await newSomeone(), change, "refuse", "allow");
  if (name.startsWith("everyone")) await losses["everyone loses the permission"]?.[1](await newSomeone());
});

test.each(Object.entries(losses))("a user has no scope any more as soon as %s", async (_, [gain, loss]) => {
  const someone = await newSomeone();
  await gain(someone);
  await check(someone, loss, "allow", "refuse");
});

test("a user gets and loses the full-access role at once", async () => {
  const admin = (await sent("GET", `${ROLES}?filter=displayName+eq+admin`)).Resources[0].id;
  expect(await idOf(api.service, "admin")).not.toBe("");
  const someone = await newSomeone();
  const give: Change = ({ groupId }) => patch(`${ROLES}/${admin}`, { op: "add", path: "groups", value: refs(groupId) });
  const take: Change = ({ groupId }) =>
    patch(`${ROLES}/${admin}`, { op: "remove", path: `groups[value eq "${groupId}"]` });
  await check(someone, give, "refuse", "allow");
  await check(someone, take, "allow", "refuse");
});

test("changes of others, and an unknown tenant, cost a sign-in no further round trip", async () => {
  const someone = await newSomeone();
  const look = await watch(someone);
  for (let again = 0; again < 2; again += 1) await newSomeone();
  await look();
  for (const { roundTrips } of await look()) expect(roundTrips).toBe(1);
  const { ask } = container(api);
  for (let again = 0; again < 2; again += 1) {
    const { context, cost } = await ask(basic({ username: `${someone.username}@nowhere.example`, password }));
    expect(context.decision).toBe("refuse");
    expect(cost.readUnits).toBeLessThan(20);
  }
});
