/** The second factors of a user, which are read together: which of them a sign-in needs depends on what there is. */
import { keys } from "../../database/table/keys.ts";
import type { Table } from "../../database/table/table.ts";
import { type Passkeys, passkeysIn } from "./passkey-store.ts";
import { type TotpFactor, totpIn } from "./totp-store.ts";

/** What a user can prove besides the password. */
export interface Factors {
  /** One-time codes. */
  readonly totp?: TotpFactor | undefined;
  readonly passkeys?: Passkeys | undefined;
}

/** The second factors of a user; none for one who is deleted. One round trip. */
export async function findFactors(table: Table, tenant: string, userId: string): Promise<Factors> {
  const [totp, passkeys] = await table.getMany([keys.totp(tenant, userId), keys.passkeys(tenant, userId)]);
  return { totp: totpIn(totp), passkeys: passkeysIn(passkeys) };
}
