/**
 * The Lambda authorizer: from the head of a request to a decision that the function behind it obeys (decision 0003).
 */
import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerWithContextResult } from "aws-lambda";
import { type Meter, newMeter } from "../../database/table/meter.ts";
import { type Decision, type DecisionContext, toContext, unauthenticated, withMetadata } from "../../http/decision.ts";
import { callerOf, newObserver, resourceIn } from "../../http/observe.ts";
import { type HttpRequest, readRequest, sentRequest } from "../../http/request.ts";
import { elapsed } from "../../kernel/clock.ts";
import { metadataAddress, resourceOfPath } from "../../kernel/domain/protected-resources.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import type { Protections } from "../../kernel/operation/operation.ts";
import type { CertificateSettings } from "./access-control/model.ts";
import { type ReadyRule, ruleFor } from "./access-control/rules.ts";
import { isToken, scopeChallenge } from "./bearer.ts";
import {
  type AuthorizerStores,
  type Caller,
  type Credentials,
  checkHandlers,
  credentialsOf,
  type IdentifyParts,
  newIdentify,
} from "./identify.ts";
import { isPublic, neededOf, newTargets, type Target } from "./target.ts";

/** What the authorizer is built from. */
export interface AuthorizerParts extends IdentifyParts {
  /** The origin that tokens are issued for. Where it is absent: the domain of the gateway. */
  readonly baseUrl?: string | undefined;
  readonly operations: Protections;
  readonly stores: (meter: Meter) => AuthorizerStores;
  /** What the operator configures about access. */
  readonly access: { readonly rules: readonly ReadyRule[]; readonly certificates: CertificateSettings };
}

/** The authorizer as the gateway calls it. Always returns "authorized", with a decision for the function. */
export type Authorizer = (
  event: APIGatewayRequestAuthorizerEventV2,
) => Promise<APIGatewaySimpleAuthorizerWithContextResult<DecisionContext>>;

/** What is known of a caller whose request is refused after all. */
interface Seen {
  principal?: Principal;
}

