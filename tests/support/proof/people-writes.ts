/** Random writes of users, groups and roles, by both versions of SCIM. */
import { URN } from "../scim.ts";
import { CORE as CORE1 } from "../scim1.ts";
import type { Pool, Realm, Write } from "./pool.ts";

const PERMISSIONS = ["internal_user_mgt_list", "internal_user_mgt_view", "internal_application_mgt_view"];
const FEW = 4;
/** More than one transaction holds. */
const MANY = 60;

type Json = Readonly<Record<string, unknown>>;

const patch = (...Operations: readonly Json[]) => ({ schemas: [URN.patch], Operations });
const values = (ids: readonly string[]) => ids.map((value) => ({ value }));

const userBody = (pool: Pool, isOld: boolean): Json => {
  const userName = pool.fresh("user");
  const body = {
    schemas: isOld ? [CORE1] : [URN.user],
    userName,
    name: { familyName: pool.fresh("family"), givenName: "G" },
    emails: [{ value: `${userName}@mail.example`, type: "work" }],
  };
  return {
    ...body,
    // Hashing takes time.
    ...(pool.chance(0.08) && { password: pool.secret() }),
    ...(pool.chance(0.3) && { externalId: pool.fresh("external") }),
    ...(!isOld &&
      pool.chance(0.3) && { [URN.enterprise]: { department: pool.fresh("department"), employeeNumber: "7" } }),
  };
};

const write = (
  realm: Realm,
  method: string,
  path: string,
  body: unknown,
  rest: Omit<Write, "method" | "path" | "ask">,
) => ({
  method,
  path: `${realm.prefix}${path}`,
  ask: { ...(body === undefined ? {} : { body }), ...(realm.as !== undefined && { as: realm.as }) },
  ...rest,
});

const pathOf = (isOld: boolean, kind: "Users" | "Groups") => `${isOld ? "/svc/scim" : "/scim2"}/${kind}`;

const newUser = (pool: Pool, realm: Realm): Write => {
  const isOld = pool.chance(0.3);
  return write(realm, "POST", pathOf(isOld, "Users"), userBody(pool, isOld), {
    isChange: true,
    after: ({ body }) => realm.users.push(body.id),
  });
};

const changeOfUser = (pool: Pool, realm: Realm): Write | undefined => {
  const id = pool.pick(realm.users);
  if (id === undefined) return undefined;
  const isOld = pool.chance(0.3);
  const path = `${pathOf(isOld, "Users")}/${id}`;
  const roll = pool.upTo(9);
  if (roll < 2) return write(realm, "PUT", path, userBody(pool, isOld), { isChange: true });
  if (isOld) return write(realm, "PATCH", path, { schemas: [CORE1], title: pool.fresh("title") }, { isChange: true });
  const operations: readonly Json[] = [
    { op: "replace", path: "name.familyName", value: pool.fresh("family") },
    { op: "add", path: "emails", value: [{ value: `${pool.fresh("more")}@mail.example`, type: "home" }] },
    { op: "add", path: "nickName", value: pool.fresh("nick") },
    { op: "replace", path: "userName", value: pool.fresh("renamed") },
    { op: "add", value: { title: pool.fresh("title"), [URN.enterprise]: { costCenter: pool.fresh("center") } } },
  ];
  if (roll === 2) {
    const off = { op: "replace", path: "active", value: pool.chance(0.5) };
    return write(realm, "PATCH", path, patch(off), { isChange: false });
  }
  if (roll === 3 && pool.chance(0.4)) {
    const password = { op: "replace", path: "password", value: pool.secret() };
    return write(realm, "PATCH", path, patch(password), { isChange: true });
  }
  if (roll === 4) return write(realm, "PATCH", path, patch({ op: "remove", path: "nickName" }), { isChange: false });
  return write(realm, "PATCH", path, patch(pool.pick(operations) ?? {}), { isChange: true });
};

const removed = (pool: Pool, realm: Realm, kind: "Users" | "Groups"): Write | undefined => {
  const id = pool.take(kind === "Users" ? realm.users : realm.groups);
  if (id === undefined) return undefined;
  return write(realm, "DELETE", `${pathOf(pool.chance(0.3), kind)}/${id}`, undefined, { isChange: true });
};

const members = (pool: Pool, realm: Realm) => values(pool.some(realm.users, pool.chance(0.05) ? MANY : FEW));

const newGroup = (pool: Pool, realm: Realm): Write => {
  const isOld = pool.chance(0.3);
  const body = {
    schemas: isOld ? [CORE1] : [URN.group],
    displayName: pool.fresh("group"),
    members: members(pool, realm),
    ...(!isOld && pool.chance(0.2) && { externalId: pool.fresh("external") }),
  };
  return write(realm, "POST", pathOf(isOld, "Groups"), body, {
    isChange: true,
    after: ({ body: { id } }) => realm.groups.push(id),
  });
};

