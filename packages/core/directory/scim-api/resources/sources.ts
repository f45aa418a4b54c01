/** Users and groups as sources of lists: their name index, lookups, member lists, and what filters evaluate. */

import { withStore } from "../../../kernel/domain/username.ts";
import { foldName } from "../../../kernel/fold.ts";
import type { ExternalList, MemberList, Source } from "../../../scim/listing/source.ts";
import { type Compare, pathName } from "../../../scim/protocol/filter/bound.ts";
import type { AttributePath } from "../../../scim/protocol/schema/paths.ts";
import type { Group } from "../../groups/model.ts";
import type { Member } from "../../memberships/membership.ts";
import { settleGroups } from "../../provisioning/open-bulks.ts";
import type { User } from "../../users/model.ts";
import type { UserStore } from "../../users/store.ts";
import type { ScimCall } from "./call.ts";
import { groupResource, userResource } from "./present.ts";
import { groupIdsOf, type Named, namedUsers, settledBulks } from "./show.ts";
import { membersOfAll, roleNamesOf } from "./show-groups.ts";

/** The length of a time with milliseconds, without its zone. */
const MILLISECONDS = "2024-05-13T04:42:34.000".length;

/** The users of one store. */
export function userSource(
  call: ScimCall,
  userStore: string,
  idsBy: UserStore["idsBy"] = call.stores.users.idsBy,
): Source<User> {
  const { stores, tenant } = call;
  const { users } = stores;
  const external = externalUsers(call, userStore);
  const lookedUp = ["id", "externalId", "groups.value", "groups.display"];
  return {
    external,
    nameAttribute: "userName",
    index: users.names(tenant, userStore),
    indexes: users.indexes(tenant, userStore),
    keyOf: ({ userName }) => foldName(userName),

    async readMany(ids, options) {
      const found = await users.findMany(tenant, ids, { ...options, userStore });
      return found.map((user) => (user?.userStore === userStore ? user : undefined));
    },

    async resourcesOf(items, attributes) {
      const isNamed = readsAny(attributes, "groups", "roles");
      const { users: shown, names } = isNamed ? await namedUsers(call, items) : { users: items, names: new Map() };
      const bare = bareNames(shown, names, userStore);
      const hasAudienceParts = stores.dialect.showsUsername;
      return shown.map((user) => ({ ...userResource(user, bare, call, hasAudienceParts), userName: user.userName }));
    },

    // A directory owns the addresses of its users: there are no lookup rows of those.
    canLookUp: isOneOf(external ? lookedUp : [...lookedUp, "emails.value"]),
    hasMemberList: isOfGroup,
    ...(!external && { changedSince: earliestChange, changedIds: (sinceMs) => users.changedSince(tenant, sinceMs) }),

    async memberList(equality) {
      const group = await groupOf(call, userStore, equality);
      return group && memberListOf(call, group);
    },

    async lookUp(equality, most) {
      if (isOfGroup(equality)) {
        const group = await groupOf(call, userStore, equality);
        const members = group ? await stores.groups.members(tenant, group.id, most + 1) : [];
        return members.map(({ userId }) => userId);
      }
      const value = String(equality.value);
      const name = pathName(equality.path);
      if (name === "id") return [value];
      return idsBy(tenant, { attribute: name === "externalId" ? name : "emails", value }, most);
    },
  };
}

/** Lookups of a tenant, each made once: those of all its user stores are the same. */
export function lookupsOnce({ stores: { users } }: ScimCall): UserStore["idsBy"] {
  const known = new Map<string, Promise<string[]>>();
  return (tenant, lookup, most) => {
    const key = JSON.stringify([tenant, lookup.attribute, lookup.value, most]);
    const found = known.get(key) ?? users.idsBy(tenant, lookup, most);
    known.set(key, found);
    return found;
  };
}

/** The groups of one store. */
export function groupSource(call: ScimCall, userStore: string): Source<Group> {
  const { stores, tenant } = call;
  const { groups } = stores;
  /** Once for all that a filter names. */
  let settled: Promise<boolean> | undefined;
  return {
    nameAttribute: "displayName",
    index: groups.names(tenant, userStore),
    keyOf: ({ displayName }) => foldName(displayName),

    async readMany(ids, options) {
      const found = await groups.findMany(tenant, ids, options);
      return found.map((group) => (group?.userStore === userStore ? group : undefined));
    },

    async resourcesOf(items, attributes) {
      const [members, names] = await Promise.all([
        readsAny(attributes, "members") ? membersOfAll(call, items) : [],
        readsAny(attributes, "roles") ? roleNamesOf(call, items) : undefined,
      ]);
      return items.map((group, at) => ({
        ...groupResource(group, { members: members[at]?.map((member) => bareMember(member, userStore)), names }, call),
        displayName: group.displayName,
      }));
    },

    canLookUp: isOneOf(["id", "externalId", "members.value", "roles.value"]),

    async lookUp({ path, value: given }, most) {
      const value = String(given);
      switch (pathName(path)) {
        case "id":
          return [value];
        case "externalId":
          return groups.idsByExternalId(tenant, value, most);
        case "roles.value":
          settled ??= settledBulks(call);
          await settled;
          return stores.roles.assigneeIds(tenant, value, "group", most + 1);
        default:
          settled ??= settledBulks(call);
          return groupIdsOf(call, value, settled);
      }
    },
  };
}

