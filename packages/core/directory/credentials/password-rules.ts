/**
 * Rules for new passwords (decision 0148): those of NIST SP 800-63B section 3.1.1.2, which ask for length, and for none
 * of the passwords that are tried first. They do not hold for passwords that exist, nor for hashes of other systems.
 * Pure.
 */
import { PRIMARY, type QualifiedName } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { preparedPassword } from "../../kernel/opaque-string.ts";
import { isCommonPassword } from "./common-passwords.ts";
import type { PasswordLimits } from "./password-limits.ts";

/** The rule that a password breaks. */
export type PasswordProblem = "length" | "characters" | "common" | "ownName";

/** The first rule that a new password breaks; `undefined` for one that can be set. `owner`: the user who gets it. */
export function passwordProblem(
  given: string,
  owner: QualifiedName,
  { lengthMin, lengthMax }: PasswordLimits,
): PasswordProblem | undefined {
  const password = preparedPassword(given);
  const length = [...password].length;
  if (length < lengthMin || length > lengthMax) return "length";
  if (UNUSABLE.test(password)) return "characters";
  if (isCommonPassword(password)) return "common";
  return isName(password, owner) ? "ownName" : undefined;
}

/** Checks a new password. The message never repeats it. Throws `request.invalid`. */
export function checkPassword(password: string, owner: QualifiedName, limits: PasswordLimits): void {
  const problem = passwordProblem(password, owner, limits);
  if (problem) throw new Fault("request.invalid", sentences[problem](limits));
}

const sentences: Readonly<Record<PasswordProblem, (limits: PasswordLimits) => string>> = {
  length: ({ lengthMin, lengthMax }) => `The password must have ${lengthMin} to ${lengthMax} characters.`,
  characters: () => "The password must not contain control characters, such as tabs and line ends. Leave them out.",
  common: () => "The password is one of the most common ones, which attackers try first. Choose another one.",
  ownName: () => "The password must not be the user name. Choose another one.",
};

/** Control characters, ends of lines and paragraphs, and halves of characters, which UTF-8 cannot hold. */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Whether a password is a name of its user: with or without store, tenant or the domain of an e-mail address. */
function isName(password: string, { tenant, userStore, name }: QualifiedName): boolean {
  const [local = ""] = name.split("@");
  const bare = [name, local].flatMap((one) => [one, `${one}@${tenant}`]);
  const names = bare.flatMap((one) => [one, `${userStore}/${one}`, `${PRIMARY}/${one}`]);
  return names.some((one) => compared(password) === compared(one));
}

function compared(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
