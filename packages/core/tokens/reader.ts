/** From the text of an access token to what it stands for, or to nothing: unknown, expired or revoked is all the same to callers. */

import { SUPER_TENANT } from "../domain/tenant.ts";
import type { Table } from "../table/table.ts";
import { accessTokenStore } from "./access.ts";
import { newVerifyingKeys } from "./held-keys.ts";
import { type Issuer, isJwt, readAccessToken } from "./jwt.ts";
import { type AccessToken, isAlive } from "./model.ts";
import { isOpaque } from "./opaque.ts";
import { isBeyondLog, isMarkedRevoked, newStandings, STANDING_FRESH_MS } from "./validity.ts";

/** What a token is read with. */
export interface Reading {
  readonly table: Table;
  readonly issuer: Issuer;
  readonly nowMs: number;
  /** The tenant that the token is likely of: it saves a round trip when it is. */
  readonly tenantGuess?: string | undefined;
  /** True where a revocation of a moment ago must count for JWTs too. */
  readonly isStrict?: true;
}

/** A token that counts. */
export interface ReadToken {
  readonly token: AccessToken;
  /** The `jti` of a JWT. */
  readonly id?: string;
}

/** Reads tokens for one container. */
export interface TokenReader {
  /**
   * The token, if it counts. An opaque one costs one round trip, in which the revocations of its tenant come along; a JWT none
   * while the container's knowledge is fresh. Two where the guess was wrong; one more for a token of more than a day.
   */
  read(text: string, reading: Reading): Promise<ReadToken | undefined>;
}

/** Opens the reader of one container. A token of a user of a user store that its tenant does not have does not count. */
export function newTokenReader(userStoresOf: (tenant: string) => readonly string[]): TokenReader {
  const standings = newStandings();
  const keys = newVerifyingKeys();
  let latestTenant = SUPER_TENANT;

  const findOpaque = async (text: string, { table, nowMs, tenantGuess = latestTenant }: Reading) => {
    const [token, standing] = await Promise.all([
      accessTokenStore(table).find(text),
      standings.of(tenantGuess, table, nowMs, 0),
    ]);
    if (!token || !isAlive(token, nowMs)) return undefined;
    return {
      token,
      standing: token.tenant === tenantGuess ? standing : await standings.of(token.tenant, table, nowMs, 0),
    };
  };

  const findJwt = async (text: string, { table, nowMs, issuer, isStrict }: Reading) => {
    const maxAgeMs = isStrict ? 0 : STANDING_FRESH_MS;
    // Side by side what would otherwise be asked one after the other.
    await Promise.all([keys.refresh(table, nowMs), standings.of(latestTenant, table, nowMs, STANDING_FRESH_MS)]);
    const found = await readAccessToken(text, keys.at(table, nowMs), issuer, nowMs);
    return found && { ...found, standing: await standings.of(found.token.tenant, table, nowMs, maxAgeMs) };
  };

  return {
    async read(text, reading) {
      const form = isOpaque(text, "at_") ? findOpaque : isJwt(text) ? findJwt : undefined;
      const found = await form?.(text, reading);
      if (!found) return undefined;
      const { standing, ...read } = found;
      const { token } = read;
      if (!standing.isActive || standing.revokes(token)) return undefined;
      if (token.user && !userStoresOf(token.tenant).includes(token.user.userStore)) return undefined;
      if (isBeyondLog(token, reading.nowMs) && (await isMarkedRevoked(token, reading.table))) return undefined;
      latestTenant = token.tenant;
      return read;
    },
  };
}
