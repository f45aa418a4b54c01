/** From the credentials of a request, a client certificate and an `Authorization` header, to one principal. */

import { unauthenticated } from "../http/decision.ts";
import type { Observer } from "../http/observe.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Clock } from "../platform/clock.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { newTokenReader } from "../tokens/reader.ts";
import { newRevocationCache } from "../tokens/validity.ts";
import { isBelow } from "./access-control/certificate.ts";
import type { AuthenticationHandler, CertificateSettings } from "./access-control/model.ts";
import { type AuthenticationStores, newAuthenticate } from "./authenticate.ts";
import { authenticateBearer, isBearer } from "./bearer.ts";
import { newAuthenticateCertificate } from "./client-certificate.ts";
import { refusalLog } from "./refusals.ts";
import { newChangesOf } from "./role-changes.ts";
import { type Authenticated, newResolveUser } from "./user-principal.ts";

/** What the authorizer reads. */
export type AuthorizerStores = AuthenticationStores;

/** The properties of a request that only the gateway knows. */
export interface Caller {
  readonly sourceIp: string;
  readonly domainName: string;
  /** PEM: the certificate of the TLS handshake. It is never read from a header. */
  readonly certificate: string | undefined;
}

/** What identification depends on. */
export interface IdentifyParts {
  readonly clock: Clock;
  /** The names of the user stores of a tenant. Tokens of users of other stores are not valid. */
  readonly userStoresOf: (tenant: string) => readonly string[];
  /** The origin that tokens are issued for. Where it is absent: the domain of the gateway. */
  readonly baseUrl?: string | undefined;
}

/** The credentials of one request that count. */
export interface Credentials {
  /** PEM. */
  readonly certificate: string | undefined;
  readonly header: string | undefined;
}

/** Authenticates all credentials of a request, which must name the same user. Throws `auth.unauthenticated`. */
type Identify = (
  credentials: Credentials,
  request: HttpRequest,
  caller: Caller,
  stores: AuthorizerStores,
) => Promise<Authenticated>;

/** Opens identification for one container. `everyScope` are the scopes of the full-access role. */
export function newIdentify(
  { clock, userStoresOf, baseUrl }: IdentifyParts,
  everyScope: ReadonlySet<string>,
  certificates: CertificateSettings,
  observer: Observer,
): Identify {
  const resolveUser = newResolveUser(clock, everyScope);
  const revocations = newRevocationCache(observer.damagedRow);
  const changesOf = newChangesOf(revocations, clock);
  const authenticateBasic = newAuthenticate(clock, everyScope, resolveUser, changesOf);
  const authenticateCertificate = newAuthenticateCertificate(clock, certificates, resolveUser, changesOf);
  const tokens = newTokenReader(userStoresOf, revocations);

  return async ({ certificate, header }, request, { sourceIp, domainName }, stores) => {
    const onRefused = refusalLog(observer, request.traceId, sourceIp);
    const byHeader = (): Promise<Authenticated> => {
      if (header === undefined || !isBearer(header)) return authenticateBasic({ header, sourceIp }, stores, onRefused);
      const issuer = issuerAt(baseUrl ?? `https://${domainName}`);
      const reading = { table: stores.table, issuer, nowMs: clock.now(), tenantGuess: request.pathTenant };
      return authenticateBearer(header, tokens, reading, request.path);
    };
    if (certificate === undefined) return byHeader();
    const byCertificate = await authenticateCertificate(certificate, stores, onRefused);
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
  { certificate }: Caller,
  { enabled, exemptContexts }: CertificateSettings,
): Credentials {
  const isUsed = enabled && !isBelow(path, exemptContexts);
  return { certificate: isUsed ? certificate : undefined, header: headers.authorization };
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
  if (header !== undefined) used.push(isBearer(header) ? "OAuthAuthentication" : "BasicAuthentication");
  if (allowed && used.length > 0 && !used.some((handler) => allowed.has(handler))) {
    throw unauthenticated("This path does not accept credentials of this kind.");
  }
}

function checkSameUser({ principal: a }: Authenticated, { principal: b }: Authenticated): void {
  if (a.kind === b.kind && a.tenant === b.tenant && a.subject === b.subject) return;
  throw unauthenticated("The client certificate and the Authorization header do not name the same user.");
}
