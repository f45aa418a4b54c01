/** What users may be called and what a password may be (reference scim.md sections 3.13, 3.14 and 7.1). Pure. */
import { Fault } from "../../platform/faults.ts";

const NAME_LENGTH_MIN = 3;
const NAME_LENGTH_MAX = 255;

const PASSWORD_LENGTH_MIN = 5;
const PASSWORD_LENGTH_MAX = 100;

/** The fault of a user name that another user of the store has. */
export function nameTaken(userName: string): Fault {
  return new Fault("scim.unique", `User with the name: ${userName} already exists in the system.`);
}

/** The fault of an id that leads to no user of the tenant. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `User with id: ${id.slice(0, 100)} not found in the user store.`);
}

/** Judges the part of a user name behind its store. Throws `request.invalid`. */
export function checkName(name: string): void {
  const length = [...name].length;
  if (length < NAME_LENGTH_MIN || length > NAME_LENGTH_MAX) {
    throw refuse(`userName must have ${NAME_LENGTH_MIN} to ${NAME_LENGTH_MAX} characters.`);
  }
  if (/[\s\p{Cc}*?%/]/u.test(name)) {
    throw refuse(
      "userName must hold no blanks, no control characters and none of * ? % /, beside one leading DOMAIN/.",
    );
  }
}

/** Judges a new password (decision D3 of the reference). The sentence never repeats it. Throws `request.invalid`. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX || /[\s\p{Cc}]/u.test(password)) {
    throw refuse(
      `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, none of them a blank or a control character.`,
    );
  }
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}
