/** A role: a named set of scopes that is assigned to users and groups. */

import type { Bulk } from "../memberships/bulk-model.ts";

/** The applications that a role is for: all of the tenant, or one of them. */
export interface Audience {
  readonly type: "organization" | "application";
  /** The id of the application, or the domain of the tenant. */
  readonly value: string;
  /** The name of the application when the role was created. It may have another since (`audiences.ts`). */
  readonly name?: string | undefined;
}

/** One role. */
export interface Role {
  readonly id: string;
  /** Unique among the roles for its audience, in any case. */
  readonly name: string;
  /** The id of the role at the provisioning client. */
  readonly externalId?: string | undefined;
  /** The scopes of the role; empty for a full-access role. */
  readonly permissions: readonly string[];
  /** True for a full-access role: it has every scope of the catalogue, also those of later versions. */
  readonly holdsEveryScope: boolean;
  readonly audience: Audience;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of the role or of its assignees. */
  readonly version: number;
  /** The bulk membership that is being carried out. */
  readonly bulk?: Bulk | undefined;
}

/** The built-in full-access role. */
export const ADMIN_ROLE = "admin";

/** The built-in role that every user of a tenant has without an assignment. */
export const EVERYONE_ROLE = "everyone";

/** A new role, for all applications of a tenant. */
export function freshRole(
  id: string,
  name: string,
  tenant: string,
  nowMs: number,
  more: Partial<Pick<Role, "externalId" | "permissions" | "holdsEveryScope" | "audience">> = {},
): Role {
  return {
    id,
    name,
    permissions: [],
    holdsEveryScope: false,
    audience: { type: "organization", value: tenant },
    createdMs: nowMs,
    modifiedMs: nowMs,
    version: 1,
    ...more,
  };
}

/**
 * Whether a role is valid for callers of an application. Without an application, only roles for all applications are.
 */
export function isFor({ audience }: Role, applicationId?: string): boolean {
  return audience.type === "organization" || audience.value === applicationId;
}

/** Which roles count for an application. */
export interface CountingRoles {
  /** Roles of the tenant do not count. */
  readonly ofApplication: boolean;
  /** The only ones that count; empty for all. */
  readonly ids: readonly string[];
}

/** Whether a role is among those that an application chose; all are where it chose none. */
export function isAmong({ id, audience }: Pick<Role, "id" | "audience">, roles: CountingRoles | undefined): boolean {
  if (!roles) return true;
  if (roles.ofApplication && audience.type !== "application") return false;
  return roles.ids.length === 0 || roles.ids.includes(id);
}

/** The scopes of a role. `everyScope` are those of a full-access role. */
export function scopesOf({ holdsEveryScope, permissions }: Role, everyScope: ReadonlySet<string>): readonly string[] {
  return holdsEveryScope ? [...everyScope] : permissions;
}

/** What a role gives its holder who calls directly, not through an application. */
export function directScopesOf(role: Role, everyScope: ReadonlySet<string>): readonly string[] {
  return isFor(role) ? scopesOf(role, everyScope) : [];
}

/** Whether a role is built in: it cannot be renamed or deleted. */
export function isBuiltIn({ name, audience }: Role): boolean {
  return audience.type === "organization" && (name === ADMIN_ROLE || name === EVERYONE_ROLE);
}
