/**
 * Passkeys (WebAuthn), one row with all of a user, in the partition of the password. The function of sign-in alone
 * reads them; others only remove, put aside and restore them. What is stored is public: the private keys are in the
 * authenticators.
 */

import { keys } from "../../database/table/keys.ts";
import { list, number, optional, record, rowCodec, text } from "../../database/table/row.ts";
import type { Item, Step } from "../../database/table/table.ts";
import { removing } from "../../tokens/unconditional.ts";

/** How many passkeys a user can have. */
export const PASSKEYS_MAX = 10;

/** One passkey of a user. */
export interface Passkey {
  /** The id that the authenticator gave it, in Base64url. */
  readonly id: string;
  /** A COSE key (RFC 9052), in Base64url. */
  readonly publicKey: string;
  /** How often the authenticator says that it has signed; 0 where it does not count, as passkeys that are synced. */
  readonly counter: number;
  /** How browsers reach the authenticator, as the browser that created it said. */
  readonly transports: readonly string[];
  /** Not before the challenge that it was created for, whatever the clocks say: each creates one. */
  readonly createdMs: number;
  /** When the latest challenge was made that it has answered: no answer to that one or an earlier one counts again. */
  readonly challengedMs: number;
}

/** The passkeys of one user; at least one. */
export interface Passkeys {
  /** Random: by it authenticators tell users apart, and it says nothing about this one. In Base64url. */
  readonly handle: string;
  /** Grows with every change. */
  readonly revision: number;
  readonly keys: readonly Passkey[];
}

/** Passkeys with an expiry belong to a user who is deleted and may be restored. */
const rows = rowCodec<Passkeys & { readonly expiresAtSeconds?: number | undefined }>("passkeys", {
  handle: text,
  revision: number,
  keys: list(
    record<Passkey>({
      id: text,
      publicKey: text,
      counter: number,
      transports: list(text),
      createdMs: number,
      challengedMs: number,
    }),
  ),
  expiresAtSeconds: optional(number),
});

/** The passkeys in an item; none for a user who is deleted. */
export function passkeysIn(item: Item | undefined): Passkeys | undefined {
  if (!item) return undefined;
  const { expiresAtSeconds, ...passkeys } = rows.read(item);
  return expiresAtSeconds === undefined ? passkeys : undefined;
}

/**
 * The step that stores passkeys in place of `before`. `otherwise`: for passkeys that changed since they were read, or
 * whose user was deleted: their expiry must stay.
 */
export function storingPasskeys(
  tenant: string,
  userId: string,
  { before, after }: { readonly before: Passkeys | undefined; readonly after: Passkeys },
  otherwise: Step["otherwise"],
): Step {
  const same = before && { handle: before.handle, revision: before.revision };
  return {
    put: { ...keys.passkeys(tenant, userId), ...rows.write(after) },
    when: same ? { equal: same, lacking: ["expiresAtSeconds"] } : "absent",
    otherwise,
  };
}

/** The step that removes the passkeys of a user, if there are any. It reads nothing. */
export function removingPasskeys(tenant: string, userId: string): Step {
  return removing(keys.passkeys(tenant, userId));
}

/** The step that keeps the passkeys of a deleted user until they expire. It reads nothing. */
export function puttingPasskeysAside(
  tenant: string,
  userId: string,
  expiresAtSeconds: number,
  otherwise: Step["otherwise"],
): Step {
  return { change: keys.passkeys(tenant, userId), set: { expiresAtSeconds }, when: "present", otherwise };
}

/** The step that gives a restored user the passkeys again. It reads nothing. */
export function restoringPasskeys(tenant: string, userId: string, otherwise: Step["otherwise"]): Step {
  return { change: keys.passkeys(tenant, userId), clear: ["expiresAtSeconds"], when: "present", otherwise };
}
