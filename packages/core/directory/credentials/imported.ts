/**
 * Passwords that come with users as hashes of another system (decision 0098): who may send them, and which credential
 * they become.
 */
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { looksLikeHash, readImportedHash } from "../../kernel/imported-hash.ts";
import type { Credential } from "./store.ts";

/** The scope that allows it. */
const HASH_IMPORT_SCOPE = "internal_user_hash_import";

/**
 * Whether a password is read as a hash: it looks like one, and the caller may import hashes. From any other caller the
 * same text is a plain password.
 */
export function isHash(password: string, scopes: ReadonlySet<string> | undefined): boolean {
  return scopes?.has(HASH_IMPORT_SCOPE) === true && looksLikeHash(password);
}

/** The credential of a hash. Throws `request.invalid` for one that is malformed or costs too much to verify. */
export function importedCredential(passwordHash: string): Credential {
  readImportedHash(passwordHash);
  return { passwordHash, version: newId(), isImported: true };
}

/** The fault of a hash where only a plain password can be set. */
export function hashRefused(reason: string): Fault {
  return new Fault("request.invalid", `The password has the form of a hash, which ${reason}.`);
}
