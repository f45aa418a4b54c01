/** Ends the tokens of a sign-in. */
import type { Client } from "../../applications/registry/client-store.ts";
import { removingAccessToken } from "../../tokens/access-token-store.ts";
import { type Family, removingFamily } from "../../tokens/refresh-family-store.ts";
import { revocationTime, revokingGrant } from "../../tokens/revocation-store.ts";

/** The steps that end a family of a client and revoke all its tokens. */
export function endingFamily({ id, tenant, access }: Family, client: Client) {
  return [
    removingFamily(tenant, id),
    ...(access.digest === undefined ? [] : [removingAccessToken(access.digest)]),
    ...revokingGrant(tenant, id, revocationTime(), lastExpiry(access, client)),
  ];
}

/** When the last token of a grant can expire: also one that is being issued now. */
export function lastExpiry(
  { expiresAtSeconds }: { readonly expiresAtSeconds: number },
  { settings: { userTokenSeconds, clientTokenSeconds } }: Client,
): number {
  const nowSeconds = Math.ceil(revocationTime() / 1_000);
  return Math.max(expiresAtSeconds, nowSeconds + Math.max(userTokenSeconds, clientTokenSeconds));
}
