/** Users by SCIM 1.1: the functions behind `/Users`, `/Users/me` and the user operations of `/Bulk`. */

import { changeUser, createUser, deleteUser } from "../../identities/provisioning/users.ts";
import type { User } from "../../identities/users/model.ts";
import { notFound } from "../../identities/users/rules.ts";
import { Fault } from "../../platform/faults.ts";
import type { Projection } from "../../scim/projection.ts";
import { requireAll } from "../../scim/requirements.ts";
import { userType } from "../../scim/schema/resource-types.ts";
import { versionBeside } from "../resources/show.ts";
import { type Body, checkId, readRemoved, readSent } from "./input.ts";
import { replaced } from "./replace.ts";
import { type Asking, everything, type Shown, showUser } from "./show.ts";
import { patched } from "./steps.ts";
import type { Scim1Stores } from "./stores.ts";

/** Whom an operation is about. */
export interface Whom {
  readonly id: string;
  /** True: the user who asks, who must hold the role of administrators to be asked about this way. */
  readonly isSelf?: boolean;
}

const all = everything(userType);

/** Creates a user. */
export async function postUser(
  stores: Scim1Stores,
  asking: Asking,
  body: Body,
  projection: Projection = all,
): Promise<Shown> {
  const user = await createUser(stores, asking, replaced(userType, {}, readSent(userType, body)), stores.dialect);
  return showUser(stores, asking, user, projection);
}

/** Reads a user: all that is kept of it, or the attributes that are named. */
export async function readUser(
  stores: Scim1Stores,
  asking: Asking,
  { id, isSelf = false }: Whom,
  projection: Projection = all,
): Promise<Shown> {
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await stores.users.find(asking.tenant, id);
  if (!user) throw notFound(id);
  if (isSelf) await checkAdministrator(stores, asking, user);
  return showUser(stores, asking, user, projection, version);
}

/** Replaces a user. */
export async function putUser(
  stores: Scim1Stores,
  asking: Asking,
  { id, isSelf = false }: Whom,
  body: Body,
  projection: Projection = all,
): Promise<Shown> {
  const sent = readSent(userType, body);
  requireAll(userType, sent.core);
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await changeUser(stores, asking, id, {
    ...(isSelf && { check: (before: User) => checkAdministrator(stores, asking, before) }),
    change: (before) => replaced(userType, before, sent),
    userName: String(sent.core.userName),
  });
  return showUser(stores, asking, user, projection, version);
}

/** Changes what is sent of a user. */
export async function patchUser(
  stores: Scim1Stores,
  asking: Asking,
  { id, isSelf = false }: Whom,
  body: Body,
  projection: Projection = all,
): Promise<Shown> {
  checkId(body, id);
  const sent = readSent(userType, body);
  const removed = readRemoved(userType, body);
  const { userName } = sent.core;
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await changeUser(stores, asking, id, {
    ...(isSelf && { check: (before: User) => checkAdministrator(stores, asking, before) }),
    change: (before) => patched(userType, before, sent, removed),
    ...(typeof userName === "string" && { userName }),
  });
  return showUser(stores, asking, user, projection, version);
}

/** Deletes a user. */
export function removeUser(stores: Scim1Stores, asking: Asking, id: string): Promise<void> {
  return deleteUser(stores, asking, id);
}

async function checkAdministrator(stores: Scim1Stores, { tenant }: Asking, user: User): Promise<void> {
  if (await stores.isAdministrator(stores, tenant, user)) return;
  throw new Fault("scim.forbidden", "/Users/me is for users who hold the role of administrators.");
}
