/** Reading what users and groups show, and writing it as SCIM 1.1 does: whole, or as much of it as was asked for. */

import type { Group } from "../../identities/groups/model.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import type { User } from "../../identities/users/model.ts";
import { Fault } from "../../platform/faults.ts";
import { pathName } from "../../scim/filter/bound.ts";
import { type Projection, present, projectionOf, wants } from "../../scim/projection.ts";
import type { Resource, ResourceType } from "../../scim/schema/attribute.ts";
import { groupResource, type Links } from "../resources/present.ts";
import { membersOfAll, showUsers } from "../resources/show.ts";
import { attributesNamed } from "./naming.ts";
import { groupShown, userShown } from "./present.ts";
import type { Scim1Stores } from "./stores.ts";

/** In which tenant, when, and where links begin. */
export interface Asking extends Links {
  readonly now: number;
  /** Who asks. */
  readonly subject?: string | undefined;
  /** The scopes of its credential, where the operation is told. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

/** A resource that was read or made, as operations answer it. */
export interface Shown {
  readonly location: string;
  readonly body: Record<string, unknown>;
}

/** The most names in `attributes`. */
const NAMES_MAX = 1_000;

/** What is shown of every resource, beside what a request names. */
const always: Readonly<Record<string, readonly string[]>> = {
  User: ["id", "userName", "meta"],
  Group: ["id", "displayName", "meta"],
};

/** Everything, as a resource that is read by its id shows it. */
export function everything(type: ResourceType): Projection {
  return projectionOf(type, {});
}

/** What the spec shows of a resource in a list, with the attributes that a request names beside it. */
export function summary(type: ResourceType, attributes = ""): Projection {
  return projectionOf(type, { attributes: [...(always[type.name] ?? []), ...namesOf(type, attributes)] });
}

/** The attributes that a comma list names, as SCIM 2.0 calls them; names that SCIM 1.1 does not have stand for nothing. */
function namesOf(type: ResourceType, list: string): readonly string[] {
  const names = new Set(list.split(","));
  if (names.size > NAMES_MAX) {
    throw new Fault("request.invalid", `A request names at most ${NAMES_MAX} attributes, not ${names.size}.`);
  }
  return [...names].flatMap((name) => attributesNamed(type, name).map(pathName));
}

/** What a request for one resource wants to see. Throws `request.invalid` for too many names. */
export function wantedOf(type: ResourceType, attributes: string | undefined): Projection {
  return attributes === undefined || attributes.trim() === "" ? everything(type) : summary(type, attributes);
}

/** Users as they are answered. `version` is that of the names, where it was read beside the users already. */
export async function showAll(
  stores: Scim1Stores,
  asking: Asking,
  users: readonly User[],
  projection: Projection,
  version?: Promise<number>,
): Promise<readonly Resource[]> {
  const resources = await showUsers(stores, asking, users, projection, version);
  return resources.map((resource) => userShown(resource, stores.userStores));
}

/** One user. */
export async function showUser(
  stores: Scim1Stores,
  asking: Asking,
  user: User,
  projection: Projection,
  version?: Promise<number>,
): Promise<Shown> {
  const [body = {}] = await showAll(stores, asking, [user], projection, version);
  return { location: `${asking.base}/Users/${user.id}`, body: { ...body } };
}

/** Groups as they are answered; their members are read where they are shown and not given. */
export async function showGroups(
  stores: Scim1Stores,
  asking: Asking,
  groups: readonly Group[],
  projection: Projection,
  read?: readonly (readonly Member[])[],
): Promise<readonly Resource[]> {
  const isWhole = wants(projection, "members");
  const members = isWhole ? (read ?? (await membersOfAll(stores, asking.tenant, groups))) : [];
  return groups.map((group, at) =>
    groupShown(present(projection, groupResource(group, members[at], asking), { emptyLists: ["members"] }), group),
  );
}

/** One group. */
export async function showGroup(
  stores: Scim1Stores,
  asking: Asking,
  group: Group,
  projection: Projection,
  read?: readonly Member[],
): Promise<Shown> {
  const [body = {}] = await showGroups(stores, asking, [group], projection, read && [read]);
  return { location: `${asking.base}/Groups/${group.id}`, body: { ...body } };
}
