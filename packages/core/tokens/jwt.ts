/** Access tokens as JWTs (RFC 9068), signed with ES256. */
import { type CryptoKey, decodeJwt, errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { SUPER_TENANT } from "../kernel/domain/tenant.ts";
import { canBeId } from "../kernel/ids.ts";
import { confirmationIn } from "./confirmation.ts";
import { actOf, packed, unpacked } from "./delegation.ts";
import type { RingKey } from "./key-ring.ts";
import { type AccessToken, audienceOf, CLOCK_TOLERANCE_MS, isAlive, isFromFuture, subjectOf } from "./model.ts";
import type { VerifiedJwts } from "./verified-jwts.ts";

const ALGORITHM = "ES256";
const TYPE = "at+jwt";
/** Characters of the longest token that is parsed. The gateway accepts at most 10,240 bytes of headers. */
const LENGTH_MAX = 8_192;
/** Three parts in the URL-safe alphabet without padding; 64 bytes of signature are 86 characters. */
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]{86})$/;

/** The issuers of tokens, and their audience where they name no resource. */
export interface Issuer {
  /** The origin of the API. */
  readonly origin: string;
  issuerOf(tenant: string): string;
}

/** One private claim with what the registered claims have no place for. */
interface OwnClaim {
  readonly tenant: string;
  readonly application: string;
  readonly grant: string;
  readonly issued_ms: number;
  readonly roles?: readonly string[];
  readonly username?: string;
  readonly user_store?: string;
  readonly delegated?: true;
  readonly claims?: readonly string[];
  readonly session?: string;
  /** When the person entered the password, and what was proven. */
  readonly proof?: readonly [number, ...string[]];
  readonly exchanges?: ReturnType<typeof packed>;
}
const OWN = "idp";

/** Finds the key with an id, if its tokens are accepted. */
export type KeyOf = (kid: string) => Promise<CryptoKey | undefined>;

/** The issuers at an origin: each tenant's is the URL of its token endpoint, as in WSO2 Identity Server. */
export function issuerAt(origin: string): Issuer {
  return {
    origin,
    issuerOf: (tenant) => `${origin}${tenant === SUPER_TENANT ? "" : `/t/${tenant}`}/oauth2/token`,
  };
}

/** The public half of a key, for verifying. */
export async function publicKey({ x, y }: RingKey): Promise<CryptoKey> {
  return (await importJWK({ kty: "EC", crv: "P-256", x, y }, ALGORITHM)) as CryptoKey;
}

/** The private half, for signing. `d` is the secret number of the curve point. */
export async function privateKey({ x, y }: RingKey, d: string): Promise<CryptoKey> {
  return (await importJWK({ kty: "EC", crv: "P-256", x, y, d }, ALGORITHM)) as CryptoKey;
}

/** The public half as a JWK (RFC 7517). */
export function toJwk({ kid, x, y }: RingKey) {
  return { kty: "EC", crv: "P-256", x, y, kid, use: "sig", alg: ALGORITHM } as const;
}

