/** Users as both SCIM versions create, read and change them; each version shows the result in its own form. */

import type { Projection } from "../../../scim/protocol/projection.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import type { NamesState } from "../../memberships/shown-names.ts";
import { changeUser, createUser, type UserChangeRequest } from "../../provisioning/users.ts";
import type { User } from "../../users/model.ts";
import { notFound } from "../../users/rules.ts";
import type { ScimCall } from "./call.ts";
import { readNamesState, showUsers } from "./show.ts";

/** A user, and the resource that a response shows. */
export interface UserView {
  readonly user: User;
  readonly resource: Resource;
}

/** Creates a user from a resource in canonical form. Throws what `createUser` throws. */
export async function createdUser(call: ScimCall, resource: Resource, projection: Projection): Promise<UserView> {
  return viewOf(call, await createUser(call.stores, call, resource, call.stores.dialect), projection);
}

/** Reads a user. Throws `scim.not_found`, and what `check` throws. */
export async function foundUser(
  call: ScimCall,
  id: string,
  projection: Projection,
  check?: (user: User) => Promise<void>,
): Promise<UserView> {
  const state = readNamesState(call, projection);
  const user = await call.stores.users.find(call.tenant, id);
  if (!user) throw notFound(id);
  await check?.(user);
  return viewOf(call, user, projection, state);
}

/** Changes a user. Throws what `changeUser` throws. */
export async function changedUser(
  call: ScimCall,
  id: string,
  change: UserChangeRequest,
  projection: Projection,
): Promise<UserView> {
  const state = readNamesState(call, projection);
  return viewOf(call, await changeUser(call.stores, call, id, change), projection, state);
}

async function viewOf(
  call: ScimCall,
  user: User,
  projection: Projection,
  state?: Promise<NamesState>,
): Promise<UserView> {
  const [resource = {}] = await showUsers(call, [user], projection, state);
  return { user, resource };
}