/** A name without the prefix of its user store. A name with another prefix stays as it is, and matches nothing. */
export function bareName(text: string, userStore: string): string {
  return text.slice(0, userStore.length + 1).toUpperCase() === `${userStore}/`
    ? text.slice(userStore.length + 1)
    : text;
}

/** A member of a group, with its name as filters compare it. Members are users of the group's store. */
function bareMember(member: Member, userStore: string): Member {
  return { ...member, name: bareName(member.name, userStore) };
}

/**
 * The names in a filter, in the form of one store: those of its users or groups, of the groups of users and of the
 * members of groups. Other texts may contain a slash, as the `displayName` of a user does.
 */
export function canonicalIn(userStore: string, nameAttribute: "userName" | "displayName") {
  return ({ attribute, extension, sub }: AttributePath, text: string): string => {
    const isName = attribute.name === nameAttribute;
    const isReferred = (attribute.name === "groups" || attribute.name === "members") && sub?.name === "display";
    return !extension && (isName || isReferred) ? bareName(text, userStore) : text;
  };
}

/**
 * Names by id, those of the groups of users without the store. A lookup finds a group by its bare name, so this is what
 * filters compare: a filter has the same matches whether users are looked up or evaluated.
 */
function bareNames(users: readonly User[], names: Named["names"], userStore: string): Named["names"] {
  const prefix = withStore(userStore, "");
  if (prefix === "") return names;
  const bare = new Map(names);
  for (const id of users.flatMap(({ groupIds }) => groupIds)) {
    const name = names.get(id);
    if (typeof name === "string" && name.startsWith(prefix)) bare.set(id, name.slice(prefix.length));
  }
  return bare;
}

function externalUsers({ stores, tenant }: ScimCall, userStore: string): ExternalList<User> | undefined {
  const { elsewhere } = stores.users;
  if (!elsewhere?.has(tenant, userStore)) return undefined;
  return {
    walk: (filter, limit) => elsewhere.walk(tenant, userStore, filter, limit),
    countsAll: elsewhere.countsAll,
  };
}

/** The group of this store that an equality on `groups` names. */
async function groupOf(
  { stores, tenant }: ScimCall,
  userStore: string,
  { path, value, operand }: Compare,
): Promise<Group | undefined> {
  const { groups } = stores;
  let id: string | undefined = String(value);
  if (pathName(path) === "groups.display") {
    id = (await groups.names(tenant, userStore).find(String(operand)))?.id;
  }
  const group = id === undefined ? undefined : await groups.find(tenant, id);
  if (group) await settleGroups(stores, tenant, [group]);
  return group?.userStore === userStore ? group : undefined;
}

function memberListOf(
  { stores: { groups }, tenant }: ScimCall,
  { id, memberCount: count, userStore }: Group,
): MemberList {
  const named = ({ userId, name }: Member) => ({ id: userId, key: foldName(bareName(name, userStore)) });
  return {
    count,
    async read(part) {
      const { members, more } = await groups.memberRange(tenant, id, part);
      return { entries: members.map(named), more };
    },
    readAll: async ({ consistent }) => (await groups.allMembers(tenant, { groupId: id, count, consistent })).map(named),
  };
}

/** The time since which every resource that satisfies a term on its times was changed: none is older than itself. */
function earliestChange({ path, operator, operand, where }: Compare): number | undefined {
  const isLate = operator === "gt" || operator === "ge" || operator === "eq";
  if (where || !isLate || typeof operand !== "string") return undefined;
  if (!["meta.created", "meta.lastModified"].includes(pathName(path))) return undefined;
  // The operand has nanoseconds; times of resources are in milliseconds.
  const ms = Date.parse(`${operand.slice(0, MILLISECONDS)}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function isOfGroup(equality: Compare): boolean {
  return isOneOf(["groups.value", "groups.display"])(equality);
}

function isOneOf(names: readonly string[]) {
  return ({ path, where }: Compare): boolean => !where && names.includes(pathName(path));
}

/** Whether any of the attributes that matter belongs to one of these. */
function readsAny(attributes: ReadonlySet<string>, ...wanted: readonly string[]): boolean {
  return [...attributes].some((name) => wanted.some((one) => name === one || name.startsWith(`${one}.`)));
}
