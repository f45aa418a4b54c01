/** Rules for the names and members of groups. Pure. */
import { hiddenInShown } from "../../kernel/domain/characters.ts";
import { Fault } from "../../kernel/faults.ts";

/** The most groups of one user: their ids are stored in the user's row. */
export const GROUPS_OF_USER_MAX = 2_048;

const NAME_LENGTH_MAX = 255;
const IDS_SHOWN = 5;

/** The fault for a group name that another group of the store has. */
export function nameTaken(displayName: string): Fault {
  return new Fault("scim.unique", `Group with name: ${displayName} already exists in the system.`);
}

/** The fault for an id that no group of the tenant has. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `Group with id: ${id.slice(0, 100)} not found in the user store.`);
}

/** The fault for members that are not users of the group's store. */
export function unknownMembers(ids: readonly string[]): Fault {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => `"${id.slice(0, 100)}"`);
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : "";
  return new Fault(
    "request.invalid",
    `members: these are not users of the group's user store: ${shown.join(", ")}${more}. Send the ids of /scim2/Users.`,
  );
}

/** The fault for a user with the most groups that a user can have. */
export function tooManyGroups(userId: string): Fault {
  return new Fault(
    "request.invalid",
    `members: the user "${userId}" is already in ${GROUPS_OF_USER_MAX.toLocaleString("en")} groups, the most that a user can be in.`,
  );
}

/**
 * Checks the part of a new group name after its store (decision 0062). Existing names stay valid. Throws
 * `request.invalid`.
 */
export function checkGroupName(name: string): void {
  const length = [...name].length;
  if (length === 0 || length > NAME_LENGTH_MAX) {
    throw new Fault("request.invalid", `displayName must have 1 to ${NAME_LENGTH_MAX} characters.`);
  }
  const hidden = hiddenInShown(name);
  if (hidden === undefined) return;
  throw new Fault(
    "request.invalid",
    `displayName contains the invisible character ${hidden}. Leave it out: the name would look like another.`,
  );
}
