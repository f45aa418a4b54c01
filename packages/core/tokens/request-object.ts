/**
 * Request objects: authorization requests that a client signs with its own key (RFC 9101, OpenID Connect Core 1.0
 * section 6). A request object is for this issuer, lives for an hour at most, and is no assertion of the client.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import { type KeysOfClient, keyFrom } from "./registered-key.ts";

/** Characters of a request object. */
const LENGTH_MAX = 12_288;
/** How far ahead an object may expire, and how long ago it may have begun (FAPI 2.0 Message Signing section 5.3.1). */
const LIFE_SECONDS_MAX = 3_600;
/** How far the clock of a client may be from this one. */
const SKEW_SECONDS = 10;
/** The kinds of JWTs that are request objects, in lower case (RFC 9101 section 10.8, RFC 8725 section 3.11). */
const TYPES: ReadonlySet<string> = new Set(["jwt", "oauth-authz-req+jwt", "application/oauth-authz-req+jwt"]);
/** An encrypted JWT has five parts (RFC 7516 section 3.1). */
const ENCRYPTED_PARTS = 5;

/** What a request object is verified with. */
export interface RequestObjectCheck {
  readonly clientId: string;
  /** The issuer of this server, which must be an audience. */
  readonly issuer: string;
  readonly algorithms: readonly string[];
  /** Whether it must say from when on it counts (FAPI 2.0 Message Signing section 5.3.1). */
  readonly needsBegin: boolean;
  readonly keys: KeysOfClient;
  readonly nowMs: number;
}

/** The claims of a request object, or why it does not count. */
export type RequestObject =
  | { readonly claims: Readonly<Record<string, unknown>> }
  | { readonly problem: string; readonly isUnsupported?: true };

/** Reads a request object. */
export async function readRequestObject(text: string, check: RequestObjectCheck): Promise<RequestObject> {
  const { clientId, issuer, algorithms, needsBegin, keys, nowMs } = check;
  if (text.length > LENGTH_MAX) return { problem: `it is longer than ${LENGTH_MAX} characters` };
  if (text.split(".").length === ENCRYPTED_PARTS) return { problem: "it is encrypted: sign it only" };
  if (isUnsigned(text)) return { problem: "it is not signed", isUnsupported: true };
  const { getKey, isOwn } = keyFrom(keys);
  try {
    const { payload, protectedHeader } = await jwtVerify(text, getKey, {
      algorithms: [...algorithms],
      issuer: clientId,
      audience: issuer,
      requiredClaims: needsBegin ? ["exp", "nbf"] : ["exp"],
      currentDate: new Date(nowMs),
      clockTolerance: SKEW_SECONDS,
    });
    const { typ = "JWT" } = protectedHeader;
    if (!isOwn()) return { problem: UNVERIFIED };
    if (!TYPES.has(String(typ).toLowerCase())) return { problem: "its typ is not oauth-authz-req+jwt" };
    const problem = problemOf(payload, check);
    return problem === undefined ? { claims: payload } : { problem };
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed)
      return { problem: `its claim ${error.claim} is wrong or absent` };
    if (error instanceof errors.JWTExpired) return { problem: "it has expired" };
    if (error instanceof errors.JOSEAlgNotAllowed) return { problem: `its alg is not one of ${algorithms.join(", ")}` };
    if (error instanceof errors.JOSEError) return { problem: UNVERIFIED };
    throw error;
  }
}

const UNVERIFIED = "it is no JWT that a key of the certificate of the application has signed";

/** Whether an object says itself that it is not signed. */
function isUnsigned(text: string): boolean {
  try {
    return decodeProtectedHeader(text).alg === "none";
  } catch {
    // No JWT, which the verification says.
    return false;
  }
}

function problemOf({ sub, exp = 0, nbf, client_id: named }: JWTPayload, check: RequestObjectCheck) {
  const nowSeconds = check.nowMs / 1_000;
  const most = LIFE_SECONDS_MAX + SKEW_SECONDS;
  // It could be used as an assertion, or be one (RFC 9101 section 4).
  if (sub === check.clientId) return "its sub is the client id";
  if (named !== check.clientId) return "its client_id is not the one of the request";
  if (exp > nowSeconds + most || (nbf ?? nowSeconds) < nowSeconds - most) return "it lives for more than an hour";
  return undefined;
}
