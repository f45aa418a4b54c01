/** Roles by upstream's SCIM-like API: the functions behind `/v2/Roles`. */

import type { HolderKind } from "../../identities/memberships/assignees.ts";
import { changeRole, createRole, deleteRole, type HolderWish, valuesIn } from "../../identities/provisioning/roles.ts";
import type { Role } from "../../identities/roles/model.ts";
import { notFound } from "../../identities/roles/rules.ts";
import { qualifiedName } from "../../identities/users/model.ts";
import { Fault } from "../../platform/faults.ts";
import { bindFilter } from "../../scim/filter/bind.ts";
import { matches } from "../../scim/filter/evaluate.ts";
import { parseFilter } from "../../scim/filter/parse.ts";
import { readResource } from "../../scim/input.ts";
import { compareBy, readOrder } from "../../scim/order.ts";
import { applyPatch } from "../../scim/patch/apply.ts";
import { readPatch } from "../../scim/patch/read.ts";
import { isStepOn, type PatchStep } from "../../scim/patch/step.ts";
import { type Projection, present, projectionOf, wants } from "../../scim/projection.ts";
import { checkImmutable, requireAll } from "../../scim/requirements.ts";
import type { Json, Resource } from "../../scim/schema/attribute.ts";
import { roleType } from "../../scim/schema/role.ts";
import { etagOf, linkTo } from "../resources/present.ts";
import { MEMBERS_SHOWN_MAX } from "../resources/show.ts";
import { roleListScopes, roleOperations } from "./contract-roles.ts";
import type { Asking, ListAnswer } from "./list.ts";
import { keepingMembers, membershipOf, replacingMembers } from "./membership.ts";
import { type ListRequest, pagingOf } from "./paging.ts";
import { LIST_RESPONSE } from "./shapes.ts";
import type { Scim2Stores } from "./stores.ts";
import { asksForNothing, type Changing, checkMatch, type Shown, type Wanted } from "./users.ts";

/** Holders past which a change of a role is answered without it, unless attributes are asked for, as with the members of a group. */
const HOLDERS_ANSWERED_MAX = 1_000;
/** Holders that are shown by name as well: as many as resources of a page. */
const HOLDERS_NAMED_MAX = 200;

const lists: Readonly<Record<HolderKind, string>> = { user: "users", group: "groups" };

/** The ids of the holders of each kind that an answer shows; `undefined` where there are more than `most`. */
type Holders = Readonly<Record<HolderKind, readonly string[] | undefined>>;

/** Attributes that a list of roles shows: who holds them is told by each role. */
const LISTED = "displayName,audience,permissions,meta";

/** Creates a role. */
export async function postRole(stores: Scim2Stores, asking: Asking, body: unknown, wanted: Wanted): Promise<Shown> {
  const projection = projectionOf(roleType, wanted);
  const resource = readResource(roleType, body);
  requireAll(roleType, resource);
  return shown(stores, asking, await createRole(stores, asking, resource), projection);
}

/** Reads a role. */
export async function readRole(stores: Scim2Stores, asking: Asking, id: string, wanted: Wanted): Promise<Shown> {
  const projection = projectionOf(roleType, wanted);
  const [role, holders] = await Promise.all([
    stores.roles.find(asking.tenant, id),
    readHolders(stores, asking, id, projection, MEMBERS_SHOWN_MAX),
  ]);
  if (!role) throw notFound(id);
  for (const kind of ["user", "group"] as const) if (!holders[kind]) throw tooMany(kind);
  return shown(stores, asking, role, projection, holders);
}

function tooMany(kind: HolderKind): Fault {
  return new Fault(
    "scim.too_many",
    `More than ${MEMBERS_SHOWN_MAX} ${lists[kind]} hold the role: send excludedAttributes=${lists[kind]}.`,
  );
}

