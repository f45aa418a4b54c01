/** Roles by upstream's SCIM2 roles API v2: the functions of `/v2/Roles`, except lists. */

import { Fault } from "../../../kernel/faults.ts";
import { applyPatch } from "../../../scim/protocol/patch/apply.ts";
import { readPatch } from "../../../scim/protocol/patch/read.ts";
import { isStepOn, type PatchStep } from "../../../scim/protocol/patch/step.ts";
import { projectionOf, type Selection } from "../../../scim/protocol/projection.ts";
import { checkImmutable, readComplete } from "../../../scim/protocol/requirements.ts";
import { roleType } from "../../../scim/protocol/schema/role.ts";
import type { AssigneeKind } from "../../memberships/assignees.ts";
import { settleRole } from "../../provisioning/open-bulks.ts";
import { type AssigneeChange, changeRole, createRole, deleteRole, valuesIn } from "../../provisioning/roles.ts";
import { notFound } from "../../roles/rules.ts";
import type { ShownInBrief } from "../resources/call.ts";
import { keptMembers, MEMBERS_AT_ONCE_MAX, replacingMembers } from "../resources/groups.ts";
import { MEMBERS_SHOWN_MAX } from "../resources/show-groups.ts";
import { checkMatch, headersOf, type Tagged, type Target } from "../resources/target.ts";
import { roleListScopes, roleOperations } from "./contract-roles.ts";
import { checkListStep, membershipOf, stepsOn } from "./patch-steps.ts";
import { hasSelection } from "./request.ts";
import {
  assigneeLink,
  assigneeLists,
  checkAssigneesSent,
  kinds,
  namesCompared,
  readAssignees,
  roleAt,
  showRole,
} from "./role-view.ts";
import type { Scim2Call } from "./stores.ts";

/** Creates a role. */
export async function postRole(call: Scim2Call, body: unknown, wanted: Selection): Promise<Tagged> {
  const projection = projectionOf(roleType, wanted);
  const resource = readComplete(roleType, body);
  return showRole(call, await createRole(call.stores, call, resource), projection);
}

/** Reads a role. Throws `scim.not_found`, and `scim.too_many` where the assignees do not fit one response. */
export async function readRole(call: Scim2Call, id: string, wanted: Selection): Promise<Tagged> {
  const projection = projectionOf(roleType, wanted);
  const [role, assignees] = await Promise.all([
    call.stores.roles.find(call.tenant, id),
    readAssignees(call, id, projection, MEMBERS_SHOWN_MAX),
  ]);
  if (!role) throw notFound(id);
  // The assignees are those in the middle of a bulk.
  if (await settleRole(call.stores, call.tenant, role)) return readRole(call, id, wanted);
  const kind = kinds.find((one) => !assignees[one]);
  if (kind) throw tooMany(assigneeLists[kind]);
  return showRole(call, role, projection, assignees);
}

/** Replaces a role with its assignees. */
export async function putRole(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { id } = target;
  const projection = projectionOf(roleType, wanted);
  const resource = readComplete(roleType, body);
  checkAssigneesSent(body, resource);
  const all = (kind: AssigneeKind): AssigneeChange =>
    replacingMembers(valuesIn(assigneeLists[kind], resource[assigneeLists[kind]]));
  const role = await changeRole(call.stores, call, id, {
    check: (before) => checkMatch(target, before),
    change: async (before) => {
      const { audience = before.audience ?? {}, ...rest } = resource;
      const after = { ...rest, id, audience };
      checkImmutable(roleType, before, after);
      return { after, assigneeChanges: { user: all("user"), group: all("group") } };
    },
  });
  return showRole(call, role, projection);
}

/**
 * Changes a role. Each scope in `whole` permits every change. The response to a change of a role with many assignees
 * has no body, unless the request selects attributes.
 */
