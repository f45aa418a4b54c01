/**
 * Stores password hashes. Only the authorizer and the token endpoint open this store; all others only write
 * credentials.
 */
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { keys } from "../../table/keys.ts";
import { as, bool, number, optional, rowCodec, text } from "../../table/row.ts";
import type { Step, Table } from "../../table/table.ts";

/** The password of one user. */
export interface Credential {
  /** A PHC string of argon2id; in one of the formats of `readImportedHash` where `isImported`. */
  readonly passwordHash: string;
  /** Changes with every new password, so that cached verifications of an older one become invalid. */
  readonly version: string;
  /** Another system made the hash, and the user has not signed in since (decision 0098). */
  readonly isImported?: boolean | undefined;
}

/** Reads password hashes, and replaces those of other systems. */
export interface CredentialStore {
  /** None for a user who is deleted. */
  find(tenant: string, userId: string): Promise<Credential | undefined>;
  /**
   * Replaces an imported hash by the service's own of the same password. The version stays. Does nothing where the
   * credential was changed in the meantime.
   */
  replaceImported(tenant: string, userId: string, imported: Credential, passwordHash: string): Promise<void>;
}

/** A credential with an expiry belongs to a user who is deleted and may be restored. */
const credentialRow = rowCodec<Credential & { readonly expiresAtSeconds?: number | undefined }>("credential", {
  passwordHash: as("hash", text),
  version: text,
  isImported: as("imported", optional(bool)),
  expiresAtSeconds: optional(number),
});

/** Hashes a new password. */
export async function newCredential(password: string): Promise<Credential> {
  return {
    passwordHash: await hashPassword(password),
    version: newId(),
  };
}

/** Opens the store on the table of one request. */
export function credentialStore(table: Table): CredentialStore {
  return {
    async find(tenant, userId) {
      const item = await table.get(keys.credential(tenant, userId));
      if (!item) return undefined;
      const { expiresAtSeconds, ...credential } = credentialRow.read(item);
      return expiresAtSeconds === undefined ? credential : undefined;
    },
    async replaceImported(tenant, userId, imported, passwordHash) {
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
  credential: Credential,
  otherwise: Step["otherwise"],
): Step {
  return { put: { ...keys.credential(tenant, userId), ...credentialRow.write(credential) }, when: "absent", otherwise };
}

/** The step that stores another password. */
export function replacingCredential(
  tenant: string,
  userId: string,
  credential: Credential,
  otherwise: Step["otherwise"],
): Step {
  return { ...addingCredential(tenant, userId, credential, otherwise), when: "present" };
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

/** The step that removes the password of a deleted user who will not be restored. */
export function removingCredentialAside(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return { remove: keys.credential(tenant, userId), when: "any", otherwise };
}
