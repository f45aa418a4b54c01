/**
 * Roles by upstream's SCIM2 roles API v3: the functions of `/v3/Roles`. A role is shown as by v2, and written in parts,
 * each with a right of its own: its name and permissions, its users, and its groups.
 */

import { Fault } from "../../../kernel/faults.ts";
import { checkEach, valuesTogether } from "../../../kernel/together.ts";
import { pickFrom, readResource } from "../../../scim/protocol/input.ts";
import { readPatch } from "../../../scim/protocol/patch/read.ts";
import { isStepOn } from "../../../scim/protocol/patch/step.ts";
import { projectionOf, type Selection } from "../../../scim/protocol/projection.ts";
import { checkImmutable, readComplete } from "../../../scim/protocol/requirements.ts";
import type { Resource } from "../../../scim/protocol/schema/attribute.ts";
import { roleType } from "../../../scim/protocol/schema/role.ts";
import { invalidValue, isObject, isUnassigned } from "../../../scim/protocol/values.ts";
import type { AssigneeKind } from "../../memberships/assignees.ts";
import { changeRole, createRole, valuesIn } from "../../provisioning/roles.ts";
import type { ShownInBrief } from "../resources/call.ts";
import { keptMembers, replacingMembers } from "../resources/groups.ts";
import { checkMatch, type Tagged, type Target } from "../resources/target.ts";
import { assigneeLists, kinds, showRole } from "./role-view.ts";
import { applySteps, checkAssigneeStep } from "./roles.ts";
import type { Scim2Call } from "./stores.ts";

/** A response shows the role without its assignees, unless the request selects attributes. */
const WITHOUT_ASSIGNEES: Selection = { excludedAttributes: Object.values(assigneeLists).join(",") };

/** Creates a role without users and groups. */
export async function postRoleV3(call: Scim2Call, body: unknown, wanted: Selection): Promise<Tagged> {
  const resource = metaOf(body);
  return showRole(call, await createRole(call.stores, call, resource), projectionOf(roleType, wanted));
}

/** Replaces the name and the permissions of a role. Its users and groups stay. */
export async function putRoleV3(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { id } = target;
  const resource = metaOf(body);
  const role = await changeRole(call.stores, call, id, {
    check: (before) => checkMatch(target, before),
    change: async (before) => {
      const { audience = before.audience ?? {}, ...rest } = resource;
      const after = { ...rest, id, audience };
      checkImmutable(roleType, before, after);
      return { after, assigneeChanges: { user: keptMembers, group: keptMembers } };
    },
  });
  return showRole(call, role, projectionOf(roleType, shownOf(wanted)));
}

/** Changes the name and the permissions of a role. */
export function patchRoleV3(
  call: Scim2Call,
  target: Target,
  body: unknown,
  wanted: Selection,
): Promise<ShownInBrief<Tagged>> {
  const steps = readPatch(roleType, body, {
    check: (step) => {
      const kind = kinds.find((one) => isStepOn(step, assigneeLists[one]));
      if (kind) throw notHere(kind);
    },
  });
  return applySteps(call, target, steps, shownOf(wanted));
}

/** Replaces the users or groups of a role by those of a list. */
export async function putAssignees(
  call: Scim2Call,
  target: Target,
  kind: AssigneeKind,
  body: unknown,
): Promise<Tagged> {
  const list = assigneeLists[kind];
  if (!Array.isArray(body))
    throw new Fault("request.malformed", 'The body must be a list, such as [{"value": "<id>"}].');
  const [given] = valuesTogether(
    () => readResource(roleType, { [list]: body }),
    () =>
      checkEach(body.entries(), ([at, element]) => {
        // It would be left out, and the list replaced by a shorter one.
        if (isUnassigned(element)) throw invalidValue(`${list}[${at}].value`, "is required.");
      }),
  );
  const role = await changeRole(call.stores, call, target.id, {
    check: (before) => checkMatch(target, before),
    change: async (after) => ({
      after,
      assigneeChanges: {
        user: keptMembers,
        group: keptMembers,
        [kind]: replacingMembers(valuesIn(list, given[list])),
      },
    }),
  });
  return showRole(call, role, projectionOf(roleType, WITHOUT_ASSIGNEES));
}

/** Changes the users or groups of a role by a PATCH whose paths begin in the list. */
export function patchAssignees(
  call: Scim2Call,
  target: Target,
  kind: AssigneeKind,
  body: unknown,
): Promise<ShownInBrief<Tagged>> {
  const list = assigneeLists[kind];
  const steps = readPatch(roleType, withinList(list, body), {
    check: (step) => {
      if (isStepOn(step, list)) checkAssigneeStep(step);
      else throw new Fault("scim.path_invalid", `${step.place}: only the ${list} of the role can be changed here.`);
    },
  });
  return applySteps(call, target, steps, WITHOUT_ASSIGNEES);
}

/** The same PATCH with paths that begin in the role: none is the whole list, and a filter selects in it. */
function withinList(list: string, body: unknown): unknown {
  return changed(body, "operations", (operations) =>
    Array.isArray(operations) ? operations.map((operation) => operationWithin(list, operation)) : operations,
  );
}

function operationWithin(list: string, operation: unknown): unknown {
  return changed(operation, "path", (path = "") => {
    if (typeof path !== "string") return path ?? list;
    const given = path.trim();
    if (given === "" || given.toLowerCase() === list) return list;
    return given.toLowerCase().startsWith(`${list}[`) ? given : `${list}[${given}]`;
  });
}

/** An object with another value of a member, whose name counts in any letter case. It may be absent. */
function changed(given: unknown, name: string, change: (value: unknown) => unknown): unknown {
  if (given === null || typeof given !== "object" || Array.isArray(given)) return given;
  const members = Object.entries(given);
  const found = members.find(([member]) => member.toLowerCase() === name);
  return Object.fromEntries([
    ...members.filter((member) => member !== found),
    [found?.[0] ?? name, change(found?.[1])],
  ]);
}

/** The name, audience and permissions of a body. */
function metaOf(body: unknown): Resource {
  const pick = isObject(body) ? pickFrom(body) : () => undefined;
  const [, resource] = valuesTogether(
    () =>
      checkEach(kinds, (kind) => {
        if (!isUnassigned(pick(assigneeLists[kind]))) throw notHere(kind);
      }),
    () => readComplete(roleType, body),
  );
  return resource;
}

function notHere(kind: AssigneeKind): Fault {
  const list = assigneeLists[kind];
  const path = kind === "user" ? "Users" : "Groups";
  return new Fault("request.invalid", `${list}: send them to /scim2/v3/Roles/{id}/${path}.`);
}

function shownOf(wanted: Selection): Selection {
  return wanted.attributes === undefined && wanted.excludedAttributes === undefined ? WITHOUT_ASSIGNEES : wanted;
}
