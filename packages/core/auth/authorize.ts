/**
 * The authorizer: from the head of a request to a decision (decision 0003). It looks the operation up in the catalogue,
 * authenticates, holds the path's tenant against the credential's, and checks the operation's scope.
 */
import type {
  APIGatewayEventRequestContextV2,
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerWithContextResult,
} from "aws-lambda";
import { systemScopes } from "../domain/system-apis.ts";
import { bearerChallenge, type Decision, type DecisionContext, toContext, unauthenticated } from "../http/decision.ts";
import { newObserver } from "../http/observe.ts";
import { type HttpRequest, readRequest } from "../http/request.ts";
import { isOpenPath, matcherOf } from "../operation/match.ts";
import { type Operation, PUBLIC } from "../operation/operation.ts";
import { familyOf } from "../operation/services.ts";
import { type Clock, elapsed } from "../platform/clock.ts";
import { Fault, toFault } from "../platform/faults.ts";
import { type Meter, newMeter } from "../table/meter.ts";
import type { Table } from "../table/table.ts";
import { issuerAt } from "../tokens/jwt.ts";
import { newTokenReader } from "../tokens/reader.ts";
import { isBelow } from "./access-control/certificate.ts";
import type { AuthenticationHandler, CertificateSettings } from "./access-control/model.ts";
import { type ReadyRule, ruleFor } from "./access-control/rules.ts";
import { type AuthenticationStores, newAuthenticate } from "./authenticate.ts";
import { authenticateBearer, isBearer } from "./bearer.ts";
import { newAuthenticateCertificate } from "./by-certificate.ts";
import { type Authenticated, newEnter } from "./entering.ts";
import { refusalLog } from "./refusals.ts";

/** What the authorizer reads. */
export interface AuthorizerStores extends AuthenticationStores {
  readonly table: Table;
}

/** What the authorizer is made of. */
export interface AuthorizerParts {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly stores: (meter: Meter) => AuthorizerStores;
  /** The names of the user stores of a tenant, whose tokens count. */
  readonly userStoresOf: (tenant: string) => readonly string[];
  readonly clock: Clock;
  /** The origin for which tokens are. Where it is absent, the domain that the gateway answered on. */
  readonly baseUrl?: string | undefined;
  /** What the operator says about access. */
  readonly access: { readonly rules: readonly ReadyRule[]; readonly certificates: CertificateSettings };
}

/** The authorizer as the gateway calls it. Always answers "authorized", with a decision for the function to obey. */
export type Authorizer = (
  event: APIGatewayRequestAuthorizerEventV2,
) => Promise<APIGatewaySimpleAuthorizerWithContextResult<DecisionContext>>;

/** What the gateway knows of a request beside what was sent. */
interface Caller {
  readonly sourceIp: string;
  readonly domainName: string;
  /** PEM: the certificate that the caller proved to hold in the handshake. Headers that look like one are never read. */
  readonly certificate: string | undefined;
}

