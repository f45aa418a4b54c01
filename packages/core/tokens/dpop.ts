/**
 * DPoP proofs (RFC 9449 section 4.3): signed statements by which the holder of a key proves, for one request, that it
 * has the key. The cheap checks come first, so that a signature is verified only for a proof with a fresh nonce.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from "jose";
import type { SentRequest } from "../kernel/operation/context.ts";
import { publicKeyIn } from "./dpop-key.ts";
import { type Nonces, newNonces } from "./dpop-nonce.ts";

const TYPE = "dpop+jwt";
/** Characters of the longest proof that is parsed: one with a key and a signature of 4,096 bits has some 2,200. */
const LENGTH_MAX = 4_096;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const JTI_LENGTH_MAX = 256;
/** The greatest age of a proof, and how far the clock of its maker may be ahead. */
const AGE_SECONDS_MAX = 60;
const AHEAD_SECONDS_MAX = 10;
/** A URI with an authority (RFC 3986), without user information, query and fragment. */
const PLAIN_URL = /^https?:\/\/[^/?#@\\]+(?:\/[^?#\\"<>^`{|}]*)?$/i;
const VISIBLE = /^[\x21-\x7E]+$/;
/** Escapes that do not mean the same as the characters they encode: slash, question mark, number sign, backslash. */
const STRUCTURAL = /%(?:2f|3f|23|5c)/i;

/** What a proof is compared with. */
export interface ProofCheck {
  readonly sent: SentRequest;
  readonly nowMs: number;
  /** The access token that it came with; absent at the token endpoint. */
  readonly accessToken?: string;
}

/** A valid proof. */
export interface Proof {
  /** The thumbprint of its key (RFC 7638). */
  readonly thumbprint: string;
  readonly id: string;
  /** From when on it is too old. */
  readonly expiresAtSeconds: number;
  /** The nonce for further proofs, where a newer one than that of this proof is issued. */
  readonly nextNonce?: string;
}

export type ProofVerdict =
  | { readonly kind: "valid"; readonly proof: Proof }
  /** It has no nonce that is accepted: the caller repeats the request with this one. */
  | { readonly kind: "nonce"; readonly nonce: string }
  /** `reason` completes the sentence "The DPoP proof is not valid: ...". */
  | { readonly kind: "refused"; readonly reason: string };

/** Checks proofs for one container. No round trip. */
export type ProofReader = ReturnType<typeof newProofReader>;

/** Opens the reader on the key of nonces. */
export function newProofReader(nonceKey: Uint8Array) {
  const nonces = newNonces(nonceKey);
  return {
    /** Checks the value of the header `DPoP`. */
    async read(header: string, check: ProofCheck): Promise<ProofVerdict> {
      try {
        return await verdictOf(header, check, nonces);
      } catch {
        // Whatever the parser or the verification says: it is not a signed proof.
        return refused("it is not a JWT that is signed with the key in its header");
      }
    },
  };
}

async function verdictOf(text: string, check: ProofCheck, nonces: Nonces): Promise<ProofVerdict> {
  if (text.includes(",")) return refused("send exactly one DPoP header");
  if (text.length > LENGTH_MAX) return refused(`it is longer than ${LENGTH_MAX} characters`);
  if (!FORM.test(text)) return refused("it is not a JWT");
  const { alg = "", typ, jwk } = decodeProtectedHeader(text);
  if (typ !== TYPE) return refused(`its typ is not ${TYPE}`);
  const key = publicKeyIn(alg, jwk);
  if (!key) return refused("its alg is not accepted, or its jwk is not a public key of that algorithm");
  const claims = decodeJwt(text);
  const reason = problemOf(claims, check);
  if (reason !== undefined) return refused(reason);
  const { nonce, jti = "", iat = 0 } = claims;
  const freshness = typeof nonce === "string" ? nonces.judge(nonce, check.nowMs) : "refused";
  const newest = nonces.at(check.nowMs);
  if (freshness === "refused") return { kind: "nonce", nonce: newest };
  await jwtVerify(text, await importJWK(key, alg), {
    algorithms: [alg],
    typ: TYPE,
    currentDate: new Date(check.nowMs),
  });
  return {
    kind: "valid",
    proof: {
      thumbprint: await calculateJwkThumbprint(key, "sha256"),
      id: jti,
      expiresAtSeconds: Math.ceil(iat) + AGE_SECONDS_MAX,
      ...(freshness === "replaced" && { nextNonce: newest }),
    },
  };
}

/** Why the claims are not those of this request. */
function problemOf({ jti, htm, htu, iat, ath }: JWTPayload, { sent, nowMs, accessToken }: ProofCheck) {
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_LENGTH_MAX) {
    return `its jti is not a text of 1 to ${JTI_LENGTH_MAX} characters`;
  }
  if (htm !== sent.method) return "its htm is not the method of the request";
  if (typeof htu !== "string" || !isUrlOf(htu, sent)) {
    return "its htu is not the URL of the request, without query and fragment";
  }
  if (typeof iat !== "number" || !Number.isFinite(iat)) return "it has no iat";
  const ageSeconds = nowMs / 1_000 - iat;
  if (ageSeconds > AGE_SECONDS_MAX || ageSeconds < -AHEAD_SECONDS_MAX) return "its iat is not the time of the request";
  if (accessToken !== undefined && !isDigestOf(ath, accessToken))
    return "its ath is not the digest of the access token";
  return undefined;
}

/**
 * Whether a URL is that of a request. Both are normalised (RFC 3986 section 6.2.2 and 6.2.3); the gateway has decoded
 * the path of the request once.
 */
function isUrlOf(htu: string, { origins, path }: SentRequest): boolean {
  if (!VISIBLE.test(htu) || !PLAIN_URL.test(htu) || STRUCTURAL.test(htu) || !URL.canParse(htu)) return false;
  const url = new URL(htu);
  const isOrigin = origins.some((origin) => new URL(origin).origin === url.origin);
  return isOrigin && decodeURIComponent(url.pathname) === path;
}

/** Constant time. */
function isDigestOf(ath: unknown, accessToken: string): boolean {
  const own = Buffer.from(createHash("sha256").update(accessToken, "ascii").digest("base64url"));
  const given = Buffer.from(typeof ath === "string" ? ath : "");
  return given.length === own.length && timingSafeEqual(given, own);
}

function refused(reason: string): ProofVerdict {
  return { kind: "refused", reason };
}