/** A token to sign. Its claim `scope` is a text with blanks (RFC 9068 section 2.2.3), or a list if it says so. */
export type SignableToken = AccessToken & {
  readonly listsScopes?: boolean | undefined;
  /** Claims about the user for resource servers. They replace no claim of the token itself. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
};

/** Signs a token. `id` becomes its `jti`. */
export function signAccessToken(
  token: SignableToken,
  id: string,
  { origin, issuerOf: issuer }: Issuer,
  key: { readonly kid: string; readonly secret: CryptoKey },
): Promise<string> {
  const { tenant, clientId, applicationId, user, scopes, roleIds, grantId, cnf } = token;
  const own: OwnClaim = {
    tenant,
    application: applicationId,
    grant: grantId,
    issued_ms: token.issuedMs,
    ...(roleIds.length > 0 && { roles: roleIds }),
    ...(user && { username: user.userName, user_store: user.userStore }),
    ...(token.isDelegated && { delegated: true }),
    ...(token.claims && { claims: token.claims }),
    ...(token.sid !== undefined && { session: token.sid }),
    ...(token.proof && { proof: [token.proof.atSeconds, ...token.proof.methods] }),
    ...(token.exchanges && { exchanges: packed(token.exchanges) }),
  };
  const act = actOf(token);
  return new SignJWT({
    ...token.attributes,
    client_id: clientId,
    aut: user ? "APPLICATION_USER" : "APPLICATION",
    ...(act && { act }),
    ...(cnf && { cnf }),
    ...(scopes.length > 0 && { scope: token.listsScopes ? [...scopes] : scopes.join(" ") }),
    [OWN]: own,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
    .setIssuer(issuer(tenant))
    .setSubject(subjectOf(token))
    .setAudience([...audienceOf(token, origin)])
    .setIssuedAt(token.issuedAtSeconds)
    .setNotBefore(token.issuedAtSeconds)
    .setExpirationTime(token.expiresAtSeconds)
    .setJti(id)
    .sign(key.secret);
}

/** Whether a text has the form of a signed JWT. Other texts are never parsed. */
export function isJwt(text: string): boolean {
  if (text.length > LENGTH_MAX) return false;
  const [, signature = ""] = FORM.exec(text) ?? [];
  // The last character has unused bits. Of the texts that decode to one signature, only the canonical one is accepted.
  return signature !== "" && Buffer.from(signature, "base64url").toString("base64url") === signature;
}

/** What the reading of a token may have besides. */
interface Reading {
  /** Called for a token of the issuer that was signed by a key of the ring and has expired. */
  readonly onExpired?: (() => void) | undefined;
  /** Remembers signatures. Without it, each is verified again. */
  readonly verified?: VerifiedJwts;
}

/**
 * Validates and reads a token: signed by a key of the ring, by the issuer of its tenant, not expired. Its audience is
 * for the caller to check. Returns `undefined` for any other text. The header selects the key and nothing else (RFC
 * 8725).
 */
export async function readAccessToken(
  text: string,
  keyOf: KeyOf,
  issuer: Issuer,
  nowMs: number,
  { onExpired, verified }: Reading = {},
): Promise<{ readonly token: AccessToken; readonly id: string } | undefined> {
  if (!isJwt(text)) return undefined;
  const payload = await signedPayload(text, keyOf, nowMs, verified);
  const token = payload && toToken(payload, issuer);
  // The tolerance is for `nbf`, which is `iat`, and for `iat` only: `exp` is exact.
  if (!token || !isText(payload.jti) || isFromFuture(token, nowMs)) return undefined;
  if (isAlive(token, nowMs)) return { token, id: payload.jti };
  onExpired?.();
  return undefined;
}

/** The claims of a text that a key of the ring signed as an access token, which may have expired. */
async function signedPayload(
  text: string,
  keyOf: KeyOf,
  nowMs: number,
  verified: VerifiedJwts | undefined,
): Promise<JWTPayload | undefined> {
  const known = verified?.get(text);
  if (known && (await keyOf(known.kid)) === known.key) return known.payload;
  let used: { readonly kid: string; readonly key: CryptoKey } | undefined;
  /** The key could not be read: that does not make the token invalid. */
  let failure: { readonly error: unknown } | undefined;
  const find = async ({ kid }: { readonly kid?: unknown }): Promise<CryptoKey> => {
    if (!isText(kid)) throw new Error("no key is named");
    const key = await keyOf(kid).catch((error: unknown) => {
      failure = { error };
      return undefined;
    });
    if (!key) throw new Error("no such key");
    used = { kid, key };
    return key;
  };
  try {
    const { payload } = await jwtVerify(text, find, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      requiredClaims: ["iss", "aud", "sub", "exp", "iat", "nbf", "jti", "client_id"],
      currentDate: new Date(nowMs),
      clockTolerance: CLOCK_TOLERANCE_MS / 1_000,
    });
    if (used) verified?.set(text, { ...used, payload });
    return payload;
  } catch (error) {
    if (failure) throw failure.error;
    // The library checks the signature before the time. Any other error means that the token is invalid.
    return error instanceof errors.JWTExpired ? error.payload : undefined;
  }
}

/**
 * The tenant and the grant that a text claims, which are not verified: they may decide what is read meanwhile, and
 * nothing else. `undefined` for a text that is not a token.
 */
export function claimsOf(text: string): { readonly tenant: string; readonly grant: string } | undefined {
  if (!isJwt(text)) return undefined;
  try {
    const own = ownOf(decodeJwt(text));
    return own && canBeId(own.tenant) && canBeId(own.grant) ? { tenant: own.tenant, grant: own.grant } : undefined;
  } catch {
    // Not a token: nothing is known of it.
    return undefined;
  }
}

function toToken(payload: JWTPayload, issuer: Issuer): AccessToken | undefined {
  const own = ownOf(payload);
  const registered = registeredIn(payload);
  if (!own || !registered || payload.iss !== issuer.issuerOf(own.tenant)) return undefined;
  const { sub, client_id, iat, exp, aud, scopes } = registered;
  // A token that is bound in a way that is not known here is no Bearer token.
  const cnf = payload.cnf === undefined ? undefined : confirmationIn(payload.cnf);
  if (payload.cnf !== undefined && !cnf) return undefined;
  const { username, user_store, roles = [] } = own;
  const user = username && user_store ? { id: sub, userName: username, userStore: user_store } : undefined;
  if (payload.aut !== (user ? "APPLICATION_USER" : "APPLICATION")) return undefined;
  const exchanges = own.exchanges && unpacked(own.exchanges);
  if (own.exchanges && !exchanges) return undefined;
  const isForAll = sameTexts(aud, [client_id, issuer.origin]);
  return {
    tenant: own.tenant,
    clientId: client_id,
    applicationId: own.application,
    ...(user && { user }),
    scopes,
    roleIds: roles,
    grantId: own.grant,
    issuedAtSeconds: iat,
    issuedMs: own.issued_ms,
    expiresAtSeconds: exp,
    ...(!isForAll && { audience: aud }),
    ...(own.delegated && { isDelegated: true }),
    ...(own.claims && { claims: own.claims }),
    ...(own.session !== undefined && { sid: own.session }),
    ...(own.proof && { proof: { atSeconds: own.proof[0], methods: own.proof.slice(1).filter(isText) } }),
    ...(exchanges && { exchanges }),
    ...(cnf && { cnf }),
  };
}

/** The registered claims (RFC 9068 section 2.2); `undefined` where one is missing or of another type. */
function registeredIn({ sub, client_id, iat, exp, aud, scope }: JWTPayload) {
  const scopes = scopesIn(scope);
  if (!isText(sub) || !isText(client_id) || !scopes) return undefined;
  if (!isWholeSeconds(iat) || !isWholeSeconds(exp)) return undefined;
  return Array.isArray(aud) && aud.every(isText) ? { sub, client_id, iat, exp, aud, scopes } : undefined;
}

/** The scopes of a claim, which is a text with blanks or a list; `undefined` where it is neither. */
function scopesIn(claim: unknown): readonly string[] | undefined {
  const scopes = isText(claim) ? claim.split(" ") : (claim ?? []);
  return Array.isArray(scopes) && scopes.every(isText) ? scopes : undefined;
}

/** The private claim of a verified token; `undefined` where it does not have the expected form. */
function ownOf(payload: JWTPayload): OwnClaim | undefined {
  const own = payload[OWN] as Partial<OwnClaim> | undefined;
  if (typeof own !== "object" || own === null) return undefined;
  const { tenant, application, grant, issued_ms, roles = [], claims = [], username, user_store, session } = own;
  const isComplete = isText(tenant) && isText(application) && isText(grant) && Number.isFinite(issued_ms);
  if (!isComplete || ![username, user_store, session].every(isOptional)) return undefined;
  if (own.proof !== undefined && !(Array.isArray(own.proof) && isWholeSeconds(own.proof[0]))) return undefined;
  const areLists = [roles, claims].every((each) => Array.isArray(each) && each.every(isText));
  return areLists ? (own as OwnClaim) : undefined;
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

function isOptional(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isWholeSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
