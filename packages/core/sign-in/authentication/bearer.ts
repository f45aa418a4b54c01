/**
 * Access tokens as credentials: from a header of the scheme Bearer (RFC 6750) or DPoP (RFC 9449 section 7.1) to a
 * principal and the scopes of the token. A token that is bound to a key counts only together with the proof of that
 * key.
 */

import { BASIC_CHALLENGE, bearerChallenge, dpopChallenge, NONCE_HEADER, unauthenticated } from "../../http/decision.ts";
import { isForPath } from "../../kernel/domain/protected-resources.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Principal, Proof, SentRequest } from "../../kernel/operation/context.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { type Confirmation, confirmationOfCertificate, isSameKey } from "../../tokens/confirmation.ts";
import { actorsOf } from "../../tokens/delegation.ts";
import type { ProofReader } from "../../tokens/dpop.ts";
import { PROOF_ALGORITHMS } from "../../tokens/dpop-key.ts";
import { type AccessToken, subjectOf } from "../../tokens/model.ts";
import type { TokenReader, TokenReading } from "./token-reader.ts";
import type { Authenticated } from "./user-principal.ts";

const SCHEME = /^(?:bearer|dpop)(?: |,|$)/i;
const HEADER = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i;

const ALGORITHMS = { algs: PROOF_ALGORITHMS.join(" ") };
const DPOP_CHALLENGE = dpopChallenge("invalid_token", ALGORITHMS);

/** What the challenge (RFC 6750 section 3) and the body say of a token. */
interface Verdict {
  readonly challenge: string;
  readonly description: string;
}

const EXPIRED: Verdict = {
  challenge: "The access token expired",
  description: "The access token expired: request a new one at /oauth2/token.",
};
/** One sentence for every other token that is not accepted, so that it shows nothing of the reason. */
const INVALID: Verdict = {
  challenge: "The access token is invalid",
  description:
    "The access token is invalid: it is unknown, was revoked, or is for another resource. Request a new one at /oauth2/token.",
};
/** By its form alone: no such text is ever a token. */
const MALFORMED: Verdict = {
  challenge: "The access token is malformed",
  description:
    "The Authorization header has no access token: after the word Bearer and a blank, send the access_token of the answer of /oauth2/token alone, without quotes.",
};

/** A token as it was sent. */
export interface PresentedToken {
  readonly header: string;
  /** The header `DPoP`. */
  readonly proof: string | undefined;
  readonly sent: SentRequest;
}

/** The holder of a token. */
export interface TokenHolder extends Authenticated {
  /** True where the client certificate of the connection is the proof of the token: it need not name a user. */
  readonly isBoundToCertificate: boolean;
  /** The client that the token was issued to. */
  readonly clientId: string;
  readonly applicationId: string;
  /** The tenant of a guest, which is not that of the principal; only where the reading admits guests. */
  readonly home?: string;
  /** What the guest gives besides what the scopes stand for. */
  readonly given?: readonly string[];
  /** Names of single claims that UserInfo gives for it. */
  readonly claims?: readonly string[];
  /** The sign-in that the token is from. */
  readonly proof?: Proof;
  /** The nonce for its next DPoP proofs, where a newer one than it used is issued. */
  readonly nextNonce?: string;
}

/** What validates tokens and their proofs. */
export interface TokenTools {
  readonly reader: TokenReader;
  readonly proofs: ProofReader;
}

/** Whether a header presents a token, malformed ones included. */
export function isToken(header: string): boolean {
  return SCHEME.test(header);
}

/** The challenge for a token that lacks a scope, in the scheme that it came with. */
export function scopeChallenge(header: string, scope: string): string {
  return /^dpop/i.test(header)
    ? dpopChallenge("insufficient_scope", { scope })
    : bearerChallenge("insufficient_scope", { scope });
}

/**
 * Authenticates a header that presents a token for a path, which is given without its tenant: a token that is for other
 * resources is refused (RFC 8707, decision 0080). Throws `auth.unauthenticated`.
 */
