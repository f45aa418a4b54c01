/** Passwords as they are compared: the profile OpaqueString (RFC 8265 section 4.2). */

/**
 * The form in which a new password is stored, so that it counts on every keyboard: blanks of other scripts become
 * U+0020, then NFC. No character is removed.
 */
export function preparedPassword(password: string): string {
  return password.replace(/\p{Zs}/gu, " ").normalize("NFC");
}

/** What a password can have been stored as: prepared, or, before passwords were prepared, as it is sent. */
export function passwordForms(password: string): readonly string[] {
  return [...new Set([preparedPassword(password), password])];
}
