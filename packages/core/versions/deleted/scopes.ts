/**
 * Which scope allows what with a deleted resource: the scope of the operation on the resource itself. Restoring one
 * needs the scope that creates it, removing one for good the scope that deletes it.
 */
import { type DeletedType, deletedTypes } from "../../database/trash/model.ts";
import { Fault } from "../../kernel/faults.ts";

/** What a caller does with a deleted resource. */
export type Act = "view" | "restore" | "remove";

const families: Readonly<Record<DeletedType, string>> = {
  application: "internal_application_mgt",
  "application-template": "internal_application_mgt",
  "api-resource": "internal_api_resource",
  user: "internal_user_mgt",
  group: "internal_group_mgt",
  role: "internal_role_mgt",
};
const endings = { view: "view", restore: "create", remove: "delete" } as const;

/** The scope of an act on resources of a type; of applications by default. */
export function scopeTo(act: Act, type: DeletedType = "application"): string {
  return `${families[type]}_${endings[act]}`;
}

/** The scopes of an act on the other types. */
export function furtherScopesTo(act: Act): readonly string[] {
  return [...new Set(deletedTypes.map((type) => scopeTo(act, type)))].filter((scope) => scope !== scopeTo(act));
}

/** The types on which a caller may act. */
export function typesFor(act: Act, scopes: ReadonlySet<string>): readonly DeletedType[] {
  return deletedTypes.filter((type) => scopes.has(scopeTo(act, type)));
}

/** Throws `auth.forbidden`. */
export function checkScope(act: Act, type: DeletedType, scopes: ReadonlySet<string>): void {
  const scope = scopeTo(act, type);
  if (scopes.has(scope)) return;
  throw new Fault("auth.forbidden", `This operation requires the scope ${scope}, which your credential does not have.`);
}
