/**
 * Assertions of clients (RFC 7523 section 3): JWTs that a client signs with its own key to authenticate. The header
 * selects a registered key and nothing else: keys, certificates and addresses in it are ignored (RFC 8725).
 */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { assertionAlgorithms } from "./assertion-algorithms.ts";
import { type KeysOfClient, keyFrom } from "./registered-key.ts";

/** Characters of an assertion: an RSA signature of 4,096 bits with claims has fewer than 2,000. */
const LENGTH_MAX = 8_192;
const ID_LENGTH_MAX = 255;
/**
 * How far ahead an assertion may expire, and how long ago it may have been issued. Libraries such as MSAL make those of
 * ten minutes. A stolen one counts as long where its client never sent it, and each used one is remembered as long.
 */
export const LIFE_SECONDS_MAX = 600;
/** How far the clock of a client may be from this one. */
export const ASSERTION_SKEW_SECONDS = 10;
/** The kinds of JWTs that are assertions, in lower case: others of the same key are none (RFC 8725 section 3.11). */
const TYPES: ReadonlySet<string> = new Set([
  "jwt",
  "client-authentication+jwt",
  "application/client-authentication+jwt",
]);

/** A verified assertion. */
export interface Assertion {
  readonly id: string;
  /** When it can no longer be used, the tolerance for clocks included. */
  readonly expiresAtSeconds: number;
}

/** What an assertion is verified with. */
export interface AssertionCheck {
  readonly clientId: string;
  /** The addresses of this server: every audience must be one of them. */
  readonly addresses: ReadonlySet<string>;
  /** Those of the token endpoint, which are issuers too: one audience must be one of them. */
  readonly issuers: ReadonlySet<string>;
  /** The only algorithms that the client may use; any of `assertionAlgorithms` where they are absent. */
  readonly algorithms: readonly string[] | undefined;
  /** The only audience, as a text, of a client of FAPI 2.0 (section 5.3.2.1). */
  readonly onlyAudience: string | undefined;
  readonly keys: KeysOfClient;
  readonly nowMs: number;
}

/** The client that an assertion is about, which is not verified. `undefined` for a text that is no assertion. */
export function assertedClient(text: string): string | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  try {
    const { sub, iss } = decodeJwt(text);
    return typeof sub === "string" && sub === iss ? sub : undefined;
  } catch {
    // Not a JWT.
    return undefined;
  }
}

/**
 * Whether a text says that it is an assertion which lives too long. Nothing of it is verified: the answer is the same
 * for every client, and for none.
 */
export function isTooLong(text: string, nowMs: number): boolean {
  if (text.length > LENGTH_MAX) return false;
  try {
    return !expiresSoon(decodeJwt(text), nowMs);
  } catch {
    // Not a JWT.
    return false;
  }
}

/**
 * Verifies an assertion: signed with a key of the client, about it and by it, for this server, alive, and of a short
 * life. `undefined` for any other, after the same work whether the client has such a key or not.
 */
export async function verifyAssertion(text: string, check: AssertionCheck): Promise<Assertion | undefined> {
  const { clientId, algorithms, nowMs } = check;
  const { getKey, isOwn } = keyFrom(check.keys);
  try {
    const { payload, protectedHeader } = await jwtVerify(text, getKey, {
      algorithms: [...assertionAlgorithms],
      issuer: clientId,
      subject: clientId,
      requiredClaims: ["exp", "jti", "aud"],
      currentDate: new Date(nowMs),
      clockTolerance: ASSERTION_SKEW_SECONDS,
    });
    const { alg, typ = "JWT" } = protectedHeader;
    const isTyped = TYPES.has(String(typ).toLowerCase());
    const isAccepted = isOwn() && isTyped && (algorithms === undefined || algorithms.includes(alg));
    return isAccepted && isForUs(payload, check) && isShort(payload, nowMs) ? assertionOf(payload) : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** Each audience is this server, and one is its token endpoint: a server that the assertion is for too could use it. */
function isForUs({ aud }: JWTPayload, { issuers, addresses, onlyAudience }: AssertionCheck): boolean {
  if (onlyAudience !== undefined) return aud === onlyAudience;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return (
    audiences.every((each) => typeof each === "string" && addresses.has(each)) &&
    audiences.some((each) => typeof each === "string" && issuers.has(each))
  );
}

function expiresSoon({ exp }: JWTPayload, nowMs: number): boolean {
  return typeof exp !== "number" || exp <= nowMs / 1_000 + LIFE_SECONDS_MAX + ASSERTION_SKEW_SECONDS;
}

function isShort(claims: JWTPayload, nowMs: number): boolean {
  const { iat } = claims;
  const most = LIFE_SECONDS_MAX + ASSERTION_SKEW_SECONDS;
  const nowSeconds = nowMs / 1_000;
  // An `iat` in the future is a clock that is ahead, or an assertion made for later.
  const isRecent = iat === undefined || (iat <= nowSeconds + ASSERTION_SKEW_SECONDS && iat >= nowSeconds - most);
  return expiresSoon(claims, nowMs) && isRecent;
}

function assertionOf({ jti, exp }: JWTPayload): Assertion | undefined {
  const isId = typeof jti === "string" && jti !== "" && jti.length <= ID_LENGTH_MAX;
  return isId && exp !== undefined ? { id: jti, expiresAtSeconds: Math.ceil(exp) + ASSERTION_SKEW_SECONDS } : undefined;
}
