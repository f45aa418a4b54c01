/** Validates access tokens. Unknown, expired and revoked tokens are the same to callers. */
import { SUPER_TENANT } from "../domain/tenant.ts";
import type { Table } from "../table/table.ts";
import { accessTokenStore } from "./access-token-store.ts";
import { type Issuer, isJwt, readAccessToken } from "./jwt.ts";
import { newVerifyingKeys } from "./key-cache.ts";
import { type AccessToken, isAlive } from "./model.ts";
import { isOpaque } from "./opaque.ts";
import { revocationStore } from "./revocation-store.ts";
import { isBeyondLog, newRevocationCache, REVOCATION_FRESH_MS } from "./validity.ts";

/** What the validation of a token depends on. */
export interface TokenReading {
  readonly table: Table;
  readonly issuer: Issuer;
  readonly nowMs: number;
  /** The likely tenant of the token: a right guess saves a round trip. */
  readonly tenantGuess?: string | undefined;
  /** True where a JWT must not outlive its revocation even for a moment. */
  readonly isStrict?: true;
}

/** A valid token. */
export interface ValidToken {
  readonly token: AccessToken;
  /** The `jti` of a JWT. */
  readonly id?: string;
}

/** Validates tokens for one container. */
export interface TokenReader {
  /**
   * The token with that text; `undefined` if it is not valid. An opaque token costs one round trip, in which the
   * revocations of its tenant are read too; a JWT none while the container's cache is fresh. Two where the guess was
   * wrong; one more for a token of more than a day.
   */
  read(text: string, reading: TokenReading): Promise<ValidToken | undefined>;
}

/** Opens the reader of one container. The token of a user whose user store its tenant does not have is not valid. */
export function newTokenReader(userStoresOf: (tenant: string) => readonly string[]): TokenReader {
  const revocations = newRevocationCache();
  const keys = newVerifyingKeys();
  let latestTenant = SUPER_TENANT;

  const findOpaque = async (text: string, { table, nowMs, tenantGuess = latestTenant }: TokenReading) => {
    const [token, guessed] = await Promise.all([
      accessTokenStore(table).find(text),
      revocations.of(tenantGuess, table, nowMs, 0),
    ]);
    if (!token || !isAlive(token, nowMs)) return undefined;
    const { tenant } = token;
    return { token, state: tenant === tenantGuess ? guessed : await revocations.of(tenant, table, nowMs, 0) };
  };

  const findJwt = async (text: string, { table, nowMs, issuer, isStrict }: TokenReading) => {
    const maxAgeMs = isStrict ? 0 : REVOCATION_FRESH_MS;
    // In parallel, so that the two reads that may follow find a fresh cache.
    await Promise.all([keys.refresh(table, nowMs), revocations.of(latestTenant, table, nowMs, REVOCATION_FRESH_MS)]);
    const found = await readAccessToken(text, keys.at(table, nowMs), issuer, nowMs);
    return found && { ...found, state: await revocations.of(found.token.tenant, table, nowMs, maxAgeMs) };
  };

  return {
    async read(text, reading) {
      const find = isOpaque(text, "at_") ? findOpaque : isJwt(text) ? findJwt : undefined;
      const found = await find?.(text, reading);
      if (!found) return undefined;
      const { state, ...valid } = found;
      const { token } = valid;
      if (!state.isActive || state.revokes(token)) return undefined;
      if (token.user && !userStoresOf(token.tenant).includes(token.user.userStore)) return undefined;
      const { table, nowMs } = reading;
      if (isBeyondLog(token, nowMs) && (await revocationStore(table).isRevokedByMark(token))) return undefined;
      latestTenant = token.tenant;
      return valid;
    },
  };
}