/** Makes the authorizer of one container. */
export function newAuthorizer({
  operations,
  stores,
  userStoresOf,
  clock,
  baseUrl,
  access,
}: AuthorizerParts): Authorizer {
  const observer = newObserver("authorizer");
  const match = matcherOf(operations);
  // Whoever holds every scope holds those that only the operator's rules ask for, too.
  const administrators = new Set([...systemScopes, ...access.rules.flatMap(({ scopes }) => scopes ?? [])]);
  const enter = newEnter(clock, administrators);
  const authenticate = newAuthenticate(clock, administrators, enter);
  const authenticateCertificate = newAuthenticateCertificate(clock, access.certificates, enter);
  const tokens = newTokenReader(userStoresOf);

  const byHeader = (request: HttpRequest, caller: Caller, opened: AuthorizerStores): Promise<Authenticated> => {
    const { authorization: header } = request.headers;
    if (header === undefined || !isBearer(header)) {
      return authenticate(header, opened, refusalLog(observer, request.traceId, caller.sourceIp));
    }
    return authenticateBearer(header, tokens, {
      table: opened.table,
      issuer: issuerAt(baseUrl ?? `https://${caller.domainName}`),
      nowMs: clock.now(),
      tenantGuess: request.pathTenant,
    });
  };

  const identify = async (
    request: HttpRequest,
    caller: Caller,
    meter: Meter,
    handlers: ReadonlySet<AuthenticationHandler> | undefined,
  ): Promise<Authenticated> => {
    const { certificates } = access;
    const { authorization: header } = request.headers;
    const certificate =
      certificates.enabled && !isBelow(request.path, certificates.exemptContexts) ? caller.certificate : undefined;
    const shown: AuthenticationHandler[] = [
      ...(certificate === undefined ? [] : ["ClientCertificate" as const]),
      ...(header === undefined
        ? []
        : [isBearer(header) ? ("OAuthAuthentication" as const) : ("BasicAuthentication" as const)]),
    ];
    if (handlers && shown.length > 0 && !shown.some((handler) => handlers.has(handler))) throw wrongHandler();
    const opened = stores(meter);
    if (certificate === undefined) return byHeader(request, caller, opened);
    const onRefused = refusalLog(observer, request.traceId, caller.sourceIp);
    const holder = await authenticateCertificate(certificate, opened, onRefused);
    if (header === undefined) return holder;
    const other = await byHeader(request, caller, opened);
    if (!isSame(holder, other)) throw twoUsers();
    // What came along may say less than the user's roles: a token holds its own scopes.
    return other;
  };

  const decide = async (request: HttpRequest, caller: Caller, meter: Meter): Promise<Decision> => {
    const found = match(request.method, request.path);
    const operation = found.kind === "operation" ? found.id : "";
    const declared = operations[operation];
    const scope = declared?.scope;
    const rule = ruleFor(access.rules, request.method, request.path);
    const isOpen =
      scope === PUBLIC ||
      (scope === undefined && !familyOf(request.path)) ||
      (found.kind === "method" && isOpenPath(match, operations, request.path, found.allow));
    try {
      if (rule ? !rule.isSecured && (isOpen || declared?.openable) : isOpen) return { decision: "public", operation };
      const { principal, scopes } = await identify(request, caller, meter, rule?.handlers);
      if (request.pathTenant !== undefined && request.pathTenant !== principal.tenant) throw otherTenant();
      const isPartly = declared?.partialScopes?.some((one) => scopes.has(one)) ?? false;
      const own =
        scope === undefined || scope === PUBLIC || isPartly ? [] : [scope, ...(declared?.furtherScopes ?? [])];
      // A rule that says nothing of scopes tightens what it says, and nothing else: the operation's own scope stays.
      const needed = rule?.scopes ?? own;
      const missing = needed.find((one) => !scopes.has(one));
      if (missing !== undefined) throw missingScope(missing, isBearer(request.headers.authorization ?? ""));
      // Handlers judge scopes of this service. Of a tenant's own a user may have thousands, and a context has an end.
      const told = declared?.seesScopes && { scopes: [...scopes].filter((one) => systemScopes.has(one)) };
      return { decision: "allow", operation, principal, ...told };
    } catch (error) {
      const fault = toFault(error);
      if (fault.row.status >= 500) {
        observer.trouble({ traceId: request.traceId, operation, fault: fault.fault, cause: fault.cause ?? fault });
      }
      return { decision: "refuse", operation, fault };
    }
  };

  const neededScope = ({ operation, fault }: Extract<Decision, { decision: "refuse" }>) => {
    const scope = fault.row.status === 403 ? operations[operation]?.scope : undefined;
    return scope === undefined ? {} : { neededScope: scope };
  };

  return async (event) => {
    const startedMs = elapsed();
    const meter = newMeter();
    const request = readRequest({ ...event, headers: event.headers ?? {} });
    const { domainName, http } = event.requestContext;
    const caller = { sourceIp: http.sourceIp, domainName, certificate: certificateOf(event) };
    const decision = await decide(request, caller, meter);
    observer.request({
      traceId: request.traceId,
      operation: decision.operation,
      method: request.method.slice(0, 20),
      status: decision.decision === "refuse" ? decision.fault.row.status : 200,
      durationMs: elapsed() - startedMs,
      cost: meter.cost,
      decision: decision.decision,
      sourceIp: http.sourceIp,
      ...(decision.decision === "allow" && { tenant: decision.principal.tenant, subject: decision.principal.subject }),
      ...(decision.decision === "refuse" && { fault: decision.fault.fault, ...neededScope(decision) }),
    });
    return { isAuthorized: true, context: toContext(decision) };
  };
}

function wrongHandler(): Fault {
  return unauthenticated("This path does not accept a credential of that kind.");
}

function isSame({ principal: a }: Authenticated, { principal: b }: Authenticated): boolean {
  return a.kind === b.kind && a.tenant === b.tenant && a.subject === b.subject;
}

function twoUsers(): Fault {
  return unauthenticated("The client certificate and the other credential do not name the same user.");
}

function otherTenant(): Fault {
  return unauthenticated("The credential does not belong to the tenant that the path names.");
}

/** Whoever came with a token is told which scope a better one has (RFC 6750 section 3.1). */
function missingScope(scope: string, hasToken: boolean): Fault {
  return new Fault("auth.forbidden", `The operation needs the scope ${scope}, which the caller does not have.`, {
    headers: hasToken ? { "www-authenticate": bearerChallenge("insufficient_scope", scope) } : {},
  });
}

/** The certificate of a request's connection, in the place where the gateway puts it and nowhere else. */
function certificateOf({ requestContext }: APIGatewayRequestAuthorizerEventV2): string | undefined {
  return (requestContext as Pick<APIGatewayEventRequestContextV2, "authentication">).authentication?.clientCert
    ?.clientCertPem;
}
