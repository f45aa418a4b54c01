/** Token revocation (RFC 7009). */
import type { Client } from "../../applications/registry/client-store.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";
import { removingAccessToken } from "../../tokens/access-token-store.ts";
import { claimsOf, issuerAt } from "../../tokens/jwt.ts";
import type { AccessToken } from "../../tokens/model.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { removingFamily } from "../../tokens/refresh-family-store.ts";
import { markOf, revocationStore, revocationTime, revokingGrant, subjects } from "../../tokens/revocation-store.ts";
import type { OAuthContext } from "./context.ts";
import { endingFamily, lastExpiry } from "./ending.ts";

/** The mark of the grant that a JWT claims, as a guess: 0 for other texts. No further round trip. */
export async function claimedMark(text: string, { table }: OAuthContext): Promise<number> {
  const claims = claimsOf(text);
  if (!claims) return 0;
  const [markedMs = 0] = await revocationStore(table).validFrom(claims.tenant, [subjects.grant(claims.grant)]);
  return markedMs;
}

/**
 * Revokes a token if it belongs to the client, given its `claimedMark`; ignores any other text (RFC 7009 section 2.2).
 * A token that is revoked already is ignored too, so that its holder can write once for it.
 */
export async function revoke(text: string, client: Client, markedMs: number, context: OAuthContext): Promise<void> {
  const { tools, table, families, origin, now } = context;
  const { clientId, tenant } = client;
  const isOwn = (of: { readonly clientId: string; readonly tenant: string }) =>
    of.clientId === clientId && of.tenant === tenant;
  const reading = { table, issuer: issuerAt(origin), nowMs: now, tenantGuess: tenant, admitsGuests: true } as const;
  const read = await tools.reader.read(text, reading);
  if (read) {
    if (isOwn(read.token)) await revokeAccess(text, read.token, client, markedMs, table);
    return;
  }
  const refreshToken = await families.findToken(text);
  const found = refreshToken && (await families.withFamily(refreshToken));
  if (found && isOwn(found.family)) await table.write(...endingFamily(found.family, client));
}

/** Ends a valid access token and its sign-in, on condition that the mark of its grant is as it was seen. */
function revokeAccess(
  text: string,
  token: AccessToken,
  client: Client,
  markedMs: number,
  table: OAuthContext["table"],
): Promise<void> {
  const { tenant, grantId } = token;
  let seenMs = markedMs;
  return whileStale(async () => {
    if (seenMs > token.issuedMs) return;
    const asSeen: Pick<Step, "when" | "otherwise"> = {
      when: seenMs === 0 ? "absent" : { equal: { fromMs: seenMs } },
      otherwise(found) {
        seenMs = markOf(found);
        return stale();
      },
    };
    await table.write(
      removingAccessToken(digestOf(text)),
      removingFamily(tenant, grantId),
      ...revokingGrant(tenant, grantId, revocationTime(), lastExpiry(token, client), asSeen),
    );
  });
}
