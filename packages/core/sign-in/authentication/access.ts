/**
 * Who has access to an application that asks for an assignment (`enableAuthorization`; decision 0170): users who are
 * assigned themselves, by one of their groups, or by a role that they hold directly or by a group. Read strongly, for
 * each code and each token.
 */
import type { Table } from "../../database/table/table.ts";
import type { Assigned, Assignment, Held } from "../../directory/memberships/assignment-model.ts";
import { assignedAmong, readAccess, readAccessTo } from "../../directory/memberships/assignments.ts";
import type { User } from "../../directory/users/model.ts";
import { type RoleIdStores, roleIdsOf } from "./role-ids.ts";

/** Where access is read. */
export interface AccessStores extends RoleIdStores {
  readonly table: Table;
}

/** Who asks for access to what. */
export interface AccessQuery {
  /** Of the application. */
  readonly tenant: string;
  readonly applicationId: string;
  /** A user of that tenant: guests have no access, whatever their ids are. */
  readonly user: Pick<User, "id" | "groupIds" | "roleIds">;
  /**
   * When the sign-in was that wants to go on, in milliseconds. What the application has lost since, and got again, does
   * not bring it back. Absent for one that begins.
   */
  readonly sinceMs?: number | undefined;
  /** Reads the ids of the roles of the user, where they are known already. */
  readonly rolesOf?: (() => Promise<readonly string[]>) | undefined;
}

/**
 * Whether a user has access. One round trip and two read units, whatever number is assigned; one more, and the groups
 * of the user, where roles are assigned and neither the user nor a group nor a role of its own is; and the rows of its
 * groups and roles where the application has more of them than one row names.
 */
export async function hasAccess(stores: AccessStores, query: AccessQuery): Promise<boolean> {
  const { tenant, applicationId, user, sinceMs = Number.POSITIVE_INFINITY } = query;
  const read = await readAccess(stores.table, tenant, applicationId, user.id);
  const counts = ({ quietFromMs }: Assignment) => quietFromMs <= sinceMs;
  const { rolesOf = () => roleIdsOf(stores, tenant, user) } = query;
  return givesAccess(stores, { ...query, ...read, counts, rolesOf });
}

/**
 * The ids of those among some applications of a tenant that a user has access to. Two read units for each application;
 * two round trips, and one for each application that has more groups and roles than one row names.
 */
export async function accessibleAmong(
  stores: AccessStores,
  {
    tenant,
    user,
    applicationIds,
  }: Pick<AccessQuery, "tenant" | "user"> & {
    readonly applicationIds: readonly string[];
  },
): Promise<ReadonlySet<string>> {
  const read = await readAccessTo(stores.table, tenant, applicationIds, user.id);
  const needsRoles = read.some(({ held }) => held.counts.roles > 0);
  const roleIds = needsRoles ? await roleIdsOf(stores, tenant, user) : [];
  const [counts, rolesOf] = [() => true, async () => roleIds];
  const given = await Promise.all(
    read.map(async ({ applicationId, ...rows }) =>
      (await givesAccess(stores, { tenant, applicationId, user, ...rows, counts, rolesOf })) ? [applicationId] : [],
    ),
  );
  return new Set(given.flat());
}

/** What decides: the assignments that were read, which of them count, and the roles of the user. */
interface ReadQuery extends AccessQuery {
  readonly held: Held;
  readonly own: Assignment | undefined;
  readonly counts: (assignment: Assignment) => boolean;
  readonly rolesOf: () => Promise<readonly string[]>;
}

async function givesAccess(
  { table }: AccessStores,
  { tenant, applicationId, user, held, own, counts, rolesOf }: ReadQuery,
): Promise<boolean> {
  if (own && counts(own)) return true;
  const { named, counts: numbers } = held;
  if (numbers.groups + numbers.roles === 0) return false;
  if (!named) {
    const roleIds = numbers.roles > 0 ? await rolesOf() : [];
    const possible = [...ofType("group", user.groupIds), ...ofType("role", roleIds)];
    return (await assignedAmong(table, tenant, applicationId, possible)).some(counts);
  }
  const giving = named.filter(counts);
  const isNamed = (type: Assigned["type"], ids: readonly string[]) =>
    giving.some((one) => one.type === type && ids.includes(one.id));
  if (isNamed("group", user.groupIds) || isNamed("role", user.roleIds)) return true;
  return giving.some(({ type }) => type === "role") && isNamed("role", await rolesOf());
}

function ofType(type: Assigned["type"], ids: readonly string[]): readonly Assigned[] {
  return ids.map((id) => ({ type, id }));
}
