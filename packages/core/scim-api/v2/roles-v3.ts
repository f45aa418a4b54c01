/**
 * Roles by upstream's SCIM2 roles API v3: the functions of `/v3/Roles`. A role is shown as by v2, and written in parts,
 * each with a right of its own: its name and permissions, its users, and its groups.
 */
import type { AssigneeKind } from "../../identities/memberships/assignees.ts";
import { changeRole, createRole, valuesIn } from "../../identities/provisioning/roles.ts";
import { Fault } from "../../platform/faults.ts";
import { readResource } from "../../scim/input.ts";
import { readPatch } from "../../scim/patch/read.ts";
import { isStepOn } from "../../scim/patch/step.ts";
import { projectionOf, type Selection } from "../../scim/projection.ts";
import { checkImmutable, requireAll } from "../../scim/requirements.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { roleType } from "../../scim/schema/role.ts";
import type { ShownInBrief } from "../resources/call.ts";
import { keptMembers, replacingMembers } from "../resources/groups.ts";
import { checkMatch, type Tagged, type Target } from "../resources/target.ts";
import { assigneeLists, kinds, showRole } from "./role-view.ts";
import { applySteps } from "./roles.ts";
import type { Scim2Call } from "./stores.ts";

/** A response shows the role without its assignees, unless the request selects attributes. */
const WITHOUT_ASSIGNEES: Selection = { excludedAttributes: Object.values(assigneeLists).join(",") };

/** Creates a role without users and groups. */
export async function postRoleV3(call: Scim2Call, body: unknown, wanted: Selection): Promise<Tagged> {
  const resource = metaOf(body);
  requireAll(roleType, resource);
  return showRole(call, await createRole(call.stores, call, resource), projectionOf(roleType, wanted));
}

/** Replaces the name and the permissions of a role. Its users and groups stay. */
export async function putRoleV3(call: Scim2Call, target: Target, body: unknown, wanted: Selection): Promise<Tagged> {
  const { id } = target;
  const resource = metaOf(body);
  requireAll(roleType, resource);
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
  const steps = readPatch(roleType, body);
  for (const kind of kinds) {
    if (steps.some((step) => isStepOn(step, assigneeLists[kind]))) throw notHere(kind);
  }
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
  if (!body.every(namesOne)) throw new Fault("request.invalid", `${list}: each element must have a value, the id.`);
  const given = readResource(roleType, { [list]: body });
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
  const steps = readPatch(roleType, withinList(list, body));
  const isOther = steps.some((step) => !isStepOn(step, list));
  if (isOther) throw new Fault("scim.path_invalid", `Only the ${list} of the role can be changed here.`);
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
  const resource = readResource(roleType, body);
  for (const kind of kinds) if (resource[assigneeLists[kind]] !== undefined) throw notHere(kind);
  return resource;
}

/** Whether an element has an id. An element without one would be left out, and the list replaced by a shorter one. */
function namesOne(element: unknown): boolean {
  if (typeof element === "string") return element !== "";
  if (element === null || typeof element !== "object") return false;
  const found = Object.entries(element).find(([name]) => name.toLowerCase() === "value");
  return typeof found?.[1] === "string" && found[1] !== "";
}

function notHere(kind: AssigneeKind): Fault {
  const list = assigneeLists[kind];
  const path = kind === "user" ? "Users" : "Groups";
  return new Fault("request.invalid", `${list}: send them to /scim2/v3/Roles/{id}/${path}.`);
}

function shownOf(wanted: Selection): Selection {
  return wanted.attributes === undefined && wanted.excludedAttributes === undefined ? WITHOUT_ASSIGNEES : wanted;
}
