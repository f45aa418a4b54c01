/** Rules for the names and passwords of users. Pure. */
import { hiddenIn } from "../../domain/characters.ts";
import { Fault } from "../../platform/faults.ts";

const NAME_LENGTH_MIN = 3;
const NAME_LENGTH_MAX = 255;

const PASSWORD_LENGTH_MIN = 5;
const PASSWORD_LENGTH_MAX = 100;

/** The fault for a user name that another user of the store has. */
export function nameTaken(userName: string): Fault {
  return new Fault("scim.unique", `User with the name: ${userName} already exists in the system.`);
}

/** The fault for an id that no user of the tenant has. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `User with id: ${id.slice(0, 100)} not found in the user store.`);
}

/**
 * Checks the part of a new user name after its store (decision 0062). Existing names stay valid. Throws
 * `request.invalid`.
 */
export function checkName(name: string): void {
  const length = [...name].length;
  if (length < NAME_LENGTH_MIN || length > NAME_LENGTH_MAX) {
    throw refuse(`userName must have ${NAME_LENGTH_MIN} to ${NAME_LENGTH_MAX} characters.`);
  }
  const hidden = hiddenIn(name);
  if (hidden !== undefined) {
    throw refuse(
      `userName contains the invisible character ${hidden}. Leave it out: the name would look like another.`,
    );
  }
  if (name.includes(":")) {
    throw refuse("userName must not contain a colon: the Basic scheme ends the user name at the first one.");
  }
  if (/[\s*?%/]/u.test(name)) {
    throw refuse("userName must not contain spaces or any of * ? % / :. Only a user store may precede it: STORE/name.");
  }
}

/** Checks a new password. The message never repeats it. Throws `request.invalid`. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX || /[\s\p{Cc}]/u.test(password)) {
    throw refuse(
      `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, without spaces and control characters.`,
    );
  }
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}
