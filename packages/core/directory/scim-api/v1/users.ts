/** Users by SCIM 1.1: the functions of `/Users`, `/Users/me` and the user operations of `/Bulk`. */

import { Fault } from "../../../kernel/faults.ts";
import { valuesTogether } from "../../../kernel/together.ts";
import { userType } from "../../../scim/protocol/schema/resource-types.ts";
import { deleteUser, type UserChangeRequest } from "../../provisioning/users.ts";
import type { User } from "../../users/model.ts";
import { checkMatch, headersOf, type Tagged, type Target } from "../resources/target.ts";
import { changedUser, createdUser, foundUser, type UserView } from "../resources/users.ts";
import { patched, replaced } from "./changes.ts";
import { type Body, checkId, readRemoved, readSent, readWhole } from "./input.ts";
import { userShown } from "./present.ts";
import { everything } from "./projection.ts";
import type { Scim1Call } from "./stores.ts";

const all = everything(userType);

/** Creates a user. */
export async function postUser(call: Scim1Call, body: Body, projection = all): Promise<Tagged> {
  return shown(call, await createdUser(call, replaced(userType, {}, readWhole(userType, body)), projection));
}

/** Reads a user. */
export async function readUser(call: Scim1Call, target: Target, projection = all): Promise<Tagged> {
  return shown(call, await foundUser(call, target.id, projection, checkOf(call, target)));
}

/** Replaces a user. */
export async function putUser(call: Scim1Call, target: Target, body: Body, projection = all): Promise<Tagged> {
  const sent = readWhole(userType, body);
  const change: UserChangeRequest = {
    check: checkOf(call, target),
    change: (before) => replaced(userType, before, sent),
    userName: String(sent.core.userName),
  };
  return shown(call, await changedUser(call, target.id, change, projection));
}

/** Changes the attributes of a user that the body has. */
export async function patchUser(call: Scim1Call, target: Target, body: Body, projection = all): Promise<Tagged> {
  const [sent, removed] = valuesTogether(
    () => readSent(userType, body, () => checkId(body, target.id)),
    () => readRemoved(userType, body),
  );
  const { userName } = sent.core;
  const change: UserChangeRequest = {
    check: checkOf(call, target),
    change: (before) => patched(userType, before, sent, removed),
    ...(typeof userName === "string" && { userName }),
  };
  return shown(call, await changedUser(call, target.id, change, projection));
}

/** Deletes a user. */
export function removeUser(call: Scim1Call, target: Target): Promise<void> {
  return deleteUser(call.stores, call, target.id, (user) => checkMatch(target, user));
}

function checkOf({ stores, tenant }: Scim1Call, target: Target) {
  return async (user: User): Promise<void> => {
    if (target.isSelf && !(await stores.isAdministrator(stores, tenant, user)))
      throw new Fault("scim.forbidden", "Only users with the administrator role can use /Users/me.");
    checkMatch(target, user);
  };
}

function shown(call: Scim1Call, { user, resource }: UserView): Tagged {
  return { ...headersOf(call, `/Users/${user.id}`, user), body: { ...userShown(resource, call.stores.userStores) } };
}
