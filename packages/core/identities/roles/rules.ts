/** What roles may be called and what may be done to them (reference scim.md section 4.7). Pure. */
import { Fault } from "../../platform/faults.ts";
import { isBuiltIn, type Role } from "./model.ts";

/** The most scopes of one role: they are kept with it. */
const PERMISSIONS_MAX = 1_000;

const NAME_LENGTH_MAX = 255;

/** The fault of a role name that another role for the same audience has. */
export function nameTaken(name: string): Fault {
  return new Fault("scim.unique", `Role with name: ${name} already exists in the system.`);
}

/** The fault of an id that leads to no role of the tenant. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `Role not found in the system: ${id.slice(0, 100)}.`);
}

/** Judges the name of a role. Throws `request.invalid`. */
export function checkRoleName(name: string): void {
  const length = [...name].length;
  if (length === 0 || length > NAME_LENGTH_MAX || /[\p{Cc}#]/u.test(name)) {
    throw refuse(`displayName must have 1 to ${NAME_LENGTH_MAX} characters, no control characters and no #.`);
  }
}

/** Refuses to rename, empty or delete what belongs to the service. Throws `scim.forbidden`. */
export function checkBuiltIn(before: Role, after: Role | undefined): void {
  if (!isBuiltIn(before)) return;
  const isKept =
    after?.name === before.name &&
    (!before.holdsEveryScope || after.permissions.length === 0) &&
    after.audience.value === before.audience.value;
  if (!isKept) {
    throw new Fault(
      "scim.forbidden",
      `The role "${before.name}" belongs to the service: only its holders can be changed.`,
    );
  }
}

/** Judges scopes that a role is to hold; `known` are those of them that some API of the tenant has. Throws `request.invalid`. */
export function checkPermissions(permissions: readonly string[], known: ReadonlySet<string>): void {
  if (permissions.length > PERMISSIONS_MAX) throw refuse(`A role can hold at most ${PERMISSIONS_MAX} permissions.`);
  const unknown = permissions.filter((permission) => !known.has(permission));
  if (unknown.length > 0) {
    const told = unknown.slice(0, 5).map((permission) => `"${permission.slice(0, 100)}"`);
    throw refuse(`No API has these scopes: ${told.join(", ")}.`);
  }
}

/** The fault of holders who are not there. */
export function unknownHolders(kind: "user" | "group", ids: readonly string[]): Fault {
  return refuse(
    `These ${kind}s do not exist: ${ids
      .slice(0, 5)
      .map((id) => `"${id.slice(0, 100)}"`)
      .join(", ")}.`,
  );
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}
