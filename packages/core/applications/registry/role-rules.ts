/** Which roles count in an application (decision 0075). Pure. */
import { isFor, type Role } from "../../directory/roles/model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Application, AssociatedRoleSettings } from "./model.ts";

const ALL: AssociatedRoleSettings = { allowedAudience: "ORGANIZATION" };

/** The ids of the roles that a body names, each once. */
export function namedRoles({
  associatedRoles,
}: {
  readonly associatedRoles?: AssociatedRoleSettings | undefined;
}): readonly string[] {
  return [...new Set(associatedRoles?.roles?.map(({ id }) => id))];
}

/**
 * The settings with the names of their roles. `found` are those of the named roles that exist. Throws
 * `application.invalid` for a role that does not exist, or that is not for the application by its audience.
 */
export function withRoleNames(application: Application, found: readonly Role[], message: string): Application {
  const { associatedRoles } = application;
  if (!associatedRoles?.roles?.length) return application;
  const byId = new Map(found.map((role) => [role.id, role]));
  const roles = associatedRoles.roles.map(({ id }, at) => {
    const role = byId.get(id);
    const isOfApplication = role?.audience.type === "application";
    if (
      role &&
      isFor(role, application.id) &&
      (isOfApplication || associatedRoles.allowedAudience === "ORGANIZATION")
    ) {
      return { id, name: role.name };
    }
    throw new Fault(
      "application.invalid",
      `associatedRoles.roles[${at}]: no role with the id '${id.slice(0, 100)}' has the audience ${associatedRoles.allowedAudience}.`,
      { message },
    );
  });
  return { ...application, associatedRoles: { ...associatedRoles, roles } };
}

/** Whether a change of the settings lets a role count that did not count before. */
export function admitsMoreRoles(before: AssociatedRoleSettings = ALL, after: AssociatedRoleSettings = ALL): boolean {
  const had = new Set(before.roles?.map(({ id }) => id));
  if (had.size > 0) return !after.roles?.length || after.roles.some(({ id }) => !had.has(id));
  return before.allowedAudience === "APPLICATION" && after.allowedAudience === "ORGANIZATION";
}
