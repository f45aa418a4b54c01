/** Finds the roles that a file names: by id, or by name where the file comes from another server. */
import { isFor, type Role } from "../../directory/roles/model.ts";
import type { RoleStore } from "../../directory/roles/store.ts";
import type { AssociatedRoleSettings } from "../registry/model.ts";
import { refuseFile } from "./read-xml.ts";
import type { Settings } from "./settings.ts";

/**
 * Looks up the roles that count in the application of a file. Roles of an application itself that do not exist here are
 * left out: they can only be created after it, and the import reports them. Throws `application.invalid` for a missing
 * role of the tenant, and where none of those that the application has is named: without them, others would count. No
 * round trip where the file names no role, else one; two more where an id is unknown.
 */
export async function findRoles(
  { associatedRoles: given }: Pick<Settings, "associatedRoles">,
  tenant: string,
  applicationId: string,
  store: Pick<RoleStore, "findMany" | "all">,
): Promise<AssociatedRoleSettings | undefined> {
  if (!given?.roles?.length) return given && { allowedAudience: given.allowedAudience };
  const { allowedAudience, roles } = given;
  const isOfApplication = allowedAudience === "APPLICATION";
  const fits = (role: Role) => isFor(role, applicationId) && (!isOfApplication || role.audience.type === "application");
  const byId = new Map(
    (
      await store.findMany(
        tenant,
        roles.flatMap(({ id }) => id ?? []),
      )
    )
      .filter(fits)
      .map((role) => [role.id, role]),
  );
  const needsNames = roles.some(({ id }) => id === undefined || !byId.has(id));
  const byName = new Map(
    needsNames ? (await store.all(tenant)).filter(fits).map((role) => [role.name.toLowerCase(), role]) : [],
  );
  const found = roles.map(({ id, name }) => byId.get(id ?? "") ?? byName.get(name?.toLowerCase() ?? ""));
  const missing = roles.find((_, at) => !found[at]);
  const known = new Map(found.flatMap((role) => (role ? [[role.id, role.name] as const] : [])));
  if (missing && (!isOfApplication || (known.size === 0 && byName.size > 0))) {
    const owner = isOfApplication ? "application" : "tenant";
    const name = (missing.name ?? missing.id ?? "").slice(0, 100);
    throw refuseFile(
      `AssociatedRolesConfig: the ${owner} has no role '${name}'. Create it, or remove it from the file.`,
    );
  }
  return { allowedAudience, ...(known.size > 0 && { roles: [...known].map(([id, name]) => ({ id, name })) }) };
}
