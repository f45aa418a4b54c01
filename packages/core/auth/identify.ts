/** From the credentials of a request, a client certificate and an `Authorization` header, to one principal. */

import { unauthenticated } from "../http/decision.ts";
import type { Observer } from "../http/observe.ts";
import type { HttpRequest } from "../http/request.ts";
import type { SentRequest, SignInMethod } from "../operation/context.ts";
import type { Clock } from "../platform/clock.ts";
import type { ProofReader } from "../tokens/dpop.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { newTokenReader } from "../tokens/reader.ts";
import { newRevocationCache } from "../tokens/validity.ts";
import { isBelow } from "./access-control/certificate.ts";
import type { AuthenticationHandler, CertificateSettings } from "./access-control/model.ts";
import { type AuthenticationStores, newAuthenticate } from "./authenticate.ts";
import { authenticateToken, isToken } from "./bearer.ts";
import { newAuthenticateCertificate } from "./client-certificate.ts";
import { refusalLog } from "./refusals.ts";
import { newChangesOf } from "./role-changes.ts";
import { type Authenticated, newResolveUser } from "./user-principal.ts";

/** What the authorizer reads. */
export type AuthorizerStores = AuthenticationStores;

/** The properties of a request that only the gateway knows. */
export interface Caller {
  readonly sourceIp: string;
  /** The operation that is requested; empty where the path and method lead to none. */
  readonly operation: string;
  readonly sent: SentRequest;
}

/** What identification depends on. */
export interface IdentifyParts {
  readonly clock: Clock;
  /** The names of the user stores of a tenant. Tokens of users of other stores are not valid. */
  readonly userStoresOf: (tenant: string) => readonly string[];
  readonly proofs: ProofReader;
}

/** The credentials of one request that count. */
export interface Credentials {
  /** PEM. */
  readonly certificate: string | undefined;
  readonly header: string | undefined;
  /** The header `DPoP`. */
  readonly proof: string | undefined;
  /** The kinds of credentials that the operator allows for the path; `undefined`: all. */
  readonly allowed?: ReadonlySet<AuthenticationHandler> | undefined;
}

/** Authenticates all credentials of a request, which must name the same user. Throws `auth.unauthenticated`. */
type Identify = (
  credentials: Credentials,
  request: HttpRequest,
  caller: Caller,
  stores: AuthorizerStores,
) => Promise<Identified>;

/** A principal, and the nonce for its next DPoP proofs, where a newer one than it used is issued. */
interface Identified extends Authenticated {
  readonly signIn: SignInMethod;
  /** The client whose token was used. */
  readonly clientId?: string;
  readonly nextNonce?: string;
}

/** Opens identification for one container. `everyScope` are the scopes of the full-access role. */
export function newIdentify(
  { clock, userStoresOf, proofs }: IdentifyParts,
  everyScope: ReadonlySet<string>,
  certificates: CertificateSettings,
  observer: Observer,
): Identify {
  const resolveUser = newResolveUser(clock, everyScope);
  const revocations = newRevocationCache(observer.damagedRow);
  const changesOf = newChangesOf(revocations, clock);
  const authenticateBasic = newAuthenticate(clock, everyScope, resolveUser, changesOf);
  const authenticateCertificate = newAuthenticateCertificate(clock, certificates, resolveUser, changesOf);
  const tokens = { reader: newTokenReader(userStoresOf, revocations), proofs };

  return async ({ certificate, header, proof, allowed }, request, { sourceIp, sent, operation }, stores) => {
    const onRefused = refusalLog(observer, { traceId: request.traceId, sourceIp, operation });
    const byToken = (text: string) => {
      const issuer = issuerAt(sent.origins[0]);
      const reading = { table: stores.table, issuer, nowMs: clock.now(), tenantGuess: request.pathTenant };
      return authenticateToken({ header: text, proof, sent }, tokens, reading, request.path);
    };
    const holder = header !== undefined && isToken(header) ? await byToken(header) : undefined;
    const byHeader = async (): Promise<Identified> =>
      holder
        ? { ...holder, signIn: "token" }
        : { ...(await authenticateBasic({ header, sourceIp }, stores, onRefused)), signIn: "password" };
    if (certificate === undefined) return byHeader();
    // The certificate is the proof of the token, and that of a client names no user (RFC 8705 section 3).
    if (holder?.isBoundToCertificate && (allowed?.has("OAuthAuthentication") ?? true)) return byHeader();
    const byCertificate: Identified = {
      ...(await authenticateCertificate(certificate, stores, onRefused)),
      signIn: "certificate",
    };
    if (header === undefined) return byCertificate;
    const other = await byHeader();
    checkSameUser(byCertificate, other);
    // The header decides the scopes: those of a token can be fewer than those of the user's roles.
    return other;
  };
}

/** The credentials of a request. A certificate counts where the operator has enabled it for the path. */
export function credentialsOf(
  { path, headers }: HttpRequest,
  { sent: { certificate } }: Caller,
  { enabled, exemptContexts }: CertificateSettings,
): Credentials {
  const isUsed = enabled && !isBelow(path, exemptContexts);
  return { certificate: isUsed ? certificate : undefined, header: headers.authorization, proof: headers.dpop };
}

/**
 * Checks that a rule of the operator allows one of the kinds of credentials that were sent. A request without a
 * credential passes here: its authentication fails with the challenges. Throws `auth.unauthenticated`.
 */
export function checkHandlers(
  { certificate, header }: Credentials,
  allowed: ReadonlySet<AuthenticationHandler> | undefined,
): void {
  const used: AuthenticationHandler[] = [];
  if (certificate !== undefined) used.push("ClientCertificate");
  if (header !== undefined) used.push(isToken(header) ? "OAuthAuthentication" : "BasicAuthentication");
  if (allowed && used.length > 0 && !used.some((handler) => allowed.has(handler))) {
    throw unauthenticated("This path does not accept credentials of this kind.");
  }
}

function checkSameUser({ principal: a }: Authenticated, { principal: b }: Authenticated): void {
  if (a.kind === b.kind && a.tenant === b.tenant && a.subject === b.subject) return;
  throw unauthenticated("The client certificate and the Authorization header do not name the same user.");
}
