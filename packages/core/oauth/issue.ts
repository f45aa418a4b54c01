/** From what was decided to a token that can be handed out. */
import type { Client } from "../applications/registry/client-store.ts";
import { newId } from "../platform/ids.ts";
import type { Step } from "../table/table.ts";
import { keepingAccessToken } from "../tokens/access.ts";
import type { LatestAccess } from "../tokens/families.ts";
import { issuerAt } from "../tokens/jwt.ts";
import type { AccessToken, TokenUser } from "../tokens/model.ts";
import { digestOf, newOpaque } from "../tokens/opaque.ts";
import type { OAuthContext } from "./context.ts";

/** What was decided. */
export interface Decided {
  readonly user?: TokenUser;
  readonly scopes: readonly string[];
  readonly roleIds: readonly string[];
  readonly grantId: string;
  /** From when on all of it is known to hold (revocation.ts). */
  readonly knownMs: number;
}

/** An access token before it is kept and sent. */
export interface Written {
  readonly text: string;
  readonly token: AccessToken;
  /** What keeps it; nothing for a token that says all by itself. */
  readonly steps: readonly Step[];
  readonly latest: LatestAccess;
}

/** The answer of the token endpoint (RFC 6749 section 5.1). */
export function tokenAnswer({ text, token }: Written, refreshToken?: string) {
  return {
    access_token: text,
    token_type: "Bearer" as const,
    expires_in: token.expiresAtSeconds - token.issuedAtSeconds,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(token.scopes.length > 0 && { scope: token.scopes.join(" ") }),
  };
}

/** Writes an access token of a client as its application wants it: as a JWT, or as text that means nothing by itself. */
export async function writeAccessToken(
  client: Client,
  { knownMs, ...decided }: Decided,
  { now, origin, table, tools }: OAuthContext,
): Promise<Written> {
  const { settings, clientId, tenant, applicationId } = client;
  const issuedAtSeconds = Math.floor(now / 1_000);
  const life = decided.user ? settings.userTokenSeconds : settings.clientTokenSeconds;
  const token: AccessToken = {
    tenant,
    clientId,
    applicationId,
    ...decided,
    issuedAtSeconds,
    issuedMs: Math.max(now, knownMs, client.tokensFromMs, client.scopesFromMs),
    expiresAtSeconds: issuedAtSeconds + life,
  };
  const { issuedMs, expiresAtSeconds } = token;
  if (settings.tokenType === "JWT") {
    const text = await tools.signing.sign(table, token, newId(), issuerAt(origin), now);
    return { text, token, steps: [], latest: { issuedMs, expiresAtSeconds } };
  }
  const text = newOpaque("at_");
  const steps = [keepingAccessToken(text, token)];
  return { text, token, steps, latest: { digest: digestOf(text), issuedMs, expiresAtSeconds } };
}