export async function authenticateToken(
  presented: PresentedToken,
  { reader, proofs }: TokenTools,
  reading: TokenReading,
  path: string,
): Promise<TokenHolder> {
  const [, scheme = "", text = ""] = HEADER.exec(presented.header) ?? [];
  const isDpop = scheme.toLowerCase() === "dpop";
  if (text === "") throw refusedAs(MALFORMED, isDpop);
  let verdict = INVALID;
  const onExpired = () => {
    verdict = EXPIRED;
  };
  const found = await reader.read(text, { ...reading, onExpired });
  if (!found) throw refusedAs(verdict, isDpop);
  const { token } = found;
  const place = { origin: reading.issuer.origin, tenant: token.tenant };
  if (!isForPath(token.audience, path, place)) throw refusedAs(INVALID, isDpop);
  const nextNonce = isDpop
    ? await checkProof(token.cnf, text, presented, proofs, reading.nowMs)
    : checkBearer(token.cnf, presented);
  // An exchanged token, and one of a sign-in, have exactly the scopes that were given to them (decisions 0081, 0114).
  const implied = token.exchanges || token.isDelegated ? [] : [SIGNED_IN];
  return {
    principal: principalOf(token),
    scopes: new Set([...implied, ...token.scopes]),
    clientId: token.clientId,
    applicationId: token.applicationId,
    ...(token.user?.home !== undefined && { home: token.user.home }),
    ...(token.user?.given && { given: token.user.given }),
    ...(token.claims && { claims: token.claims }),
    isBoundToCertificate: token.cnf !== undefined && "x5t#S256" in token.cnf,
    ...proofOf(token),
    ...(nextNonce !== undefined && { nextNonce }),
  };
}

/** The scope that everyone has is implied, but what follows from it here is only for those who gave it themselves. */
function proofOf({ proof, scopes, exchanges }: AccessToken): { readonly proof?: Proof } {
  return proof && !exchanges && scopes.includes(SIGNED_IN) ? { proof: { kind: "sign-in", ...proof } } : {};
}

/**
 * Checks a token of the scheme DPoP: it is bound to the key of a valid proof of this request. Returns a newer nonce, if
 * there is one.
 */
async function checkProof(
  cnf: Confirmation | undefined,
  accessToken: string,
  { proof, sent }: PresentedToken,
  proofs: ProofReader,
  nowMs: number,
): Promise<string | undefined> {
  if (!cnf || !("jkt" in cnf)) throw refused(DPOP_CHALLENGE, "The access token is not bound to a DPoP key.");
  if (proof === undefined) throw proofRefused("Send the DPoP proof of this request in the header DPoP.");
  const verdict = await proofs.read(proof, { sent, nowMs, accessToken });
  if (verdict.kind === "refused") throw proofRefused(`The DPoP proof is not valid: ${verdict.reason}.`);
  if (verdict.kind === "nonce") {
    throw new Fault(
      "auth.unauthenticated",
      "Repeat the request with a DPoP proof that has the nonce of this response.",
      {
        headers: { "www-authenticate": dpopChallenge("use_dpop_nonce", ALGORITHMS), [NONCE_HEADER]: verdict.nonce },
      },
    );
  }
  const { thumbprint, nextNonce } = verdict.proof;
  if (isSameKey(cnf, { jkt: thumbprint })) return nextNonce;
  throw refused(DPOP_CHALLENGE, "The DPoP proof is not of the key that the access token is bound to.");
}

/** Checks a token of the scheme Bearer: it is unbound, or bound to the client certificate of the connection. */
function checkBearer(cnf: Confirmation | undefined, { sent }: PresentedToken): undefined {
  if (!cnf) return;
  if ("jkt" in cnf) {
    throw refused(DPOP_CHALLENGE, "The access token is bound to a DPoP key: send it with the scheme DPoP and a proof.");
  }
  const own = sent.certificate === undefined ? undefined : confirmationOfCertificate(sent.certificate);
  if (isSameKey(cnf, own)) return;
  throw refused(
    bearerChallenge("invalid_token"),
    "The access token is bound to a client certificate: use it on a connection with that certificate.",
  );
}

function refusedAs({ challenge, description }: Verdict, isDpop: boolean): Fault {
  const more = { error_description: challenge };
  const challenges = isDpop
    ? dpopChallenge("invalid_token", { ...more, ...ALGORITHMS })
    : `${BASIC_CHALLENGE}, ${bearerChallenge("invalid_token", more)}`;
  return refused(challenges, description);
}

function refused(challenge: string, description: string): Fault {
  return unauthenticated(description, challenge);
}

function proofRefused(description: string): Fault {
  return unauthenticated(description, dpopChallenge("invalid_dpop_proof", ALGORITHMS));
}

function principalOf(token: AccessToken): Principal {
  const { tenant, user, applicationId } = token;
  const subject = subjectOf(token);
  const actors = actorsOf(token).map(({ sub }) => sub);
  return user
    ? {
        kind: "user",
        tenant,
        subject,
        username: user.userName,
        userStore: user.userStore,
        ...(actors.length > 0 && { actor: actors.join(" ") }),
      }
    : { kind: "client", tenant, subject, applicationId };
}
