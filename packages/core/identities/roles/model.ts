/** A role: a named set of scopes, given to users and to groups. */

/** Whom a role is for: all applications of the tenant, or one of them. */
export interface Audience {
  readonly type: "organization" | "application";
  /** The id of the application, or the domain of the tenant. */
  readonly value: string;
}

/** One role. */
export interface Role {
  readonly id: string;
  /** Unique among the roles for its audience, whatever the case. */
  readonly name: string;
  /** The scopes that the role was given; empty for a role that holds every scope. */
  readonly permissions: readonly string[];
  readonly holdsEveryScope: boolean;
  readonly audience: Audience;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of the role or of who holds it. */
  readonly version: number;
}

/** The role that holds every scope of the catalogue, whatever scopes later versions add. */
export const ADMIN_ROLE = "admin";

/** The role that every user of a tenant has without being given it. */
export const EVERYONE_ROLE = "everyone";

/** A role that was just made, for all applications of a tenant. */
export function freshRole(
  id: string,
  name: string,
  tenant: string,
  nowMs: number,
  more: Partial<Pick<Role, "permissions" | "holdsEveryScope" | "audience">> = {},
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

/** Whether a role counts for the callers of an application: those for all applications do, and its own. Without one, only the former. */
export function isFor({ audience }: Role, applicationId?: string): boolean {
  return audience.type === "organization" || audience.value === applicationId;
}

/** The scopes of a role. `everyScope` is what one that holds them all stands for. */
export function scopesOf({ holdsEveryScope, permissions }: Role, everyScope: ReadonlySet<string>): readonly string[] {
  return holdsEveryScope ? [...everyScope] : permissions;
}

/** Whether a role belongs to the service: its name stays and it cannot be deleted. */
export function isBuiltIn({ name, audience }: Role): boolean {
  return audience.type === "organization" && (name === ADMIN_ROLE || name === EVERYONE_ROLE);
}
