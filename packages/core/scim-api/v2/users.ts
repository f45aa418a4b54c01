/** Users by SCIM 2.0: the functions behind `/Users`, `/Me` and the user operations of `/Bulk`. */

import { changeUser, createUser, deleteUser } from "../../identities/provisioning/users.ts";
import type { User } from "../../identities/users/model.ts";
import { notFound } from "../../identities/users/rules.ts";
import { namesTag } from "../../platform/entity-tag.ts";
import { Fault } from "../../platform/faults.ts";
import { readResource } from "../../scim/input.ts";
import { applyPatch } from "../../scim/patch/apply.ts";
import { readPatch } from "../../scim/patch/read.ts";
import { isStepOn, type PatchStep } from "../../scim/patch/step.ts";
import { type Projection, projectionOf } from "../../scim/projection.ts";
import { requireAll } from "../../scim/requirements.ts";
import type { Json, Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { etagOf, withoutAssignedRoles } from "../resources/present.ts";
import { showUsers, versionBeside } from "../resources/show.ts";
import type { Asking } from "./list.ts";
import type { Scim2Stores } from "./stores.ts";

/** What is asked for of the answer. */
export interface Wanted {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** A resource that was read or made, as operations answer it. */
export interface Shown {
  readonly location: string;
  readonly etag: string;
  readonly body: Record<string, unknown>;
}

/** How a user is changed. */
export interface Changing {
  readonly id: string;
  readonly ifMatch?: string | undefined;
  /** True: by the user itself, which may change less. */
  readonly isSelf?: boolean;
}

/** Whether the whole answer will do: large lists are left out of it then. */
export function asksForNothing({ attributes = "", excludedAttributes = "" }: Wanted): boolean {
  return attributes === "" && excludedAttributes === "";
}

/** Holds the version of a resource against an `If-Match` (RFC 7644 section 3.14). Throws `scim.precondition`. */
export function checkMatch(ifMatch: string | undefined, version: number): void {
  const wanted = ifMatch?.trim() ?? "";
  if (wanted === "" || namesTag(wanted, etagOf(version))) return;
  throw new Fault("scim.precondition", `The resource has changed: its entity tag is ${etagOf(version)} now.`);
}

/** Creates a user. */
export async function postUser(stores: Scim2Stores, asking: Asking, body: unknown, wanted: Wanted): Promise<Shown> {
  const { userType, needsPassword } = stores.dialect;
  const projection = projectionOf(userType, wanted);
  const resource = withoutAssignedRoles(readResource(userType, body));
  return shown(stores, asking, await createUser(stores, asking, resource, { needsPassword }), projection);
}

/** Reads a user. */
export async function readUser(stores: Scim2Stores, asking: Asking, id: string, wanted: Wanted): Promise<Shown> {
  const projection = projectionOf(stores.dialect.userType, wanted);
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await stores.users.find(asking.tenant, id);
  if (!user) throw notFound(id);
  return shown(stores, asking, user, projection, version);
}

/** Replaces a user. */
export async function putUser(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch, isSelf }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Shown> {
  const { userType } = stores.dialect;
  const projection = projectionOf(userType, wanted);
  const resource = withoutAssignedRoles(readResource(userType, body));
  requireAll(userType, resource);
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await changeUser(stores, asking, id, {
    check: ({ version: current }) => checkMatch(ifMatch, current),
    change: (before) => (isSelf ? keepingOthers(userType, before, resource) : { ...resource, id }),
    ...(!isSelf && { userName: String(resource.userName) }),
  });
  return shown(stores, asking, user, projection, version);
}

/** The attributes that users cannot change of themselves stay as they are. */
function keepingOthers(type: ResourceType, before: Resource, wished: Resource): Resource {
  const mayChange = new Set(type.schema.attributes.filter(({ selfService }) => selfService).map(({ name }) => name));
  const extensions = type.extensions.map(({ id, attributes }): [string, Record<string, Json>] => {
    const own = new Set(attributes.filter(({ selfService }) => selfService).map(({ name }) => name));
    const part = (from: Resource, isOwn: boolean) =>
      Object.entries((from[id] as Resource | undefined) ?? {}).filter(([name]) => own.has(name) === isOwn);
    return [id, Object.fromEntries([...part(before, false), ...part(wished, true)])];
  });
  const urns = new Set(type.extensions.map(({ id }) => id));
  const core = (from: Resource, isOwn: boolean) =>
    Object.entries(from).filter(([name]) => !urns.has(name) && mayChange.has(name) === isOwn);
  return Object.fromEntries([
    ...core(before, false),
    ...core(wished, true),
    ...extensions.filter(([, members]) => Object.keys(members).length > 0),
  ]);
}

/** Changes a user. */
export async function patchUser(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch, isSelf = false }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Shown> {
  const { userType } = stores.dialect;
  const projection = projectionOf(userType, wanted);
  const steps = readPatch(userType, body, { selfService: isSelf });
  const version = versionBeside(stores, asking.tenant, projection);
  const user = await changeUser(stores, asking, id, {
    check: ({ version: current }) => checkMatch(ifMatch, current),
    change: (before) => withoutAssignedRoles(applyPatch(userType, before, steps)),
    userName: userNameIn(steps),
  });
  return shown(stores, asking, user, projection, version);
}

/** The user name that a change sets, as far as its steps tell. */
function userNameIn(steps: readonly PatchStep[]): string | undefined {
  const step = steps.findLast((one) => isStepOn(one, "userName"));
  return step && isStepOn(step, "userName") && step.change.kind === "value" ? String(step.change.value) : undefined;
}

/** Deletes a user. */
export function removeUser(stores: Scim2Stores, asking: Asking, { id, ifMatch }: Changing): Promise<void> {
  return deleteUser(stores, asking, id, ({ version }) => checkMatch(ifMatch, version));
}

async function shown(
  stores: Scim2Stores,
  asking: Asking,
  user: User,
  projection: Projection,
  version?: Promise<number>,
): Promise<Shown> {
  const [body = {}] = await showUsers(stores, asking, [user], projection, version);
  return { location: `${asking.base}/Users/${user.id}`, etag: etagOf(user.version), body: { ...body } };
}
