/**
 * The authorizer: from the head of a request to a decision (decision 0003). It looks the operation up in the catalogue,
 * authenticates, holds the path's tenant against the credential's, and checks the operation's scope.
 */
import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerWithContextResult } from "aws-lambda";
import { scopeTable } from "../catalogue/derive.ts";
import { matcherOf } from "../catalogue/match.ts";
import { type Operation, PUBLIC } from "../catalogue/operation.ts";
import { familyOf } from "../catalogue/services.ts";
import { Fault, toFault } from "../faults/faults.ts";
import { CHALLENGE, type Decision, type DecisionContext, toContext } from "../http/decision.ts";
import { newObserver, type Observer } from "../http/observe.ts";
import { type HttpRequest, readRequest } from "../http/request.ts";
import { type Clock, elapsed } from "../platform/clock.ts";
import { type Meter, newMeter } from "../table/meter.ts";
import { type AuthenticationStores, newAuthenticate, type OnRefused } from "./authenticate.ts";
import { newPrivateDigest } from "./fresh.ts";

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

const otherTenant = (): Fault =>
  new Fault("auth.unauthenticated", "The credential does not belong to the tenant that the path names.", {
    headers: { "www-authenticate": CHALLENGE },
  });

const missingScope = (scope: string): Fault =>
  new Fault("auth.forbidden", `The operation needs the scope ${scope}, which the caller does not have.`);

/** Writes refused sign-ins to the log, with a digest in place of the name. */
const refusalLog =
  (observer: Observer, digest: (text: string) => string, request: HttpRequest, sourceIp: string): OnRefused =>
  ({ tenant, userStore, name }, reason) =>
    observer.security({
      traceId: request.traceId,
      tenant,
      userStore,
      nameDigest: digest(`${tenant}/${userStore}/${name}`).slice(0, 16),
      sourceIp,
      reason,
    });

/** Makes the authorizer of one container. */
export const newAuthorizer = ({ operations, stores, clock }: AuthorizerParts): Authorizer => {
  const observer = newObserver("authorizer");
  const match = matcherOf(operations);
  const authenticate = newAuthenticate(clock, new Set(scopeTable(operations).keys()));
  const digest = newPrivateDigest();

  const decide = async (request: HttpRequest, sourceIp: string, meter: Meter): Promise<Decision> => {
    const found = match(request.method, request.path);
    const operation = found.kind === "operation" ? found.id : "";
    const scope = operations[operation]?.scope;
    try {
      if (scope === PUBLIC || (scope === undefined && !familyOf(request.path)))
        return { decision: "public", operation };
      const onRefused = refusalLog(observer, digest, request, sourceIp);
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
      ...(decision.decision === "allow" && { tenant: decision.principal.tenant, subject: decision.principal.subject }),
      ...(decision.decision === "refuse" && { fault: decision.fault.fault }),
    });
    return { isAuthorized: true, context: toContext(decision) };
  };
};
