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

/** A credential of a password that was just set. */
export const newCredential = async (password: string): Promise<Credential> => ({
  passwordHash: await hashPassword(password),
  version: newId(),
});

/** Reads password hashes. */
export interface CredentialStore {
  find(tenant: string, userId: string): Promise<Credential | undefined>;
}

/** Opens the store on the table of one request. */
export const credentialStore = (table: Table): CredentialStore => ({
  async find(tenant, userId) {
    const item = await table.get(keys.credential(tenant, userId));
    return item && { passwordHash: item.hash as string, version: item.version as string };
  },
});

/** The step that keeps the password of a new user. */
export const addingCredential = (
  tenant: string,
  userId: string,
  { passwordHash, version }: Credential,
  otherwise: Step["otherwise"],
): Step => ({
  put: { ...keys.credential(tenant, userId), hash: passwordHash, version },
  when: "absent",
  otherwise,
});

/** The step that takes the password of a user who goes. */
export const removingCredential = (tenant: string, userId: string, otherwise: Step["otherwise"]): Step => ({
  remove: keys.credential(tenant, userId),
  when: "present",
  otherwise,
});

/** The step that sets another password. What was verified against the old one counts no more. */
export const replacingCredential = (
  tenant: string,
  userId: string,
  { passwordHash, version }: Credential,
  otherwise: Step["otherwise"],
): Step => ({
  put: { ...keys.credential(tenant, userId), hash: passwordHash, version },
  when: "present",
  otherwise,
});
