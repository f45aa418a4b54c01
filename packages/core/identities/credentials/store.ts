/** Password hashes. Only the authorizer (and the token endpoint) may open this store; whoever sets a password writes and cannot read. */
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { keys } from "../../table/keys.ts";
import type { Step, Table } from "../../table/table.ts";

/** The password of one user. */
export interface Credential {
  /** A PHC string. */
  readonly passwordHash: string;
  /** Changes with every new password, so that a verdict about an older one is not reused. */
  readonly version: string;
}

/** Reads password hashes. */
export interface CredentialStore {
  find(tenant: string, userId: string): Promise<Credential | undefined>;
}

/** A credential of a password that was just set. */
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
      return item && { passwordHash: item.hash as string, version: item.version as string };
    },
  };
}

/** The step that keeps the password of a new user. */
export function addingCredential(
  tenant: string,
  userId: string,
  { passwordHash, version }: Credential,
  otherwise: Step["otherwise"],
): Step {
  return {
    put: { ...keys.credential(tenant, userId), hash: passwordHash, version },
    when: "absent",
    otherwise,
  };
}

/** The step that takes the password of a user who goes. */
export function removingCredential(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return {
    remove: keys.credential(tenant, userId),
    when: "present",
    otherwise,
  };
}

/** The step that sets another password. What was verified against the old one counts no more. */
export function replacingCredential(
  tenant: string,
  userId: string,
  { passwordHash, version }: Credential,
  otherwise: Step["otherwise"],
): Step {
  return {
    put: { ...keys.credential(tenant, userId), hash: passwordHash, version },
    when: "present",
    otherwise,
  };
}
