/**
 * Users and groups as resources in canonical form, with all attributes. Each SCIM version shows them in its own form.
 */

import type { Json, JsonObject, Resource } from "../../../scim/protocol/schema/attribute.ts";
import { type Group, shownName } from "../../groups/model.ts";
import type { Member } from "../../memberships/membership.ts";
import type { ShownName } from "../../memberships/shown-names.ts";
import { qualifiedName, type User } from "../../users/model.ts";

/** The names of the groups and roles that exist, by id. */
export type ShownNames = ReadonlyMap<string, string>;

/** Where links begin. */
export interface Links {
  readonly origin: string;
  readonly tenant: string;
  /** The path of the tenant's resources, without the origin: `/scim2`. */
  readonly base: string;
}

/** The type of the roles that role assignments give. */
const ASSIGNED = "default";

/** The absolute URL of a path below the base. */
export function linkTo({ origin, base }: Links, path: string): string {
  return `${origin}${base}${path}`;
}

/** The entity tag of a version (RFC 7644 section 3.14). Weak: bodies of one version differ by their projection. */
export function etagOf(version: number): string {
  return `W/"${version}"`;
}

/**
 * A user with all attributes. Where roles have no parts for their audience, the display of a role has the name of its
 * application: two roles of one name differ (decision 0153).
 */
export function userResource(
  user: User,
  names: ReadonlyMap<string, ShownName>,
  links: Links,
  hasAudienceParts: boolean,
): Resource {
  const { roles, ...profile } = user.profile;
  const groups = user.groupIds.flatMap((id): Json[] => {
    const display = names.get(id);
    if (typeof display !== "string") return [];
    return [{ value: id, $ref: linkTo(links, `/Groups/${id}`), display, type: "direct" }];
  });
  const assigned = user.roleIds.flatMap((id): Json[] => {
    const shown = names.get(id);
    if (shown === undefined) return [];
    const value = typeof shown === "string" ? shown : shown.name;
    const display = hasAudienceParts ? value : displayOf(shown);
    const $ref = linkTo(links, `/v2/Roles/${id}`);
    return [{ value, display, type: ASSIGNED, $ref, ...audienceParts(shown) }];
  });
  return {
    id: user.id,
    meta: metaOf("User", user, linkTo(links, `/Users/${user.id}`)),
    userName: qualifiedName(user),
    active: user.active,
    ...profile,
    ...filled("groups", groups),
    ...filled("roles", [...assigned, ...listOf(roles)]),
  };
}

/** The name of a role for people: `auditor`, or `auditor (Billing)` for one of an application. */
function displayOf(shown: ShownName): string {
  if (typeof shown === "string") return shown;
  const { name, audience } = shown;
  return audience.type === "application" ? `${name} (${audience.display})` : name;
}

/** The parts of a role in a user that say which of several roles of one name it is. */
function audienceParts(shown: ShownName): JsonObject {
  if (typeof shown === "string") return {};
  const { type, value, display } = shown.audience;
  return { audienceValue: value, audienceDisplay: display, audienceType: type };
}

/**
 * A resource that a client sent, without assigned roles. Responses list those in `roles`, under a type of their own, so
 * a client that reads a user and replaces it sends them back.
 */
export function withoutAssignedRoles(resource: Resource): Resource {
  const { roles, ...rest } = resource;
  const own = listOf(roles).filter((role) => !isAssigned(role));
  return own.length === listOf(roles).length ? resource : { ...rest, ...filled("roles", own) };
}

/** A group; without members where these were not read, and with the roles whose names are given. */
export function groupResource(
  group: Group,
  {
    members = [],
    names = new Map(),
  }: { readonly members?: readonly Member[] | undefined; readonly names?: ShownNames },
  links: Links,
): Resource {
  const roles = group.roleIds.flatMap((id): Json[] => {
    const display = names.get(id);
    return display === undefined ? [] : [{ value: id, $ref: linkTo(links, `/v2/Roles/${id}`), display }];
  });
  return {
    id: group.id,
    meta: metaOf("Group", group, linkTo(links, `/Groups/${group.id}`)),
    displayName: shownName(group),
    ...(group.externalId !== undefined && { externalId: group.externalId }),
    ...filled(
      "members",
      members.map(({ userId, name }) => ({
        value: userId,
        $ref: linkTo(links, `/Users/${userId}`),
        display: name,
        type: "User",
      })),
    ),
    ...filled("roles", roles),
  };
}

/** The `meta` of a stored resource. */
export function metaOf(
  resourceType: string,
  { createdMs, modifiedMs, version }: Pick<User, "createdMs" | "modifiedMs" | "version">,
  location: string,
): JsonObject {
  return {
    resourceType,
    created: new Date(createdMs).toISOString(),
    lastModified: new Date(modifiedMs).toISOString(),
    location,
    version: etagOf(version),
  };
}

/** A list under its name; nothing where it is empty. */
export function filled(name: string, list: readonly Json[]): Resource {
  return list.length > 0 ? { [name]: list } : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isAssigned(role: Json): boolean {
  const { type } = role as JsonObject;
  return typeof type === "string" && type.trim().toLowerCase() === ASSIGNED;
}
