/** Verifies ID tokens that come back to this service as hints (OpenID Connect Core 1.0 section 3.1.2.1). */
import { compactVerify, createLocalJWKSet, decodeJwt, errors } from "jose";
import type { Table } from "../database/table/table.ts";
import { idTokenAlgorithms } from "./id-token-keys.ts";
import { toJwk } from "./jwt.ts";
import { rsaJwks } from "./key-kinds.ts";
import { idTokenKeys, readRing } from "./key-store.ts";

/** Characters of the longest hint that is parsed. */
const LENGTH_MAX = 16_384;

/** What an ID token says of a sign-in. */
export interface IdTokenHint {
  readonly issuer: string;
  /** The client that the token was issued to; a client can add other audiences, which may be clients too. */
  readonly clientId: string;
  readonly subject: string;
  /** The session. */
  readonly sid: string | undefined;
}

/**
 * The ID token, if a key of this service signed it; an expired one too, because a person may sign out later than that
 * (OpenID Connect RP-Initiated Logout 1.0 section 2). `undefined` for any other text. One round trip.
 */
export async function readIdTokenHint(table: Table, text: string): Promise<IdTokenHint | undefined> {
  if (text.length > LENGTH_MAX) return undefined;
  const [ofIdTokens, ofAccessTokens] = await Promise.all([readRing(table, idTokenKeys), readRing(table)]);
  const set = createLocalJWKSet({ keys: [...ofIdTokens.flatMap(rsaJwks), ...ofAccessTokens.map(toJwk)] });
  try {
    const { payload, protectedHeader } = await compactVerify(text, set, { algorithms: [...idTokenAlgorithms] });
    // The keys for ES256 sign access tokens too, which have another type (RFC 9068 section 2.1).
    return protectedHeader.typ === "JWT" ? hintOf(JSON.parse(Buffer.from(payload).toString("utf8"))) : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError || error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}

/** The client that a text says it was issued to. Nothing is verified: it tells where to look. */
export function clientOfHint(text: string): string | undefined {
  try {
    return issuedTo(decodeJwt(text));
  } catch {
    // Not a JWT, which `readIdTokenHint` says.
    return undefined;
  }
}

/** The session that a text says it is of. Nothing is verified: it tells where to look. */
export function sessionOfHint(text: string): string | undefined {
  try {
    const { sid } = decodeJwt(text);
    return typeof sid === "string" ? sid : undefined;
  } catch {
    // Not a JWT, which `readIdTokenHint` says.
    return undefined;
  }
}

function hintOf(claims: Readonly<Record<string, unknown>>): IdTokenHint | undefined {
  const { iss, sub, sid } = claims;
  const clientId = issuedTo(claims);
  if (typeof iss !== "string" || typeof sub !== "string" || clientId === undefined) return undefined;
  return { issuer: iss, clientId, subject: sub, sid: typeof sid === "string" ? sid : undefined };
}

/** The client of an ID token: its only audience, or the authorized party (OpenID Connect Core 1.0 section 2). */
function issuedTo({ azp, aud }: Readonly<Record<string, unknown>>): string | undefined {
  return [azp, aud].flat().find((each) => typeof each === "string");
}
