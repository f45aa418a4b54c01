/** The row of a user. */
import type { Resource } from "../../scim/schema/attribute.ts";
import { isObject } from "../../scim/values.ts";
import { keys } from "../../table/keys.ts";
import { as, bool, json, number, optional, rowCodec, text, textSet } from "../../table/row.ts";
import { stale } from "../../table/stale.ts";
import type { Item, Step, When } from "../../table/table.ts";
import type { User } from "./model.ts";

/** The attributes of the row that are about indexes. */
export const INDEXED = "_x";
export const UNSETTLED = "_xd";

type Held = NonNullable<User["unsettled"]>;

const userRow = rowCodec<User>("user", {
  id: text,
  userName: text,
  userStore: text,
  active: bool,
  hasPassword: bool,
  createdMs: as("created", number),
  modifiedMs: as("modified", number),
  version: as("ver", number),
  profile: json("an object", isResource),
  groupIds: as("groups", textSet),
  roleIds: as("roles", textSet),
  indexed: as(INDEXED, textSet),
  unsettled: as(UNSETTLED, optional(json("values by attribute", isHeld))),
});

/** The row of a user, also for a loader into an empty table. */
export function userItem(tenant: string, user: User): Item {
  return { ...keys.user(tenant, user.id), ...userRow.write(user) };
}

/** Reads the row of a user. */
export const toUser = userRow.read;

/** What a step on the row of a user depends on, in addition to what the user is: what indexes hold of it. */
export function asRead({ version, unsettled }: User): Exclude<When, string> {
  return { equal: { ver: version, ...(unsettled && { [UNSETTLED]: JSON.stringify(unsettled) }) } };
}

/** The step that notes what indexes hold of a user. */
export function notingIndexes(tenant: string, user: User, noted: Pick<User, "indexed" | "unsettled">): Step {
  const { indexed, unsettled } = noted;
  const set = {
    ...(indexed.length > 0 && { [INDEXED]: new Set(indexed) }),
    ...(unsettled && { [UNSETTLED]: JSON.stringify(unsettled) }),
  };
  const clear = [...(indexed.length > 0 ? [] : [INDEXED]), ...(unsettled ? [] : [UNSETTLED])];
  return { change: keys.user(tenant, user.id), set, clear, when: asRead(user), otherwise: stale };
}

function isResource(parsed: unknown): parsed is Resource {
  return isObject(parsed);
}

function isHeld(parsed: unknown): parsed is Held {
  return isObject(parsed) && Object.values(parsed).every((values) => Array.isArray(values) && values.every(isValue));
}

function isValue(one: unknown): boolean {
  return isObject(one) && typeof one.value === "string" && typeof one.facet === "string";
}
