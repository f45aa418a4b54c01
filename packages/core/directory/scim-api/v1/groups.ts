/** Groups by SCIM 1.1: the functions of `/Groups` and the group operations of `/Bulk`. */

import { splitStore } from "../../../kernel/domain/username.ts";
import { Fault } from "../../../kernel/faults.ts";
import { valuesTogether } from "../../../kernel/together.ts";
import { type Projection, wants } from "../../../scim/protocol/projection.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import { scim1GroupType } from "../../../scim/protocol/schema/resource-types.ts";
import { createGroup, type GroupChangeRequest, memberIds } from "../../provisioning/groups.ts";
import type { ShownInBrief } from "../resources/call.ts";
import {
  changedGroup,
  checkMembersSent,
  foundGroup,
  type GroupView,
  replacingMembers,
  showGroup,
} from "../resources/groups.ts";
import { MEMBERS_SHOWN_MAX } from "../resources/show-groups.ts";
import { checkMatch, dependsOnVersion, headersOf, type Tagged, type Target } from "../resources/target.ts";
import { type Body, checkId, readRemoved, readSent, readWhole } from "./input.ts";
import { groupShown } from "./present.ts";
import { everything } from "./projection.ts";
import type { Scim1Call } from "./stores.ts";

const all = everything(scim1GroupType);

/** Creates a group. */
export async function postGroup(call: Scim1Call, body: Body, projection = all): Promise<Tagged> {
  const { core } = readWhole(scim1GroupType, body);
  const rules = () => {
    checkStore(core, call);
    checkCount(memberIds(core.members));
  };
  return shown(call, await createGroup(call.stores, call, core, rules), projection);
}

/** Reads a group. One round trip up to about 7,000 members. */
export async function readGroup(call: Scim1Call, id: string, projection = all): Promise<Tagged> {
  return shown(call, await foundGroup(call, id, projection), projection);
}

/** Replaces the members of a group, and its name and external id where the body has them. */
export async function putGroup(
  call: Scim1Call,
  target: Target,
  body: Body,
  projection = all,
): Promise<ShownInBrief<Tagged>> {
  const { core } = readSent(scim1GroupType, body);
  const { members, ...rest } = core;
  const [, , ids] = valuesTogether(
    () => checkMembersSent(body, core),
    () => checkStore(core, call),
    () => memberIds(members),
  );
  checkCount(ids);
  const after = (before: Resource): Resource => ({ ...before, ...rest });
  return changed(call, target, changeOf(after, rest, replacingMembers(ids)), projection);
}

/** Changes what the body has of a group: members are added, or removed where they are marked `delete`. */
export async function patchGroup(
  call: Scim1Call,
  target: Target,
  body: Body,
  projection = all,
): Promise<ShownInBrief<Tagged>> {
  const [{ core, marked }, paths] = valuesTogether(
    () => readSent(scim1GroupType, body, () => checkId(body, target.id)),
    () => readRemoved(scim1GroupType, body),
  );
  checkStore(core, call);
  const removed = new Set(paths.flatMap(({ attribute, sub }) => (sub ? [] : attribute.name)));
  const { members, ...rest } = core;
  const adding = memberIds(members);
  const removing = memberIds(marked.flatMap(({ elements }) => elements)).difference(adding);
  const after = ({ externalId, ...before }: Resource): Resource => ({
    ...before,
    ...(externalId !== undefined && !removed.has("externalId") && { externalId }),
    ...rest,
  });
  const membership = { replaces: removed.has("members"), adding, removing };
  return changed(call, target, changeOf(after, rest, membership), projection);
}

/** Deletes a group. */
export function removeGroup({ stores, tenant }: Scim1Call, target: Target): Promise<void> {
  return stores.groups.remove(tenant, target.id, (group) => checkMatch(target, group));
}

/** In SCIM 1.1 the part of a name before the first slash is always a user store. */
function checkStore({ displayName }: Resource, { stores: { userStores } }: Scim1Call): void {
  if (typeof displayName !== "string" || !displayName.includes("/")) return;
  const { userStore } = splitStore(displayName);
  if (userStores.includes(userStore)) return;
  throw new Fault("request.invalid", `displayName: Invalid user store domain: ${userStore.slice(0, 50)}.`);
}

/** A response shows all members or fails, so one request cannot set more members than a response holds. */
function checkCount(ids: ReadonlySet<string>): void {
  if (ids.size <= MEMBERS_SHOWN_MAX) return;
  throw new Fault(
    "request.invalid",
    `members has ${ids.size} elements; at most ${MEMBERS_SHOWN_MAX} are allowed. Add the others with PATCH.`,
  );
}

function changeOf(
  after: (before: Resource) => Resource,
  { displayName }: Resource,
  membership: NonNullable<GroupChangeRequest["membership"]>,
): GroupChangeRequest {
  return {
    change: async (before) => ({ after: after(before), membership }),
    membership,
    ...(typeof displayName === "string" && { displayName }),
  };
}

async function changed(
  call: Scim1Call,
  target: Target,
  change: GroupChangeRequest,
  projection: Projection,
): Promise<ShownInBrief<Tagged>> {
  const conditional: GroupChangeRequest = {
    ...change,
    check: (group) => checkMatch(target, group),
    isExact: dependsOnVersion(target),
  };
  const view = await changedGroup(call, target.id, conditional, projection);
  if (view.group.memberCount > MEMBERS_SHOWN_MAX && wants(projection, "members")) {
    return { ...headersOf(call, `/Groups/${target.id}`, view.group), body: undefined };
  }
  return shown(call, view, projection);
}

async function shown(call: Scim1Call, view: GroupView, projection: Projection): Promise<Tagged> {
  const resource = await showGroup(call, view, projection);
  return {
    ...headersOf(call, `/Groups/${view.group.id}`, view.group),
    body: { ...groupShown(resource, view.group) },
  };
}
