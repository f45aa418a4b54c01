/** What groups may be called and who may be in them (reference scim.md section 4.1). Pure. */
import { Fault } from "../../platform/faults.ts";

/** The most groups of one user: their ids are kept with the user. */
export const GROUPS_OF_USER_MAX = 1_000;

const NAME_LENGTH_MAX = 255;

/** The fault of a group name that another group of the store has. */
export function nameTaken(displayName: string): Fault {
  return new Fault("scim.unique", `Group with name: ${displayName} already exists in the system.`);
}

/** The fault of an id that leads to no group of the tenant. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `Group with id: ${id.slice(0, 100)} not found in the user store.`);
}

/** The fault of members that are no users of the group's store. */
export function unknownMembers(ids: readonly string[]): Fault {
  const told = ids.slice(0, 5).map((id) => `"${id.slice(0, 100)}"`);
  const more = ids.length > told.length ? ` and ${ids.length - told.length} more` : "";
  return new Fault(
    "request.invalid",
    `These members are no users of the group's user store: ${told.join(", ")}${more}.`,
  );
}

/** The fault of a user who would be in too many groups. */
export function tooManyGroups(userId: string): Fault {
  return new Fault(
    "request.invalid",
    `The user "${userId}" is in ${GROUPS_OF_USER_MAX} groups already; no user can be in more.`,
  );
}

/** Judges the part of a group name behind its store. Throws `request.invalid`. */
export function checkGroupName(name: string): void {
  const length = [...name].length;
  if (length === 0 || length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
    throw new Fault(
      "request.invalid",
      `displayName must have 1 to ${NAME_LENGTH_MAX} characters and no control characters.`,
    );
  }
}
