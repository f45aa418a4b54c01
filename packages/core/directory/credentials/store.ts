/**
 * Stores password hashes. Only the authorizer and the token endpoint open this store; all others only write
 * credentials.
 */

import { keys } from "../../database/table/keys.ts";
import { as, bool, number, optional, rowCodec, text } from "../../database/table/row.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { preparedPassword } from "../../kernel/opaque-string.ts";
import { digestPassword, hashPassword } from "../../kernel/password.ts";
import { PASSWORD_HISTORY_MOST } from "./password-limits.ts";

/** The password of one user. */
export interface Credential {
  /** A PHC string of argon2id; in one of the formats of `readImportedHash` where `isImported`. */
  readonly passwordHash: string;
  /** Changes with every new password, so that cached verifications of an older one become invalid. */
  readonly version: string;
  /** Another system made the hash, and the user has not signed in since (decision 0098). */
  readonly isImported?: boolean | undefined;
}

/** A password that is about to be stored. */
export interface NewCredential extends Credential {
  /** What a later password is compared with, where former ones are refused. */
  readonly former?: { readonly digest: string; readonly history: number } | undefined;
}

/** Whose former passwords a new one is compared with, and with how many. */
export interface PasswordMemory {
  readonly userId: string;
  readonly history: number;
}

/** Reads password hashes, and replaces those of other systems. */
export type CredentialStore = ReturnType<typeof credentialStore>;

/** A credential with an expiry belongs to a user who is deleted and may be restored. */
const credentialRow = rowCodec<Credential & { readonly expiresAtSeconds?: number | undefined }>("credential", {
  passwordHash: as("hash", text),
  version: text,
  isImported: as("imported", optional(bool)),
  expiresAtSeconds: optional(number),
});

/** Digests of the last passwords, newest first. What sets a password writes and compares them without reading them. */
const formerNames: readonly string[] = Array.from({ length: PASSWORD_HISTORY_MOST }, (_, at) => `former${at}`);

/** Hashes a new password, in the form in which it is compared. `memory`: for former ones, where they are refused. */
export async function newCredential(password: string, memory?: PasswordMemory): Promise<NewCredential> {
  const prepared = preparedPassword(password);
  const history = memory?.history ?? 0;
  const [passwordHash, digest] = await Promise.all([
    hashPassword(prepared),
    memory && history > 0 ? digestPassword(prepared, `former passwords of ${memory.userId}`) : undefined,
  ]);
  return { passwordHash, version: newId(), ...(digest !== undefined && { former: { digest, history } }) };
}

/** Opens the store on the table of one request. */
export function credentialStore(table: Table) {
  return {
    /** None for a user who is deleted. */
    async find(tenant: string, userId: string): Promise<Credential | undefined> {
      const item = await table.get(keys.credential(tenant, userId));
      if (!item) return undefined;
      const { expiresAtSeconds, ...credential } = credentialRow.read(item);
      return expiresAtSeconds === undefined ? credential : undefined;
    },
    /**
     * Replaces an imported hash by the service's own of the same password. The version stays. Does nothing where the
     * credential was changed in the meantime.
     */
    async replaceImported(tenant: string, userId: string, imported: Credential, passwordHash: string): Promise<void> {
      const { version } = imported;
      await table.write({
        change: keys.credential(tenant, userId),
        set: { hash: passwordHash },
        clear: ["imported"],
        when: { equal: { version, hash: imported.passwordHash } },
        otherwise: () => "applied",
      });
    },
  };
}

/** The step that stores the password of a new user. */
export function addingCredential(
  tenant: string,
  userId: string,
  { former, ...credential }: NewCredential,
  otherwise: Step["otherwise"],
): Step {
  const [newest = ""] = formerNames;
  const item = { ...keys.credential(tenant, userId), ...credentialRow.write(credential) };
  return { put: { ...item, ...(former && { [newest]: former.digest }) }, when: "absent", otherwise };
}

/**
 * The step that stores another password. Throws `request.invalid` where it is one of the last ones of the user, which
 * the condition of the step finds out (decision 0185). Without a history, former ones are forgotten.
 */
export function replacingCredential(
  tenant: string,
  userId: string,
  { former, ...credential }: NewCredential,
  otherwise: Step["otherwise"],
): Step {
  if (!former) return { ...addingCredential(tenant, userId, credential, otherwise), when: "present" };
  const { digest, history } = former;
  const through = formerNames.slice(0, history);
  const fresh = credentialRow.write(credential);
  return {
    change: keys.credential(tenant, userId),
    set: Object.fromEntries(
      Object.entries(fresh).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    clear: ["imported", ...formerNames.slice(history)],
    push: { value: digest, through },
    when: { unlike: Object.fromEntries(through.map((name) => [name, digest])) },
    otherwise: (found) => (found ? formerPassword(history) : otherwise(found)),
  };
}

function formerPassword(history: number): Fault {
  const which = history === 1 ? "the present password" : `one of the last ${history} passwords`;
  return new Fault("request.invalid", `The password is ${which} of this user. Choose another one.`);
}

/** The step that removes the password of a user who is being deleted. */
export function removingCredential(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return {
    remove: keys.credential(tenant, userId),
    when: "present",
    otherwise,
  };
}

/** The step that keeps the password of a deleted user until it expires. It reads nothing. */
export function puttingCredentialAside(
  tenant: string,
  userId: string,
  expiresAtSeconds: number,
  otherwise: Step["otherwise"],
): Step {
  return { change: keys.credential(tenant, userId), set: { expiresAtSeconds }, when: "present", otherwise };
}

/** The step that gives a restored user its password again. It reads nothing. */
export function restoringCredential(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return { change: keys.credential(tenant, userId), clear: ["expiresAtSeconds"], when: "present", otherwise };
}
