/** Groups by SCIM 2.0: the functions of `/Groups` and the group operations of `/Bulk`. */

import { applyPatch } from "../../../scim/protocol/patch/apply.ts";
import { readPatch } from "../../../scim/protocol/patch/read.ts";
import { isStepOn } from "../../../scim/protocol/patch/step.ts";
import { type Projection, projectionOf, type Selection } from "../../../scim/protocol/projection.ts";
import { readComplete } from "../../../scim/protocol/requirements.ts";
import { createGroup, type GroupChangeRequest, memberIds } from "../../provisioning/groups.ts";
import type { ShownInBrief } from "../resources/call.ts";
import {
  changedGroup,
  checkMembersSent,
  foundGroup,
  type GroupView,
  MEMBERS_AT_ONCE_MAX,
  replacingMembers,
  showGroup,
} from "../resources/groups.ts";
import { linkTo } from "../resources/present.ts";
import { namesOfUsers } from "../resources/show.ts";
import { checkMatch, dependsOnVersion, headersOf, type Tagged, type Target } from "../resources/target.ts";
import { checkListStep, foreseenMembership, membershipOf, stepsOn, textSet } from "./patch-steps.ts";
import { hasSelection } from "./request.ts";
import type { Scim2Call } from "./stores.ts";

/** Creates a group. */
export async function postGroup(call: Scim2Call, body: unknown, wanted: Selection): Promise<Tagged> {
  const { groupType } = call.stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const resource = readComplete(groupType, body);
  return shown(call, await createGroup(call.stores, call, resource), projection);
}

/** Reads a group. One round trip up to about 7,000 members. */
export async function readGroup(call: Scim2Call, id: string, wanted: Selection): Promise<Tagged> {
  const projection = projectionOf(call.stores.dialect.groupType, wanted);
  return shown(call, await foundGroup(call, id, projection), projection);
}

/** Replaces a group with its members. */
export async function putGroup(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { groupType } = call.stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const resource = readComplete(groupType, body);
  checkMembersSent(body, resource);
  const { members, ...after } = resource;
  const membership = replacingMembers(memberIds(members));
  const change: GroupChangeRequest = {
    check: (group) => checkMatch(target, group),
    isExact: dependsOnVersion(target),
    change: async () => ({ after, membership }),
    displayName: String(after.displayName),
    membership,
  };
  return shown(call, await changedGroup(call, target.id, change, projection), projection);
}

/** Changes a group. The response to a change of a large group has no body, unless the request selects attributes. */
export async function patchGroup(
  call: Scim2Call,
  target: Target,
  body: unknown,
  wanted: Selection,
): Promise<ShownInBrief<Tagged>> {
  const { groupType } = call.stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const list = { name: "members", idsOf: memberIds, linkOf: (id: string) => linkTo(call, `/Users/${id}`) };
  const steps = readPatch(groupType, body, { check: (step) => checkListStep(step, list) });
  const onMembers = stepsOn(steps, "members");
  const others = steps.filter((step) => !isStepOn(step, "members"));
  const membership = await foreseenMembership(onMembers, list);
  const change: GroupChangeRequest = {
    check: (group) => checkMatch(target, group),
    isExact: dependsOnVersion(target),
    change: async (before, read, { userStore }) => ({
      after: applyPatch(groupType, before, others),
      membership:
        membership ??
        (await membershipOf(onMembers, {
          ...list,
          userStores: [userStore],
          read: async () => (await read()).map(({ userId: id, name }) => ({ id, name })),
          // The list has the names of its members: these are users that the same request adds.
          namesOf: (ids) => namesOfUsers(call, ids),
        })),
    }),
    displayName: textSet(steps, "displayName"),
    membership,
  };
  const view = await changedGroup(call, target.id, change, projection);
  if (view.group.memberCount > MEMBERS_AT_ONCE_MAX && !hasSelection(wanted)) {
    return { ...headersOf(call, `/Groups/${target.id}`, view.group), body: undefined };
  }
  return shown(call, view, projection);
}

/** Deletes a group. */
export function removeGroup({ stores, tenant }: Scim2Call, target: Target): Promise<void> {
  return stores.groups.remove(tenant, target.id, (group) => checkMatch(target, group));
}

async function shown(call: Scim2Call, view: GroupView, projection: Projection): Promise<Tagged> {
  const body = { ...(await showGroup(call, view, projection)) };
  return { ...headersOf(call, `/Groups/${view.group.id}`, view.group), body };
}