/** Opens the authorizer of one container. */
export function newAuthorizer({ operations, stores, access, baseUrl, ...parts }: AuthorizerParts): Authorizer {
  const observer = newObserver("authorizer");
  const findTarget = newTargets(operations);
  const identify = newIdentify(parts, systemScopes, access.certificates, observer);

  /**
   * Checks that the rule of the path that was meant allows the credentials, too: a misspelt path opens no other door.
   */
  const checkMeant = ({ method, path }: HttpRequest, credentials: Credentials): void => {
    checkHandlers(credentials, ruleFor(access.rules, method, path.replace(/\/{2,}/g, "/"))?.handlers);
  };

  const mayTry = (request: HttpRequest, credentials: Credentials): boolean => {
    try {
      checkMeant(request, credentials);
      return true;
    } catch {
      return false;
    }
  };

  /**
   * Decides on a request. The order of the steps is part of the protection: whether a path exists, which tenant a
   * credential belongs to and which scopes an operation needs is shown only to callers that are authenticated.
   *
   * 1. Find the operation of the path and method, and the first rule of the operator that matches.
   * 2. Let a request for a public operation pass, before any credential is read. So does an unknown path outside of
   *    the protected families; a credential is read there only to show the path that was probably meant.
   * 3. Check that the rule allows the kind of credential, before the database is read.
   * 4. Authenticate every credential that was sent; two credentials must name the same user.
   * 5. Check that the tenant of the path is the tenant of the credential.
   * 6. Check the scopes.
   *
   * Whatever fails, an unexpected error included, is a refusal.
   */
  const decide = async (
    request: HttpRequest,
    from: Omit<Caller, "operation">,
    meter: Meter,
    seen: Seen,
  ): Promise<Decision> => {
    const target = findTarget(request);
    const caller = { ...from, operation: target.operation };
    const rule = ruleFor(access.rules, request.method, request.path);
    try {
      const credentials = credentialsOf(request, caller, access.certificates);
      const { nearest } = target;
      if (isPublic(target, rule)) {
        const isShown =
          nearest !== undefined &&
          credentials.header !== undefined &&
          mayTry(request, credentials) &&
          (await identify(credentials, request, caller, stores(meter)).then(
            () => true,
            () => false,
          ));
        return { decision: "public", operation: target.operation, ...(isShown && { nearest }) };
      }
      checkHandlers(credentials, rule?.handlers);
      if (nearest !== undefined) checkMeant(request, credentials);
      const identified = await identify({ ...credentials, allowed: rule?.handlers }, request, caller, stores(meter));
      const { principal, nextNonce: nonce, signIn, clientId, proof } = identified;
      // What a tenant calls scopes of its own is never compared with what this service requires (decision 0143).
      const scopes = identified.scopes.intersection(systemScopes);
      seen.principal = principal;
      checkTenant(request, principal);
      checkScopes(neededOf(target, rule, scopes).missing, credentials.header);
      return {
        decision: "allow",
        operation: target.operation,
        principal,
        ...passedScopes(target, scopes),
        ...(nearest !== undefined && { nearest }),
        ...(nonce !== undefined && { nonce }),
        signIn,
        ...(clientId !== undefined && { clientId }),
        ...(proof && { proof }),
      };
    } catch (error) {
      const metadata = metadataAddress(resourceOfPath(request.path), caller.sent.origins[0], request.pathTenant);
      return { decision: "refuse", operation: target.operation, fault: withMetadata(toFault(error), metadata) };
    }
  };

  return async (event) => {
    const startedMs = elapsed();
    const meter = newMeter();
    const head = { ...event, headers: event.headers ?? {} };
    const request = readRequest(head);
    const { http } = event.requestContext;
    const caller = { sourceIp: http.sourceIp, sent: sentRequest(head, baseUrl) };
    const seen: Seen = {};
    const decision = await decide(request, caller, meter, seen);
    const { traceId } = request;
    if (decision.decision === "refuse" && decision.fault.row.status >= 500) {
      const { operation, fault } = decision;
      observer.failure({ traceId, operation, fault: fault.fault, cause: fault.cause ?? fault });
    }
    observer.request({
      traceId,
      operation: decision.operation,
      method: request.method.slice(0, 20),
      status: decision.decision === "refuse" ? decision.fault.row.status : 200,
      durationMs: elapsed() - startedMs,
      cost: meter.cost,
      decision: decision.decision,
      sourceIp: http.sourceIp,
      ...outcomeOf(decision, operations),
      ...(decision.decision === "refuse" && deniedOf(request, seen)),
    });
    return { isAuthorized: true, context: { ...toContext(decision), traceId } };
  };
}

function checkTenant({ pathTenant }: HttpRequest, { tenant }: Principal): void {
  if (pathTenant === undefined || pathTenant === tenant) return;
  throw unauthenticated(
    "The credential does not belong to the tenant that the path names. Use one of that tenant, or the path without /t/ and the tenant.",
  );
}

/**
 * Throws `auth.forbidden`; with a challenge that names the missing scope where a token was sent (RFC 6750 section 3.1).
 */
function checkScopes([missing]: readonly string[], header: string | undefined): void {
  if (missing === undefined) return;
  const byToken = isToken(header ?? "");
  const remedy = byToken
    ? "Request a token with it, for an application that is authorized for its API."
    : "Give the user a role that has it.";
  throw new Fault(
    "auth.forbidden",
    `This operation requires the scope ${missing}, which your credential does not have. ${remedy}`,
    { headers: byToken ? { "www-authenticate": scopeChallenge(header ?? "", missing) } : {} },
  );
}

/** The scopes for a handler that needs them. */
function passedScopes({ declared }: Target, scopes: ReadonlySet<string>): { readonly scopes?: readonly string[] } {
  return declared?.seesScopes ? { scopes: [...scopes] } : {};
}

/** What the log line of a request says about the decision. */
function outcomeOf(decision: Decision, operations: Protections) {
  if (decision.decision === "public") return {};
  if (decision.decision === "allow") return callerOf(decision.principal);
  const { fault, row } = decision.fault;
  const scope = row.status === 403 ? operations[decision.operation]?.scope : undefined;
  return { fault, ...(scope !== undefined && { neededScope: scope }) };
}

/** What the log line of a refused request says about the caller and the resource. */
function deniedOf({ path }: HttpRequest, { principal }: Seen) {
  return {
    event: "request-denied",
    resource: resourceIn(path.split("/")),
    ...(principal && callerOf(principal)),
  } as const;
}
