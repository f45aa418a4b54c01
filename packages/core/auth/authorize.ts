/**
 * The authorizer: from the head of a request to a decision (decision 0003). It looks the operation up in the catalogue,
 * authenticates, holds the path's tenant against the credential's, and checks the operation's scope.
 */
import { createHash } from "node:crypto";
import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerWithContextResult } from "aws-lambda";
import { scopeTable } from "../catalogue/derive.ts";
import { matcherOf } from "../catalogue/match.ts";
import { type Operation, PUBLIC } from "../catalogue/operation.ts";
import { familyOf } from "../catalogue/services.ts";
import { Fault, toFault } from "../faults/faults.ts";
import { type Decision, type DecisionContext, toContext, unauthenticated } from "../http/decision.ts";
import { newObserver, type Observer } from "../http/observe.ts";
import { type HttpRequest, readRequest } from "../http/request.ts";
import { type Clock, elapsed } from "../platform/clock.ts";
import { type Meter, newMeter } from "../table/meter.ts";
import { foldName } from "../table/name-index/name-key.ts";
import type { QualifiedName } from "../users/username.ts";
import { type AuthenticationStores, newAuthenticate, type OnRefused } from "./authenticate.ts";

/** What the authorizer is made of. */
export interface AuthorizerParts {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly stores: (meter: Meter) => AuthenticationStores;
  readonly clock: Clock;
}

/** The authorizer as the gateway calls it. Always answers "authorized", with a decision for the function to obey. */
export type Authorizer = (
  event: APIGatewayRequestAuthorizerEventV2,
) => Promise<APIGatewaySimpleAuthorizerWithContextResult<DecisionContext>>;

const otherTenant = (): Fault => unauthenticated("The credential does not belong to the tenant that the path names.");

const missingScope = (scope: string): Fault =>
  new Fault("auth.forbidden", `The operation needs the scope ${scope}, which the caller does not have.`);

/** Writes refused sign-ins to the log, with a digest in place of the name. */
const refusalLog =
  (observer: Observer, { traceId }: HttpRequest, sourceIp: string): OnRefused =>
  (name, reason) => {
    const { tenant, userStore } = name;
    observer.security({ traceId, tenant, userStore, nameDigest: digestOf(name), sourceIp, reason });
  };

/** A digest by which the attempts on one name can be followed through the log, which holds no names of people. */
const digestOf = ({ tenant, userStore, name }: QualifiedName): string =>
  createHash("sha256")
    .update(`${tenant}/${userStore}/${foldName(name)}`, "utf8")
    .digest("hex")
    .slice(0, 16);

/** Makes the authorizer of one container. */
export const newAuthorizer = ({ operations, stores, clock }: AuthorizerParts): Authorizer => {
  const observer = newObserver("authorizer");
  const match = matcherOf(operations);
  const authenticate = newAuthenticate(clock, new Set(scopeTable(operations).keys()));

  const decide = async (request: HttpRequest, sourceIp: string, meter: Meter): Promise<Decision> => {
    const found = match(request.method, request.path);
    const operation = found.kind === "operation" ? found.id : "";
    const scope = operations[operation]?.scope;
    try {
      if (scope === PUBLIC || (scope === undefined && !familyOf(request.path)))
        return { decision: "public", operation };
      const onRefused = refusalLog(observer, request, sourceIp);
      const { principal, scopes } = await authenticate(request.headers.authorization, stores(meter), onRefused);
      if (request.pathTenant !== undefined && request.pathTenant !== principal.tenant) throw otherTenant();
      if (scope !== undefined && !scopes.has(scope)) throw missingScope(scope);
      return { decision: "allow", operation, principal };
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
    const decision = await decide(request, event.requestContext.http.sourceIp, meter);
    observer.request({
      traceId: request.traceId,
      operation: decision.operation,
      method: request.method.slice(0, 20),
      status: decision.decision === "refuse" ? decision.fault.row.status : 200,
      durationMs: elapsed() - startedMs,
      cost: meter.cost,
      decision: decision.decision,
      sourceIp: event.requestContext.http.sourceIp,
      ...(decision.decision === "allow" && { tenant: decision.principal.tenant, subject: decision.principal.subject }),
      ...(decision.decision === "refuse" && { fault: decision.fault.fault, ...neededScope(decision) }),
    });
    return { isAuthorized: true, context: toContext(decision) };
  };
};
