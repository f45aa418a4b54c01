/** Rules for the names, permissions and assignees of roles. Pure. */
import { hiddenInShown } from "../../kernel/domain/characters.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault, refuse } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import { isBuiltIn, type Role } from "./model.ts";

/** The most scopes of one role: they are stored in its row. */
const PERMISSIONS_MAX = 1_000;

const NAME_LENGTH_MAX = 255;
const TEXTS_SHOWN = 5;

/** The fault for a role name that another role for the same audience has. */
export function nameTaken(name: string): Fault {
  return new Fault("scim.unique", `Role with name: ${name} already exists in the system.`);
}

/** The fault for an id that no role of the tenant has. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `Role not found in the system: ${id.slice(0, 100)}.`);
}

/** Checks the new name of a role (decision 0062). Existing names stay valid. Throws `request.invalid`. */
export function checkRoleName(name: string): void {
  const length = [...name].length;
  if (length === 0 || length > NAME_LENGTH_MAX || name.includes("#")) {
    throw refuse(`displayName must have 1 to ${NAME_LENGTH_MAX} characters, without #.`);
  }
  const hidden = hiddenInShown(name);
  if (hidden !== undefined) {
    throw refuse(
      `displayName contains the invisible character ${hidden}. Leave it out: the name would look like another.`,
    );
  }
}

/** Checks that a built-in role is not renamed, emptied or deleted. Throws `scim.forbidden`. */
export function checkBuiltIn(before: Role, after: Role | undefined): void {
  if (!isBuiltIn(before)) return;
  const isUnchanged =
    after?.name === before.name &&
    (!before.holdsEveryScope || after.permissions.length === 0) &&
    after.audience.value === before.audience.value;
  if (!isUnchanged) {
    throw new Fault(
      "scim.forbidden",
      `The role "${before.name}" is built in. Only its users, groups and externalId can be changed.`,
    );
  }
}

const scopeNames = [...systemScopes];

/** Checks the scopes of a role; `known` are those of them that an API of the tenant has. Throws `request.invalid`. */
export function checkPermissions(permissions: readonly string[], known: ReadonlySet<string>): void {
  if (permissions.length > PERMISSIONS_MAX) throw refuse(`A role can have at most ${PERMISSIONS_MAX} permissions.`);
  const unknown = permissions.filter((permission) => !known.has(permission));
  const [first] = unknown;
  if (first === undefined) return;
  const meant = nearest(first, scopeNames);
  const hint = meant === undefined ? "GET /api/server/v1/scopes lists them." : `Did you mean ${meant}?`;
  throw refuse(`permissions: no API has these scopes: ${quoted(unknown)}. ${hint}`);
}

/** The fault for assignees that do not exist. */
export function unknownHolders(kind: "user" | "group", ids: readonly string[]): Fault {
  return refuse(
    `${kind}s: these do not exist: ${quoted(ids)}. Send the ids of /scim2/${kind === "user" ? "Users" : "Groups"}.`,
  );
}

function quoted(texts: readonly string[]): string {
  return texts
    .slice(0, TEXTS_SHOWN)
    .map((text) => `"${text.slice(0, 100)}"`)
    .join(", ");
}
