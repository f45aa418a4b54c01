/** Issues access tokens. */
import type { Client } from "../../applications/registry/client-store.ts";
import type { Step } from "../../database/table/table.ts";
import { newId } from "../../kernel/ids.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { storingAccessToken } from "../../tokens/access-token-store.ts";
import { type Confirmation, tokenTypeOf } from "../../tokens/confirmation.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import type { AccessToken, Exchange, SignInProof, TokenUser } from "../../tokens/model.ts";
import { digestOf, newOpaque } from "../../tokens/opaque.ts";
import type { LatestAccess } from "../../tokens/refresh-family-store.ts";
import { claimedUser, namedNeeds } from "../openid/memberships.ts";
import { attributesFor } from "../openid/user-claims.ts";
import type { AccountStatus } from "./account-status.ts";
import type { OAuthContext } from "./context.ts";
import { accessSeconds } from "./lifetimes.ts";

/** What a token grants. */
export interface TokenGrant {
  readonly user?: TokenUser;
  readonly scopes: readonly string[];
  readonly roleIds: readonly string[];
  readonly grantId: string;
  /** The latest revocation that the grant takes into account (revocation-store.ts). */
  readonly knownMs: number;
  /** The resources that the token is for; absent for all of this service. */
  readonly audience?: readonly string[];
  /** The exchanges that it comes from, and the latest time at which it may expire. */
  readonly exchanges?: readonly Exchange[];
  readonly expiresAtSecondsMax?: number;
  /** The account of the user, for claims about it. */
  readonly account?: Pick<AccountStatus, "user" | "roles" | "stores">;
  /** Names of single claims that UserInfo gives for it. */
  readonly claims?: readonly string[] | undefined;
  /** The user gave it in a browser (`AccessToken.isDelegated`). */
  readonly isDelegated?: boolean;
  /** The sign-in of the person, for the first token of it. */
  readonly proof?: SignInProof;
  /** The session that it ends with. */
  readonly sid?: string | undefined;
  /** The key that the token is bound to. */
  readonly cnf?: Confirmation;
}

/** An access token before it is stored and sent. */
export interface IssuedToken {
  readonly text: string;
  readonly token: AccessToken;
  /** The steps that store it; none for a JWT. */
  readonly steps: readonly Step[];
  readonly latest: LatestAccess;
}

/** The response of the token endpoint (RFC 6749 section 5.1). */
export function tokenResponse({ text, token }: IssuedToken, refreshToken?: string, idToken?: string) {
  return {
    access_token: text,
    token_type: tokenTypeOf(token),
    expires_in: token.expiresAtSeconds - token.issuedAtSeconds,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(idToken !== undefined && { id_token: idToken }),
    ...(token.scopes.length > 0 && { scope: token.scopes.join(" ") }),
  };
}

/** Issues an access token of a client, as a JWT or as an opaque text, whichever its application is configured for. */
export async function issueAccessToken(
  client: Client,
  { knownMs, expiresAtSecondsMax = Number.POSITIVE_INFINITY, account, proof, ...grant }: TokenGrant,
  { now, origin, table, tools }: OAuthContext,
): Promise<IssuedToken> {
  const { settings, clientId, tenant, applicationId } = client;
  const { sector } = settings;
  const subject =
    grant.user && sector !== undefined
      ? await tools.pairwise.of(table, { tenant, sector, userId: grant.user.id, home: grant.user.home })
      : undefined;
  const issuedAtSeconds = Math.floor(now / 1_000);
  const token: AccessToken = {
    tenant,
    clientId,
    applicationId,
    ...grant,
    ...(proof && grant.scopes.includes(SIGNED_IN) && { proof }),
    ...(subject !== undefined && { subject }),
    issuedAtSeconds,
    issuedMs: Math.max(now, knownMs, client.tokensFromMs, client.scopesFromMs, client.assignedFromMs),
    expiresAtSeconds: Math.min(
      issuedAtSeconds + accessSeconds(settings, grant.user !== undefined, tools.limits),
      expiresAtSecondsMax,
    ),
  };
  const { issuedMs, expiresAtSeconds } = token;
  // A JWT shows the id of the user. That of a guest could be that of another user, and its end is in another tenant.
  if (settings.tokenType === "JWT" && subject === undefined && token.user?.home === undefined) {
    const attributes = account && (await attributesOf(client, account));
    const signable = { ...token, listsScopes: settings.listsScopes, attributes };
    const text = await tools.signing.sign(table, signable, newId(), issuerAt(origin), now);
    return { text, token, steps: [], latest: { issuedMs, expiresAtSeconds } };
  }
  const text = newOpaque("at_");
  const steps = [storingAccessToken(text, token)];
  return { text, token, steps, latest: { digest: digestOf(text), issuedMs, expiresAtSeconds } };
}

/** The claims about the user that the application wants in its access tokens. */
async function attributesOf(
  { tenant, applicationId, settings: { attributes = [], roles: chosen } }: Client,
  { user, roles, stores }: Pick<AccountStatus, "user" | "roles" | "stores">,
) {
  if (attributes.length === 0) return {};
  const needs = namedNeeds(attributes);
  return attributesFor(
    await claimedUser({ user, tenant, needs }, { id: applicationId, roles: chosen }, stores, roles),
    attributes,
  );
}
