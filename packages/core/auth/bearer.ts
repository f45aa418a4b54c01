/**
 * Access tokens as credentials: from a header of the scheme Bearer (RFC 6750) or DPoP (RFC 9449 section 7.1) to a
 * principal and the scopes of the token. A token that is bound to a key counts only together with the proof of that
 * key.
 */

import { BASIC_CHALLENGE, bearerChallenge, dpopChallenge, unauthenticated } from "../http/decision.ts";
import type { Principal, SentRequest } from "../operation/context.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import type { Fault } from "../platform/faults.ts";
import { confirmationOfCertificate, isSameKey, tokenTypeOf } from "../tokens/confirmation.ts";
import { type AccessToken, subjectOf } from "../tokens/model.ts";
import type { TokenReader, TokenReading } from "../tokens/reader.ts";
import type { Authenticated } from "./user-principal.ts";

const SCHEME = /^(?:bearer|dpop)(?: |,|$)/i;
const HEADER = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i;

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
}

/** Whether a header presents a token, malformed ones included. */
export function isToken(header: string): boolean {
  return SCHEME.test(header);
}

/** The challenge for a token that lacks a scope, in the scheme that it came with. */
export function scopeChallenge(header: string, scope: string): string {
  const challenge = /^dpop/i.test(header) ? dpopChallenge : bearerChallenge;
  return challenge("insufficient_scope", scope);
}

/** Authenticates a header that presents a token. Throws `auth.unauthenticated`. */
export async function authenticateToken(
  presented: PresentedToken,
  reader: TokenReader,
  reading: TokenReading,
): Promise<TokenHolder> {
  const [, scheme = "", text = ""] = HEADER.exec(presented.header) ?? [];
  const found = text === "" ? undefined : await reader.read(text, reading);
  if (!found) throw refused(`${BASIC_CHALLENGE}, ${bearerChallenge("invalid_token")}`);
  const { token } = found;
  checkPossession(token, scheme, presented);
  return {
    principal: principalOf(token),
    scopes: new Set([SIGNED_IN, ...token.scopes]),
    isBoundToCertificate: token.cnf !== undefined && "x5t#S256" in token.cnf,
  };
}

/** Checks the proof that a bound token needs, and the scheme that its type names. */
function checkPossession({ cnf }: AccessToken, scheme: string, { sent }: PresentedToken): void {
  const type = tokenTypeOf({ ...(cnf && { cnf }) });
  if (type === "DPoP") throw refused(dpopChallenge("invalid_token"));
  if (scheme.toLowerCase() !== "bearer") throw refused(dpopChallenge("invalid_token"));
  if (!cnf) return;
  const own = sent.certificate === undefined ? undefined : confirmationOfCertificate(sent.certificate);
  if (!isSameKey(cnf, own)) throw refused(bearerChallenge("invalid_token"));
}

/** One sentence for every token that is not accepted, so that it shows nothing of the reason. */
function refused(challenge: string): Fault {
  return unauthenticated("The access token is not valid: it is unknown, has expired, or was revoked.", challenge);
}

function principalOf(token: AccessToken): Principal {
  const { tenant, user, applicationId } = token;
  const subject = subjectOf(token);
  return user
    ? { kind: "user", tenant, subject, username: user.userName, userStore: user.userStore }
    : { kind: "client", tenant, subject, applicationId };
}
