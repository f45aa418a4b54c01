/** Rules for the names of users. Pure. */
import { hiddenIn } from "../../kernel/domain/characters.ts";
import { mixedIn, unstableIn } from "../../kernel/domain/scripts.ts";
import { Fault, refuse } from "../../kernel/faults.ts";

/** What a deployment decides about the names of new users. */
export interface UserNameRules {
  /** Characters. */
  readonly minLength: number;
  /** Whether single blanks may be between the words of a name. */
  readonly blanks: boolean;
}

/** The rules of a deployment that decides nothing. */
export const defaultNameRules: UserNameRules = { minLength: 3, blanks: false };

const NAME_LENGTH_MAX = 255;

/** The fault for a user name that another user of the store has. */
export function nameTaken(userName: string): Fault {
  return new Fault("scim.unique", `User with the name: ${userName} already exists in the system.`);
}

/** The fault for an id that no user of the tenant has. */
export function notFound(id: string): Fault {
  return new Fault("scim.not_found", `User with id: ${id.slice(0, 100)} not found in the user store.`);
}

/**
 * Checks the part of a new user name after its store (decisions 0062 and 0151). Existing names stay valid. Throws
 * `request.invalid`.
 */
export function checkName(name: string, { minLength, blanks }: UserNameRules = defaultNameRules): void {
  const length = [...name].length;
  if (length < minLength || length > NAME_LENGTH_MAX) {
    throw refuse(`userName must have ${minLength} to ${NAME_LENGTH_MAX} characters.`);
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
  if (/[*?%/]/u.test(name) || (blanks ? / {2}|[^\S ]/u : /\s/u).test(name)) {
    const spaces = blanks ? "spaces other than single blanks between words," : "spaces";
    throw refuse(
      `userName must not contain ${spaces} or any of * ? % / :. Only a user store may precede it: STORE/name.`,
    );
  }
  const unstable = unstableIn(name);
  if (unstable) {
    const { character, at, standsFor } = unstable;
    throw refuse(
      `userName has ${character} at character ${at}, which stands for "${standsFor}". Write that: the name would look like another.`,
    );
  }
  const mixed = mixedIn(name);
  if (mixed) {
    throw refuse(
      `userName mixes scripts: ${mixed.character} at character ${mixed.at} is of another script than ${mixed.before}. Use one script: the name would look like another.`,
    );
  }
}
