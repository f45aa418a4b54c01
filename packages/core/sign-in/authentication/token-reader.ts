/**
 * Validates access tokens. Unknown and revoked tokens are the same to callers. Only of a token that was issued here for
 * certain, by its signature or its row, it is told that it has expired: its holder could know that.
 */

import type { Table } from "../../database/table/table.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { accessTokenStore } from "../../tokens/access-token-store.ts";
import { claimsOf, type Issuer, isJwt, readAccessToken } from "../../tokens/jwt.ts";
import { newVerifyingKeys } from "../../tokens/key-cache.ts";
import { type AccessToken, homeOf, isAlive, isFromFuture } from "../../tokens/model.ts";
import { digestOf, isOpaque } from "../../tokens/opaque.ts";
import { revocationStore } from "../../tokens/revocation-store.ts";
import { VerifiedJwts } from "../../tokens/verified-jwts.ts";
import { isGuestWelcome } from "./guest-store.ts";
import {
  type Ages,
  FRESH,
  newRevocationCache,
  type RevocationState,
  STRICT,
  STRICT_SUBJECTS,
} from "./token-validity.ts";

/** What the validation of a token depends on. */
export interface TokenReading {
  readonly table: Table;
  readonly issuer: Issuer;
  readonly nowMs: number;
  /** The likely tenant of an opaque token: a right guess saves a round trip. */
  readonly tenantGuess?: string | undefined;
  /** True where a token must not outlive its revocation even for a moment. */
  readonly isStrict?: true;
  /** True where a token of a guest is valid too. Anywhere else it is not: it gives no right here (decision 0134). */
  readonly admitsGuests?: true;
  /** Called where the text is a token that was issued here and has expired. Its row may be gone soon after that. */
  readonly onExpired?: () => void;
}

/** A valid token. */
export interface ValidToken {
  readonly token: AccessToken;
  /** The `jti` of a JWT. */
  readonly id?: string;
}

/** Validates tokens for one container. */
export type TokenReader = ReturnType<typeof newTokenReader>;

interface Found extends ValidToken {
  readonly state: RevocationState;
  /** Whether a mark ends the token, where that was read together with the state. */
  readonly isMarked?: Promise<boolean>;
}

/** Opens the reader of one container. The token of a user whose user store its tenant does not have is not valid. */
export function newTokenReader(
  userStoresOf: (tenant: string) => readonly string[],
  revocations = newRevocationCache(),
) {
  const keys = newVerifyingKeys();
  const verified = new VerifiedJwts();
  let latestTenant = SUPER_TENANT;

  /**
   * Starts to read the state of the likely tenant. For another tenant the request neither waits for it nor fails by it.
   */
  const guess = (tenant: string, { table, nowMs }: TokenReading, ages: Ages) => {
    const state = revocations.of(tenant, table, nowMs, ages);
    state.catch(() => undefined);
    return (actual: string) => (actual === tenant ? state : revocations.of(actual, table, nowMs, ages));
  };

  const findOpaque = async (text: string, reading: TokenReading): Promise<Found | undefined> => {
    const { table, nowMs, tenantGuess = latestTenant, isStrict, onExpired } = reading;
    const stateOf = guess(tenantGuess, reading, isStrict ? STRICT : STRICT_SUBJECTS);
    const token = await accessTokenStore(table).find(text);
    if (!token || isFromFuture(token, nowMs)) return undefined;
    if (!isAlive(token, nowMs)) {
      onExpired?.();
      return undefined;
    }
    const { tenant } = token;
    const isUnknown = tenant !== tenantGuess && !revocations.knows(tenant);
    // The first token of a tenant in a container may be one that the log leaves to the marks: that costs no wait.
    const isMarked = isUnknown ? revocationStore(table).isRevokedByMark(token, nowMs) : undefined;
    isMarked?.catch(() => undefined);
    return { token, state: await stateOf(tenant), ...(isMarked && { isMarked }) };
  };

  const findJwt = async (text: string, reading: TokenReading): Promise<Found | undefined> => {
    const { table, nowMs, issuer, isStrict, onExpired } = reading;
    const ages = isStrict ? STRICT : FRESH;
    // Where the keys are read anyway, the state of the claimed tenant is read with them: nothing is verified yet.
    const claimed = keys.isFresh(nowMs) ? undefined : claimsOf(text)?.tenant;
    const guessed = claimed === undefined ? undefined : guess(claimed, reading, ages);
    await keys.refresh(table, nowMs);
    const found = await readAccessToken(text, keys.at(table, nowMs), issuer, nowMs, { onExpired, verified });
    if (!found) return undefined;
    const { tenant } = found.token;
    return { ...found, state: await (guessed ?? ((actual) => revocations.of(actual, table, nowMs, ages)))(tenant) };
  };

  const isRevoked = async (
    { token, state, isMarked }: Found,
    text: string,
    { table, nowMs }: TokenReading,
  ): Promise<boolean> => {
    const key = digestOf(text);
    const verdict = state.judge(token, key, nowMs);
    if (verdict !== "marks") return verdict === "revoked";
    if (await (isMarked ?? revocationStore(table).isRevokedByMark(token, nowMs))) return true;
    state.pass(token, key);
    return false;
  };

  return {
    /**
     * The token with that text; `undefined` if it is not valid. An opaque token costs one round trip, in which the
     * revocations of its tenant are read too; a JWT none while the container's cache is fresh. Two where the guess was
     * wrong. One more for a token from before the log that the container knows, the first time, and for one of a guest.
     * It never waits for the data of another tenant than the token's, or its guest's.
     */
    async read(text: string, reading: TokenReading): Promise<ValidToken | undefined> {
      const find = isOpaque(text, "at_") ? findOpaque : isJwt(text) ? findJwt : undefined;
      const found = await find?.(text, reading);
      if (!found?.state.isActive) return undefined;
      const { state: _, isMarked: __, ...valid } = found;
      const { tenant, user } = valid.token;
      const home = user && homeOf(user, tenant);
      if (home !== undefined && home !== tenant && !reading.admitsGuests) return undefined;
      if (user && home !== undefined && !userStoresOf(home).includes(user.userStore)) return undefined;
      if (await isRevoked(found, text, reading)) return undefined;
      if (home !== undefined && home !== tenant && !(await isGuestWelcome(valid.token, home, reading)))
        return undefined;
      latestTenant = tenant;
      return valid;
    },
  };
}
