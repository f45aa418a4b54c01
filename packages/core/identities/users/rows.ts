/** The row of a user. */
import type { Resource } from "../../scim/schema/attribute.ts";
import { isObject } from "../../scim/values.ts";
import { keys } from "../../table/keys.ts";
import { as, bool, json, number, rowCodec, text, textSet } from "../../table/row.ts";
import type { Item } from "../../table/table.ts";
import type { User } from "./model.ts";

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
});

/** The row of a user, also for a loader into an empty table. */
export function userItem(tenant: string, user: User): Item {
  return { ...keys.user(tenant, user.id), ...userRow.write(user) };
}

/** Reads the row of a user. */
export const toUser = userRow.read;

function isResource(parsed: unknown): parsed is Resource {
  return isObject(parsed);
}
