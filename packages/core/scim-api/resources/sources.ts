/** Users and groups as lists look at them: where their names are, what leads to few of them, and what filters see. */

import type { Group } from "../../identities/groups/model.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import type { User } from "../../identities/users/model.ts";
import type { Outside, Roster, Source } from "../../listing/source.ts";
import { foldName } from "../../platform/fold.ts";
import { type Compare, pathName } from "../../scim/filter/bound.ts";
import type { AttributePath } from "../../scim/schema/paths.ts";
import { groupResource, type Links, userResource } from "./present.ts";
import { membersOfAll } from "./show.ts";
import type { ResourceStores } from "./stores.ts";

/** The users of one store. */
export function userSource(stores: ResourceStores, links: Links, userStore: string): Source<User> {
  const { users, groups, names } = stores;
  const { tenant } = links;
  const isOfGroup = only(["groups.value", "groups.display"]);

  /** The group that an equality on `groups` means, if it is one of this store. */
  const groupIn = async ({ path, value }: Compare): Promise<Group | undefined> => {
    let id = String(value);
    if (pathName(path) === "groups.display") {
      const entry = await groups.names(tenant, userStore).find(foldName(bareName(id, userStore)));
      if (!entry) return undefined;
      id = entry.id;
    }
    const group = await groups.find(tenant, id);
    return group?.userStore === userStore ? group : undefined;
  };
  const named = ({ userId, name }: Member) => ({ id: userId, key: foldName(bareName(name, userStore)) });
  const rosterOf = ({ id, memberCount: count }: Group): Roster => ({
    count,
    async read(part) {
      const { members, more } = await groups.memberRange(tenant, id, part);
      return { entries: members.map(named), more };
    },
    readAll: async ({ consistent }) => (await groups.allMembers(tenant, { groupId: id, count, consistent })).map(named),
  });

  const { elsewhere } = users;
  const outside: Outside<User> | undefined = elsewhere?.has(tenant, userStore)
    ? {
        walk: (filter, limit) => elsewhere.walk(tenant, userStore, filter, limit),
        countsAll: elsewhere.countsAll,
      }
    : undefined;
  const lookedUp = ["id", "externalId", "groups.value", "groups.display"];

  return {
    outside,
    nameAttribute: "userName",
    index: users.names(tenant, userStore),
    keyOf: ({ userName }) => foldName(userName),

    async readMany(ids, options) {
      const found = await users.findMany(tenant, ids, { ...options, userStore });
      return found.map((user) => (user?.userStore === userStore ? user : undefined));
    },

    async resourcesOf(things, looksAt) {
      const showsNames = looksInto(looksAt, "groups", "roles");
      const ids = showsNames ? things.flatMap(({ groupIds, roleIds }) => [...groupIds, ...roleIds]) : [];
      const known = ids.length > 0 ? await names.find(tenant, await names.version(tenant), ids) : new Map();
      return things.map((user) => ({ ...userResource(user, known, links), userName: user.userName }));
    },

    // The addresses of a directory's users are the directory's: lookups of them may be of yesterday.
    canLookUp: only(outside ? lookedUp : [...lookedUp, "emails.value"]),
    hasRoster: isOfGroup,

    async roster(equality) {
      const group = await groupIn(equality);
      return group && rosterOf(group);
    },

    async lookUp(equality, most) {
      const value = textOf(equality);
      if (isOfGroup(equality)) {
        const group = await groupIn(equality);
        const members = group ? await groups.members(tenant, group.id, most + 1) : [];
        return members.map(({ userId }) => userId);
      }
      switch (pathName(equality.path)) {
        case "id":
          return [value];
        case "externalId":
          return users.idsBy(tenant, { attribute: "externalId", value }, most);
        default:
          return users.idsBy(tenant, { attribute: "emails", value }, most);
      }
    },
  };
}

/** The groups of one store. */
export function groupSource(stores: ResourceStores, links: Links, userStore: string): Source<Group> {
  const { users, groups } = stores;
  const { tenant } = links;
  return {
    nameAttribute: "displayName",
    index: groups.names(tenant, userStore),
    keyOf: ({ displayName }) => foldName(displayName),

    async readMany(ids, options) {
      const found = await groups.findMany(tenant, ids, options);
      return found.map((group) => (group?.userStore === userStore ? group : undefined));
    },

    async resourcesOf(things, looksAt) {
      const members = looksInto(looksAt, "members") ? await membersOfAll(stores, tenant, things) : [];
      return things.map((group, at) => ({
        ...groupResource(group, members[at], links),
        displayName: group.displayName,
      }));
    },

    canLookUp: only(["id", "externalId", "members.value"]),

    async lookUp(equality) {
      const value = textOf(equality);
      switch (pathName(equality.path)) {
        case "id":
          return [value];
        case "externalId":
          return groups.idsByExternalId(tenant, value);
        default:
          return (await users.find(tenant, value))?.groupIds ?? [];
      }
    },
  };
}

/** A name without the store that it may be written with; the names of other stores stay as they are, and match nothing. */
export function bareName(text: string, userStore: string): string {
  return text.slice(0, userStore.length + 1).toUpperCase() === `${userStore}/`
    ? text.slice(userStore.length + 1)
    : text;
}

/** How a filter writes the names of one store. */
export function canonicalIn(userStore: string) {
  return ({ attribute, extension }: AttributePath, text: string): string =>
    !extension && (attribute.name === "userName" || attribute.name === "displayName")
      ? bareName(text, userStore)
      : text;
}

function only(names: readonly string[]) {
  return ({ path, where }: Compare): boolean => !where && names.includes(pathName(path));
}

/** Whether any of the attributes that matter belongs to one of these. */
function looksInto(looksAt: ReadonlySet<string>, ...attributes: readonly string[]): boolean {
  return [...looksAt].some((name) =>
    attributes.some((attribute) => name === attribute || name.startsWith(`${attribute}.`)),
  );
}

function textOf({ value }: Compare): string {
  return String(value);
}
