/** The content of an ID token (OpenID Connect Core 1.0 section 2). Pure. */
import { createHash } from "node:crypto";
import { isFapi2 } from "../../applications/protocols/sign-in.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { IdTokenAlgorithm } from "../../tokens/id-token-keys.ts";

/** The class of a sign-in by a password (`acr`), and of one with a second factor. */
export const PASSWORD_CLASS = "pwd";
export const FACTORS_CLASS = "mfa";

/** The life of an ID token whose application has none. */
const DEFAULT_SECONDS = 3_600;

/** The sign-in that an ID token tells of. */
export interface SignInOfToken {
  readonly authSeconds: number;
  readonly sid: string;
  /** What the user has proven; absent for a password. */
  readonly methods?: readonly string[] | undefined;
}

/** Of whom and for what an ID token is. */
export interface IdTokenContent {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  /** Claims about the user. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signedIn: SignInOfToken;
  readonly nonce?: string | undefined;
  readonly issuedAtSeconds: number;
  /** What the token is issued together with: its digest binds the two. */
  readonly accessToken?: string | undefined;
  /** The code, and the `state` of the request, for an ID token that goes through the browser. */
  readonly code?: string | undefined;
  readonly state?: string | undefined;
}

/** What is signed, with which algorithm, and for how long. */
export interface IdTokenToSign {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly algorithm: IdTokenAlgorithm;
  readonly lifeSeconds: number;
}

/** An ID token by the settings of its application. */
export function idTokenOf(
  { inbound }: Pick<Application, "inbound">,
  { issuer, clientId, subject, claims, signedIn, nonce, issuedAtSeconds, accessToken, code, state }: IdTokenContent,
): IdTokenToSign {
  const { idToken } = inbound.oidc ?? {};
  const lifeSeconds = idToken?.expiryInSeconds || DEFAULT_SECONDS;
  const audiences = [...new Set([clientId, ...(idToken?.audience ?? [])])];
  const isOne = audiences.length === 1;
  return {
    algorithm: idTokenAlgorithmOf(inbound.oidc),
    lifeSeconds,
    claims: {
      ...claims,
      iss: issuer,
      sub: subject,
      aud: isOne ? clientId : audiences,
      ...(!isOne && { azp: clientId }),
      iat: issuedAtSeconds,
      exp: issuedAtSeconds + lifeSeconds,
      auth_time: signedIn.authSeconds,
      ...(nonce !== undefined && { nonce }),
      ...classOf(signedIn.methods),
      sid: signedIn.sid,
      ...(accessToken !== undefined && { at_hash: halfDigest(accessToken) }),
      ...(code !== undefined && { c_hash: halfDigest(code) }),
      ...(state !== undefined && { s_hash: halfDigest(state) }),
    },
  };
}

/** The algorithm of the ID tokens and logout tokens of a client. */
export function idTokenAlgorithmOf(oidc: Application["inbound"]["oidc"]): IdTokenAlgorithm {
  const asked = oidc?.idToken.idTokenSignedResponseAlg;
  if (asked === "ES256" || asked === "PS256") return asked;
  // FAPI 2.0 has no RS256 (section 5.4.1).
  return isFapi2(oidc ?? {}) ? "ES256" : "RS256";
}

/** The registered names of what is proven (RFC 8176): an authenticator uses a key when its user touches it. */
const NAMES: Readonly<Record<string, readonly string[]>> = { pop: ["pop", "user"], mail: ["otp"] };

/**
 * Whether what is proven is a sign-in with a second factor: an app or a passkey besides another proof, or a passkey
 * alone, which has verified its user. A mailbox is none (decision 0184).
 */
export function isWithFactors(methods: readonly string[]): boolean {
  return methods.includes("pop") || (methods.includes("otp") && methods.length > 1);
}

/** How the user signed in: the class, and the methods. */
function classOf(methods: readonly string[] = ["pwd"]) {
  const isMultiple = isWithFactors(methods);
  const all = new Set(methods.flatMap((method) => NAMES[method] ?? [method]));
  return { acr: isMultiple ? FACTORS_CLASS : PASSWORD_CLASS, amr: [...all, ...(isMultiple ? ["mfa"] : [])] };
}

/** The left half of the digest, by the hash of the algorithm: SHA-256 for all (section 3.1.3.6). */
function halfDigest(text: string): string {
  return createHash("sha256").update(text, "utf8").digest().subarray(0, 16).toString("base64url");
}
