/** Users by SCIM 2.0: the functions of `/Users`, `/Me` and the user operations of `/Bulk`. */

import { applyPatch } from "../../../scim/protocol/patch/apply.ts";
import { readPatch } from "../../../scim/protocol/patch/read.ts";
import { projectionOf, type Selection } from "../../../scim/protocol/projection.ts";
import { readComplete } from "../../../scim/protocol/requirements.ts";
import type { Attribute, Resource, ResourceType } from "../../../scim/protocol/schema/attribute.ts";
import { isObject } from "../../../scim/protocol/values.ts";
import { deleteUser, type UserChangeRequest } from "../../provisioning/users.ts";
import { withoutAssignedRoles } from "../resources/present.ts";
import { checkMatch, headersOf, type Tagged, type Target } from "../resources/target.ts";
import { changedUser, createdUser, foundUser, type UserView } from "../resources/users.ts";
import { textSet } from "./patch-steps.ts";
import type { Scim2Call } from "./stores.ts";

/** Creates a user. */
export async function postUser(call: Scim2Call, body: unknown, wanted: Selection): Promise<Tagged> {
  const { userType, needsPassword } = call.stores.dialect;
  const projection = projectionOf(userType, wanted);
  const also = needsPassword && !asksForPassword(body) ? ["password"] : [];
  const resource = withoutAssignedRoles(readComplete(userType, body, also));
  return shown(call, await createdUser(call, resource, projection));
}

/** Reads a user. */
export async function readUser(call: Scim2Call, id: string, wanted: Selection): Promise<Tagged> {
  return shown(call, await foundUser(call, id, projectionOf(call.stores.dialect.userType, wanted)));
}

/** Replaces a user. */
export async function putUser(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { userType } = call.stores.dialect;
  const { id, isSelf } = target;
  const projection = projectionOf(userType, wanted);
  const resource = withoutAssignedRoles(readComplete(userType, body));
  const change: UserChangeRequest = {
    check: (user) => checkMatch(target, user),
    change: (before) => (isSelf ? withOwnChanges(userType, before, resource) : { ...resource, id }),
    ...(!isSelf && { userName: String(resource.userName) }),
  };
  return shown(call, await changedUser(call, id, change, projection));
}

/** Changes a user. */
export async function patchUser(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { userType } = call.stores.dialect;
  const { id, isSelf = false } = target;
  const projection = projectionOf(userType, wanted);
  const steps = readPatch(userType, body, { selfService: isSelf });
  const change: UserChangeRequest = {
    check: (user) => checkMatch(target, user),
    change: (before) => withoutAssignedRoles(applyPatch(userType, before, steps)),
    userName: textSet(steps, "userName"),
  };
  return shown(call, await changedUser(call, id, change, projection));
}

/** Deletes a user. */
export function removeUser(call: Scim2Call, target: Target): Promise<void> {
  return deleteUser(call.stores, call, target.id, (user) => checkMatch(target, user));
}

/** A replacement by the user itself: attributes that users cannot change of themselves stay. */
function withOwnChanges(type: ResourceType, before: Resource, after: Resource): Resource {
  const extensions = type.extensions.flatMap(({ id, attributes }): [string, Resource][] => {
    const [old, given] = [before[id] as Resource | undefined, after[id] as Resource | undefined];
    const merged = ownOnly(attributes, old ?? {}, given ?? {});
    return Object.keys(merged).length > 0 ? [[id, merged]] : [];
  });
  const core = (from: Resource) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => !type.extensions.some(({ id }) => id === name)));
  return { ...ownOnly(type.schema.attributes, core(before), core(after)), ...Object.fromEntries(extensions) };
}

/** The `after` of the attributes that users change themselves, and the `before` of all others. */
function ownOnly(attributes: readonly Attribute[], before: Resource, after: Resource): Resource {
  const own = new Set(attributes.filter(({ selfService }) => selfService).map(({ name }) => name));
  return Object.fromEntries([
    ...Object.entries(before).filter(([name]) => !own.has(name)),
    ...Object.entries(after).filter(([name]) => own.has(name)),
  ]);
}

function shown(call: Scim2Call, { user, resource }: UserView): Tagged {
  return { ...headersOf(call, `/Users/${user.id}`, user), body: { ...resource } };
}

/** Whether a body says something of an invitation: then the change itself checks the password. */
function asksForPassword(body: unknown): boolean {
  return isObject(body) && Object.values(body).some((each) => isObject(each) && "askPassword" in each);
}