const changeOfGroup = (pool: Pool, realm: Realm): Write | undefined => {
  const id = pool.pick(realm.groups);
  if (id === undefined) return undefined;
  const path = `/scim2/Groups/${id}`;
  const roll = pool.upTo(9);
  if (roll < 3) {
    return write(realm, "PATCH", path, patch({ op: "add", path: "members", value: members(pool, realm) }), {
      isChange: false,
    });
  }
  if (roll < 5) {
    const gone = pool.pick(realm.users);
    if (gone === undefined) return undefined;
    const remove = { op: "remove", path: `members[value eq "${gone}"]` };
    return write(realm, "PATCH", path, patch(remove), { isChange: false });
  }
  if (roll === 5) {
    const both = [
      { op: "replace", path: "displayName", value: pool.fresh("renamed") },
      { op: "replace", path: "members", value: members(pool, realm) },
    ];
    return write(realm, "PATCH", path, patch(...both), { isChange: true });
  }
  if (roll === 6) {
    const body = { schemas: [CORE1], displayName: pool.fresh("group"), members: members(pool, realm) };
    return write(realm, "PUT", `/svc/scim/Groups/${id}`, body, { isChange: true });
  }
  if (roll === 7) {
    const body = { schemas: [CORE1], members: members(pool, realm) };
    return write(realm, "PATCH", `/svc/scim/Groups/${id}`, body, { isChange: false });
  }
  const body = { schemas: [URN.group], displayName: pool.fresh("group"), members: members(pool, realm) };
  return write(realm, "PUT", path, body, { isChange: true });
};

const roleBody = (pool: Pool, realm: Realm) => ({
  displayName: pool.fresh("role"),
  permissions: values(pool.some(PERMISSIONS, 3)),
  users: members(pool, realm),
  groups: values(pool.some(realm.groups, 2)),
});

const newRole = (pool: Pool, realm: Realm): Write =>
  write(realm, "POST", "/scim2/v2/Roles", roleBody(pool, realm), {
    isChange: true,
    after: ({ body }) => realm.roles.push(body.id),
  });

const changeOfRole = (pool: Pool, realm: Realm): Write | undefined => {
  const id = pool.pick(realm.roles);
  if (id === undefined) return undefined;
  const path = `/scim2/v2/Roles/${id}`;
  const roll = pool.upTo(5);
  const operations: readonly Json[] = [
    { op: "add", path: "users", value: members(pool, realm) },
    { op: "replace", path: "permissions", value: values(pool.some(PERMISSIONS, 3)) },
    { op: "add", path: "groups", value: values(pool.some(realm.groups, 2)) },
    { op: "remove", path: `users[value eq "${pool.pick(realm.users)}"]` },
  ];
  const operation = operations[roll];
  if (operation) return write(realm, "PATCH", path, patch(operation), { isChange: false });
  if (roll === 4) {
    const rename = { op: "replace", path: "displayName", value: pool.fresh("renamed") };
    return write(realm, "PATCH", path, patch(rename), { isChange: true });
  }
  return write(realm, "PUT", path, roleBody(pool, realm), { isChange: true });
};

const removedRole = (pool: Pool, realm: Realm): Write | undefined => {
  const id = pool.take(realm.roles);
  if (id === undefined) return undefined;
  return write(realm, "DELETE", `/scim2/v2/Roles/${id}`, undefined, { isChange: true });
};

const bulk = (pool: Pool, realm: Realm): Write => {
  const isOld = pool.chance(0.3);
  const [first, second] = [pool.fresh("bulk"), pool.fresh("bulk")];
  const change = pool.pick(realm.users);
  const Operations = [
    { method: "POST", path: "/Users", bulkId: first, data: userBody(pool, isOld) },
    { method: "POST", path: "/Users", bulkId: second, data: userBody(pool, isOld) },
    ...(change === undefined || isOld
      ? []
      : [
          {
            method: "PATCH",
            path: `/Users/${change}`,
            bulkId: pool.fresh("bulk"),
            data: patch({ op: "add", path: "nickName", value: pool.fresh("nick") }),
          },
        ]),
    // Refused: it has no name.
    { method: "POST", path: "/Users", bulkId: pool.fresh("bulk"), data: { schemas: isOld ? [CORE1] : [URN.user] } },
  ];
  const body = isOld ? { schemas: [CORE1], Operations } : { schemas: [URN.bulk], Operations };
  return write(realm, "POST", `${isOld ? "/svc/scim" : "/scim2"}/Bulk`, body, {
    isChange: true,
    after({ body: answer }) {
      for (const { location, bulkId } of answer.Operations) {
        if ([first, second].includes(bulkId) && location) realm.users.push(location.split("/").at(-1));
      }
    },
  });
};

const ownEntry = (pool: Pool, realm: Realm): Write =>
  write(realm, "PATCH", "/scim2/Me", patch({ op: "add", path: "nickName", value: pool.fresh("nick") }), {
    isChange: true,
  });

/** Refused: a name that is taken, a user that does not exist, no right. */
const refused = (pool: Pool, realm: Realm): Write => {
  const roll = pool.upTo(2);
  const unknown = `/scim2/Users/00000000-0000-4000-8000-0000000000${10 + pool.upTo(80)}`;
  if (roll === 0)
    return write(realm, "POST", "/scim2/Users", { schemas: [URN.user], userName: "admin" }, { isChange: true });
  if (roll === 1) return write(realm, "DELETE", unknown, undefined, { isChange: true });
  const as = { ...realm, as: null };
  return write(as, "POST", "/scim2/Users", userBody(pool, false), { isChange: true });
};

/** Each with how often it is chosen. */
export const peopleWrites: readonly (readonly [number, (pool: Pool, realm: Realm) => Write | undefined])[] = [
  [14, newUser],
  [22, changeOfUser],
  [5, (pool, realm) => removed(pool, realm, "Users")],
  [5, newGroup],
  [14, changeOfGroup],
  [2, (pool, realm) => removed(pool, realm, "Groups")],
  [3, newRole],
  [7, changeOfRole],
  [1, removedRole],
  [4, bulk],
  [1, ownEntry],
  [3, refused],
];