export async function patchRole(
  call: Scim2Call,
  target: Target,
  body: unknown,
  wanted: Selection,
  whole: readonly string[] = [roleOperations.patchRole.scope],
): Promise<ShownInBrief<Tagged>> {
  const steps = readPatch(roleType, body, { check: checkAssigneeStep });
  checkSteps(steps, call, whole);
  return applySteps(call, target, steps, wanted);
}

/** Checks a step on the users or groups of a role. Throws `scim.mutability`. */
export function checkAssigneeStep(step: PatchStep): void {
  for (const name of Object.values(assigneeLists)) {
    checkListStep(step, { name, idsOf: (elements) => valuesIn(name, elements) });
  }
}

/** Changes a role by steps that the caller may make. The response is that of `patchRole`. */
export async function applySteps(
  call: Scim2Call,
  target: Target,
  steps: readonly PatchStep[],
  wanted: Selection,
): Promise<ShownInBrief<Tagged>> {
  const { id } = target;
  const projection = projectionOf(roleType, wanted);
  const others = steps.filter((step) => !isStepOn(step, "users") && !isStepOn(step, "groups"));
  const role = await changeRole(call.stores, call, id, {
    check: (before) => checkMatch(target, before),
    change: async (before, read) => {
      const [user, group] = await Promise.all([
        assigneesAfter(call, steps, "user", () => read("user")),
        assigneesAfter(call, steps, "group", () => read("group")),
      ]);
      return { after: applyPatch(roleType, before, others), assigneeChanges: { user, group } };
    },
  });
  const isBrief = !hasSelection(wanted);
  const assignees = await readAssignees(call, id, projection, isBrief ? MEMBERS_AT_ONCE_MAX : MEMBERS_SHOWN_MAX);
  if (isBrief && kinds.some((kind) => !assignees[kind])) {
    return { ...headersOf(call, roleAt(id), role), body: undefined };
  }
  return showRole(call, role, projection, assignees);
}

/** Deletes a role. */
export function removeRole(call: Scim2Call, target: Target): Promise<void> {
  return deleteRole(call.stores, call, target.id, (role) => checkMatch(target, role));
}

function tooMany(list: string): Fault {
  return new Fault(
    "scim.too_many",
    `The role has more than ${MEMBERS_SHOWN_MAX} ${list}. Send excludedAttributes=${list}.`,
  );
}

async function assigneesAfter(
  call: Scim2Call,
  steps: readonly PatchStep[],
  kind: AssigneeKind,
  read: () => Promise<readonly string[]>,
): Promise<AssigneeChange> {
  const name = assigneeLists[kind];
  const own = stepsOn(steps, name);
  if (own.length === 0) return keptMembers;
  return membershipOf(own, {
    name,
    // Assignees are of any store. Responses show those of PRIMARY, the first, without one.
    userStores: call.stores.userStores,
    idsOf: (elements) => valuesIn(name, elements),
    linkOf: (id) => assigneeLink(call, kind, id),
    read: async () => (await read()).map((id) => ({ id })),
    namesOf: (ids) => namesCompared(call, kind, ids),
  });
}

/**
 * Limits a caller with scopes for some lists of a role to those lists. A caller without any of these scopes was
 * authorised by a rule of the operator, which allows the whole operation (decision 0051). Throws `scim.forbidden`.
 */
function checkSteps(steps: readonly PatchStep[], { scopes }: Scim2Call, whole: readonly string[]): void {
  const mayChange = Object.entries(roleListScopes).flatMap(([name, one]) => (scopes?.has(one) ? [name] : []));
  if (whole.some((scope) => scopes?.has(scope)) || mayChange.length === 0) return;
  if (steps.every((step) => mayChange.some((name) => isStepOn(step, name)))) return;
  throw new Fault(
    "scim.forbidden",
    `This operation requires the scope ${whole.join(" or ")}, which your credential does not have. It can change only these attributes of a role: ${mayChange.join(", ")}.`,
  );
}
