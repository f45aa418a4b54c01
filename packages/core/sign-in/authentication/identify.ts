/**
 * From the credentials of a request to one principal and its scopes: a client certificate, whose key the caller proved
 * to have in the TLS handshake, and an `Authorization` header.
 */

import { maySignIn } from "../../directory/users/model.ts";
import { unauthenticated } from "../../http/decision.ts";
import type { Observer } from "../../http/observe.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Clock } from "../../kernel/clock.ts";
import { readingsOf } from "../../kernel/domain/username.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { Proof, SentRequest, SignInMethod } from "../../kernel/operation/context.ts";
import type { ProofReader } from "../../tokens/dpop.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { isBelow, readCertificate } from "./access-control/certificate.ts";
import type { AuthenticationHandler, CertificateSettings } from "./access-control/model.ts";
import { type AuthenticationStores, newAuthenticate } from "./authenticate.ts";
import { authenticateToken, isToken } from "./bearer.ts";
import { refusalLog } from "./refusals.ts";
import { type ChangesOf, newChangesOf } from "./role-changes.ts";
import type { OnRefused } from "./sign-in.ts";
import { newTokenReader } from "./token-reader.ts";
import { newRevocationCache } from "./token-validity.ts";
import { type Authenticated, newResolveUser, type ResolveUser } from "./user-principal.ts";

/** Authenticates the user that a certificate (PEM) names. Throws `auth.unauthenticated`. Two round trips. */
type AuthenticateCertificate = (
  pem: string,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

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
  /** Absent for a certificate, which a program can have: it does not show that the person is there. */
  readonly proof?: Proof;
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
        : {
            ...(await authenticateBasic({ header, sourceIp }, stores, onRefused)),
            signIn: "password",
            proof: { kind: "password" },
          };
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

/** Opens the authentication by certificates of one container. */
function newAuthenticateCertificate(
  clock: Clock,
  settings: CertificateSettings,
  resolveUser: ResolveUser,
  changesOf: ChangesOf,
): AuthenticateCertificate {
  return async (pem, stores, onRefused) => {
    const now = clock.now();
    const verdict = readCertificate(pem, settings, now);
    if (verdict.kind === "refused") throw refused();
    // No lockout: it protects passwords from guesses, and a certificate cannot be guessed.
    const readings = readingsOf(verdict.username);
    const { changesIn, ended } = changesOf(readings, stores.table);
    const find = async () => {
      const candidates = await Promise.all(
        readings.map(async (name) => {
          const [tenant, userId] = await Promise.all([stores.tenants.find(name.tenant), stores.users.idOf(name)]);
          return { name, tenant, userId };
        }),
      );
      const { name, tenant, userId } = candidates.find((candidate) => candidate.tenant) ?? candidates[0] ?? {};
      if (!name || (verdict.tenants && !verdict.tenants.has(name.tenant))) throw refused();
      const user = userId === undefined ? undefined : await stores.users.find(name.tenant, userId, name.userStore);
      if (tenant?.active && user && maySignIn(user)) return { tenant: name.tenant, user };
      onRefused(name, user ? "inactive" : "unknown");
      throw refused();
    };
    const found = await find().finally(ended);
    return resolveUser(stores, found.tenant, found.user, await changesIn(found.tenant));
  };
}

/** One sentence for every certificate that is not accepted, so that it shows nothing of the reason. */
function refused(): Fault {
  return unauthenticated(
    "The client certificate is not accepted: its issuer is not permitted, or it does not name a user who may sign in.",
  );
}
