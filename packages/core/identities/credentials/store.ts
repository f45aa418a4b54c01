/**
 * Stores password hashes. Only the authorizer and the token endpoint open this store; all others only write
 * credentials.
 */
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { keys } from "../../table/keys.ts";
import { as, rowCodec, text } from "../../table/row.ts";
import type { Step, Table } from "../../table/table.ts";

/** The password of one user. */
export interface Credential {
  /** A PHC string. */
  readonly passwordHash: string;
  /** Changes with every new password, so that cached verifications of an older one become invalid. */
  readonly version: string;
}

/** Reads password hashes. */
export interface CredentialStore {
  find(tenant: string, userId: string): Promise<Credential | undefined>;
}

const credentialRow = rowCodec<Credential>("credential", { passwordHash: as("hash", text), version: text });

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
      return item && credentialRow.read(item);
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
