/** Steps that end the second factors of a user. */
import { stale } from "../../table/stale.ts";
import type { Step } from "../../table/table.ts";
import { puttingPasskeysAside, removingPasskeys } from "../credentials/passkey-store.ts";
import { puttingTotpAside, removingTotp } from "../credentials/totp-store.ts";
import { hasCodes, hasPasskeys, type User } from "../users/model.ts";
import type { FactorKind } from "./account-flags.ts";

/** The steps that take a factor away. They read nothing. */
export const factorRemoving = { codes: removingTotp, passkeys: removingPasskeys } as const;

const puttingAside = { codes: puttingTotpAside, passkeys: puttingPasskeysAside } as const;

/**
 * Makes the steps that end the factors of a user who is deleted, for each attempt at the deletion. The attributes of
 * users of an earlier release may name a factor that nobody has set up: the second attempt leaves it out.
 */
export function factorEnding(tenant: string, id: string) {
  const missing = new Set<FactorKind>();
  return (user: User, untilSeconds: number | undefined): readonly Step[] => {
    const kinds: readonly FactorKind[] = [
      ...(hasCodes(user) ? ["codes" as const] : []),
      ...(hasPasskeys(user) ? ["passkeys" as const] : []),
    ];
    return kinds
      .filter((kind) => !missing.has(kind))
      .map((kind) => {
        if (untilSeconds === undefined) return factorRemoving[kind](tenant, id);
        return puttingAside[kind](tenant, id, untilSeconds, () => {
          missing.add(kind);
          return stale();
        });
      });
  };
}
