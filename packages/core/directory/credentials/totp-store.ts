/**
 * The secrets of one-time codes (TOTP, RFC 6238), one row for each user who has set them up. The function of sign-in
 * alone reads them; others only remove, put aside and restore them.
 */

import { keys } from "../../database/table/keys.ts";
import { list, number, optional, rowCodec, text } from "../../database/table/row.ts";
import type { Item, Step } from "../../database/table/table.ts";
import { removing } from "../../tokens/unconditional.ts";

/** The one-time codes of one user. */
export interface TotpFactor {
  /** The secret, sealed for its user (`totpOwner`). */
  readonly sealedSecret: string;
  /** Another one for each time that codes are set up. */
  readonly version: string;
  /** The time step of the latest code that was accepted: no code of it or of an earlier one counts again. */
  readonly usedStep: number;
  /** Digests of the recovery codes that are left. */
  readonly recoveryDigests: readonly string[];
}

/** A factor with an expiry belongs to a user who is deleted and may be restored. */
const rows = rowCodec<TotpFactor & { readonly expiresAtSeconds?: number | undefined }>("one-time codes", {
  sealedSecret: text,
  version: text,
  usedStep: number,
  recoveryDigests: list(text),
  expiresAtSeconds: optional(number),
});

/** The owner for whom a secret is sealed. */
export function totpOwner(tenant: string, userId: string): string {
  return `one-time codes of ${tenant}/${userId}`;
}

/** The factor in an item; none for a user who is deleted. */
export function totpIn(item: Item | undefined): TotpFactor | undefined {
  if (!item) return undefined;
  const { expiresAtSeconds, ...factor } = rows.read(item);
  return expiresAtSeconds === undefined ? factor : undefined;
}

/** The step that stores a new factor in place of `before`, or where there is none. */
export function settingUpTotp(
  tenant: string,
  userId: string,
  { before, after }: { readonly before: TotpFactor | undefined; readonly after: TotpFactor },
  otherwise: Step["otherwise"],
): Step {
  return {
    put: { ...keys.totp(tenant, userId), ...rows.write(after) },
    when: before ? { equal: { version: before.version }, lacking: ["expiresAtSeconds"] } : "absent",
    otherwise,
  };
}

/**
 * The step that notes the use of a code. `otherwise`: for a factor that was used or replaced since it was read, or
 * whose user was deleted: its expiry must stay.
 */
export function usingTotp(
  tenant: string,
  userId: string,
  { before, after }: { readonly before: TotpFactor; readonly after: TotpFactor },
  otherwise: Step["otherwise"],
): Step {
  const { version, usedStep, recoveryDigests } = before;
  return {
    put: { ...keys.totp(tenant, userId), ...rows.write(after) },
    when: { equal: { version, usedStep, recoveryDigests }, lacking: ["expiresAtSeconds"] },
    otherwise,
  };
}

/** The step that removes the factor of a user, if there is one. It reads nothing. */
export function removingTotp(tenant: string, userId: string): Step {
  return removing(keys.totp(tenant, userId));
}

/** The step that keeps the factor of a deleted user until it expires. It reads nothing. */
export function puttingTotpAside(
  tenant: string,
  userId: string,
  expiresAtSeconds: number,
  otherwise: Step["otherwise"],
): Step {
  return { change: keys.totp(tenant, userId), set: { expiresAtSeconds }, when: "present", otherwise };
}

/** The step that gives a restored user its factor again. It reads nothing. */
export function restoringTotp(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return { change: keys.totp(tenant, userId), clear: ["expiresAtSeconds"], when: "present", otherwise };
}