/** Replaces a role with its holders. */
export async function putRole(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Shown> {
  const projection = projectionOf(roleType, wanted);
  const resource = readResource(roleType, body);
  requireAll(roleType, resource);
  const wishOf = (kind: HolderKind): HolderWish => replacingMembers(valuesIn(lists[kind], resource[lists[kind]]));
  const role = await changeRole(stores, asking, id, {
    check: ({ version }) => checkMatch(ifMatch, version),
    change: async (before) => {
      const { audience = before.audience ?? {}, ...rest } = resource;
      const after = { ...rest, id, audience };
      checkImmutable(roleType, before, after);
      return { after, wishes: { user: wishOf("user"), group: wishOf("group") } };
    },
  });
  return shown(stores, asking, role, projection);
}

/** Changes a role. The body is left out where many hold it, unless attributes are asked for. */
export async function patchRole(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Omit<Shown, "body"> & { readonly body: Record<string, unknown> | undefined }> {
  const projection = projectionOf(roleType, wanted);
  const steps = readPatch(roleType, body);
  checkSteps(steps, asking);
  const stepsOn = (name: string) => steps.flatMap((step) => (isStepOn(step, name) ? [step] : []));
  const others = steps.filter((step) => !isStepOn(step, "users") && !isStepOn(step, "groups"));
  const role = await changeRole(stores, asking, id, {
    check: ({ version }) => checkMatch(ifMatch, version),
    change: async (before, holders) => {
      const wishOf = async (kind: HolderKind): Promise<HolderWish> => {
        const own = stepsOn(lists[kind]);
        if (own.length === 0) return keepingMembers;
        return membershipOf(own, {
          name: lists[kind],
          idsOf: (elements) => valuesIn(lists[kind], elements),
          read: async () => (await holders(kind)).map((userId) => ({ userId, name: "" })),
        });
      };
      const [user, group] = await Promise.all([wishOf("user"), wishOf("group")]);
      return { after: applyPatch(roleType, before, others), wishes: { user, group } };
    },
  });
  const isBrief = asksForNothing(wanted);
  const most = isBrief ? HOLDERS_ANSWERED_MAX : MEMBERS_SHOWN_MAX;
  const holders = await readHolders(stores, asking, id, projection, most);
  if (isBrief && !(holders.user && holders.group)) {
    return { location: `${asking.base}/v2/Roles/${id}`, etag: etagOf(role.version), body: undefined };
  }
  return shown(stores, asking, role, projection, holders);
}

/**
 * Holds a caller who may change some lists of a role to those. Who may change none of them and got this far was let in by a
 * rule of the operator, which says enough (decision 0051). Throws `scim.forbidden`.
 */
function checkSteps(steps: readonly PatchStep[], { scopes }: Asking): void {
  const [whole, lists] = [roleOperations.patchRole.scope, Object.entries(roleListScopes)];
  const mayChange = lists.flatMap(([name, scope]) => (scopes?.has(scope) ? [name] : []));
  if (scopes?.has(whole) || mayChange.length === 0) return;
  if (steps.every((step) => mayChange.some((name) => isStepOn(step, name)))) return;
  throw new Fault(
    "scim.forbidden",
    `The change needs the scope ${whole}; the caller may change of a role: ${mayChange.join(", ")}.`,
  );
}

/** Deletes a role. */
export function removeRole(stores: Scim2Stores, asking: Asking, { id, ifMatch }: Changing): Promise<void> {
  return deleteRole(stores, asking, id, ({ version }) => checkMatch(ifMatch, version));
}

/** Lists roles: those for all applications first, by name. A tenant has few enough to look at each. */
export async function listRoles(stores: Scim2Stores, asking: Asking, request: ListRequest): Promise<ListAnswer> {
  const { attributes = request.excludedAttributes === undefined ? LISTED : undefined, ...rest } = request;
  const projection = projectionOf(roleType, {
    ...(attributes !== undefined && { attributes }),
    ...(rest.excludedAttributes !== undefined && { excludedAttributes: rest.excludedAttributes }),
  });
  const paging = pagingOf(request);
  if (paging.kind !== "index") throw new Fault("scim.cursor_invalid", "Roles are paged by startIndex and count.");
  const filter = request.filter?.trim()
    ? bindFilter(roleType, parseFilter(request.filter), { unknown: "refuse" })
    : undefined;
  const order = readOrder(roleType, request.sortBy, request.sortOrder);
  const found = (await stores.roles.all(asking.tenant))
    .map((role) => ({ role, resource: roleResource(role, asking) }))
    .filter(({ resource }) => !filter || matches(filter, resource));
  if (order) {
    const compare = compareBy(order);
    found.sort((a, b) => compare(a.resource, b.resource));
  }
  const page = found.slice(paging.startIndex - 1, paging.startIndex - 1 + paging.count);
  return {
    schemas: [LIST_RESPONSE],
    totalResults: found.length,
    startIndex: paging.startIndex,
    itemsPerPage: page.length,
    Resources: page.map(({ resource }) => ({ ...present(projection, resource) })),
  };
}

/** Holders that are more than an answer holds are left out: what was asked for has been done. */
async function shown(
  stores: Scim2Stores,
  asking: Asking,
  role: Role,
  projection: Projection,
  read?: Holders,
): Promise<Shown> {
  const { user = [], group = [] } = read ?? (await readHolders(stores, asking, role.id, projection, MEMBERS_SHOWN_MAX));
  const holders = await Promise.all([
    holdersShown(stores, asking, "user", user),
    holdersShown(stores, asking, "group", group),
  ]);
  const resource: Resource = Object.assign({}, roleResource(role, asking), ...holders);
  return {
    location: `${asking.base}/v2/Roles/${role.id}`,
    etag: etagOf(role.version),
    body: { ...present(projection, resource) },
  };
}

/** The users or groups of a role, by name where they are few. Whoever is deleted meanwhile is left out then. */
async function holdersShown(
  stores: Scim2Stores,
  asking: Asking,
  kind: HolderKind,
  ids: readonly string[],
): Promise<Resource> {
  const names = await namesOf(stores, asking, kind, ids);
  const there = names ? ids.filter((id) => names.has(id)) : ids;
  return filled(
    lists[kind],
    there.map((value) => ({
      value,
      ...(names && { display: names.get(value) ?? "" }),
      $ref: linkTo(asking, `/${kind === "user" ? "Users" : "Groups"}/${value}`),
    })),
  );
}

/** The names of users or groups; of many nobody's, for each would be read as a whole. */
async function namesOf(
  { users, groups }: Scim2Stores,
  { tenant }: Asking,
  kind: HolderKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  if (ids.length === 0 || ids.length > HOLDERS_NAMED_MAX) return undefined;
  if (kind === "group") return groups.namesOf(tenant, ids);
  const found = await users.findMany(tenant, ids);
  return new Map(found.flatMap((user) => (user ? [[user.id, qualifiedName(user)]] : [])));
}

async function readHolders(
  { roles }: Scim2Stores,
  { tenant }: Asking,
  id: string,
  projection: Projection,
  most: number,
): Promise<Holders> {
  const read = async (kind: HolderKind) => {
    const ids = wants(projection, lists[kind]) ? await roles.holders(tenant, id, kind, most + 1) : [];
    return ids.length > most ? undefined : ids;
  };
  const [user, group] = await Promise.all([read("user"), read("group")]);
  return { user, group };
}

/** What every answer shows of a role. */
function roleResource(role: Role, asking: Asking): Resource {
  return {
    id: role.id,
    displayName: role.name,
    audience: { value: role.audience.value, display: role.audience.value, type: role.audience.type },
    ...filled(
      "permissions",
      role.permissions.map((value) => ({ value, display: value })),
    ),
    meta: {
      resourceType: "Role",
      created: new Date(role.createdMs).toISOString(),
      lastModified: new Date(role.modifiedMs).toISOString(),
      location: linkTo(asking, `/v2/Roles/${role.id}`),
      version: etagOf(role.version),
    },
  };
}

function filled(name: string, list: readonly Json[]): Resource {
  return list.length > 0 ? { [name]: list } : {};
}
