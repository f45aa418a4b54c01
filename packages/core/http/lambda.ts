/** The only module that knows Lambda: a function of the gateway out of a service's handlers, with middy at the edge. */
import middy, { type MiddlewareObj } from "@middy/core";
import httpSecurityHeaders from "@middy/http-security-headers";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { matcherOf } from "../operation/match.ts";
import type { Handlers, Operation } from "../operation/operation.ts";
import { type Dialect, familyOf, type ServiceName, services } from "../operation/services.ts";
import { elapsed, systemClock } from "../platform/clock.ts";
import { Fault, toFault } from "../platform/faults.ts";
import { type Meter, newMeter } from "../table/meter.ts";
import { bodyReader, checkAccept, type ReadMultipart } from "./body.ts";
import { readDecision } from "./decision.ts";
import { dialects, renderFault, type ScimProfile } from "./dialects.ts";
import { newObserver } from "./observe.ts";
import { type HttpRequest, readRequest } from "./request.ts";
import { type Admitted, type AnyHandler, admit, answer, type HttpAnswer } from "./serve.ts";

/** Bytes of an answer: Lambda carries 6 MB, in which quotes and backslashes of the body count twice. */
const ANSWER_BYTES_MAX = 5_000_000;
/** How long before Lambda's own end a request gives up, so that the caller still gets an answer in the right shape. */
const TIMEOUT_EARLY_MS = 500;

/** What a function is made of. */
interface FunctionParts<Ops extends Readonly<Record<string, Operation>>, Stores> {
  readonly service: ServiceName;
  /** All operations of the service. */
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Stores>;
  /** Builds what the handlers use; what it reads and writes is charged to the meter of the request. The tenant is the caller's, where there is one. */
  readonly stores: (meter: Meter, tenant: string | undefined) => Stores;
  /** The origin of absolute links. Where it is absent, the domain that the gateway answered on. */
  readonly baseUrl?: string | undefined;
  /** How SCIM 2.0 is spoken, which shows in its errors. */
  readonly scimProfile?: ScimProfile;
  /** Reads `multipart/form-data`, for a function with an operation that takes it. */
  readonly readMultipart?: ReadMultipart;
}

/** What is known of a request while it is served. It travels on the event, which is where middy's middlewares look. */
interface Exchange {
  readonly request: HttpRequest;
  readonly dialect: Dialect;
  readonly meter: Meter;
  readonly startedMs: number;
  /** What went wrong beside the fault that the answer tells of. */
  readonly defects: Fault[];
  admitted?: Admitted;
  fault?: Fault;
}

type Event = APIGatewayProxyEventV2 & { exchange?: Exchange; parsedBody?: unknown };
type Edge = MiddlewareObj<Event, APIGatewayProxyStructuredResultV2>;

/** Makes the function of a service. */
export function lambda<Ops extends Readonly<Record<string, Operation>>, Stores>(parts: FunctionParts<Ops, Stores>) {
  const operations: Readonly<Record<string, Operation>> = parts.operations;
  const handlers: Readonly<Record<string, AnyHandler>> = parts.handlers;
  const match = matcherOf(operations);
  const admission: Edge = {
    before: ({ event }) => {
      const exchange = exchangeOf(event);
      exchange.admitted = admit(exchange.request, readDecision(contextOf(event)), match, operations);
    },
  };

  const readBody = bodyReader(parts.readMultipart);
  const body: Edge = {
    before: async ({ event }) => {
      const { admitted, request, dialect } = exchangeOf(event);
      const declared = admitted && operations[admitted.operation];
      if (!declared) return;
      if (declared.success.body) checkAccept(dialects[dialect], request);
      event.parsedBody = declared.body && (await readBody(declared, dialects[dialect], request, event));
    },
  };

  const serve = async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
    const { admitted, request, meter, defects } = exchangeOf(event);
    const declared = admitted && operations[admitted.operation];
    const handler = admitted && handlers[admitted.operation];
    if (!admitted || !declared || !handler) throw new Error("an operation without a handler was admitted");
    const context = {
      ...parts.stores(meter, admitted.principal?.tenant),
      traceId: request.traceId,
      ...(admitted.principal && { principal: admitted.principal, tenant: admitted.principal.tenant }),
      ...(declared.seesScopes && { scopes: new Set(admitted.scopes) }),
      ...(request.pathTenant !== undefined && { pathTenant: request.pathTenant }),
      sourceIp: event.requestContext.http.sourceIp,
      reportDefect: (defect: Error) => defects.push(toFault(defect)),
      now: systemClock.now(),
      origin: parts.baseUrl ?? `https://${event.requestContext.domainName}`,
    };
    const given = await answer(declared, handler, request, admitted.params, event.parsedBody, context);
    return written(given, dialects[services[parts.service].dialect].contentType);
  };

  // Before-steps run in this order; answers and failures pass through in the opposite one.
  return middy<Event, APIGatewayProxyStructuredResultV2, Error, Context>({
    timeoutEarlyInMillis: TIMEOUT_EARLY_MS,
    timeoutEarlyResponse: () => {
      throw new Fault("service.unavailable", "The request took too long. Ask for less, or try again.");
    },
  })
    .use(observed(parts.service))
    .use(securityHeaders())
    .use(finished())
    .use(faultsRendered(parts.scimProfile))
    .use(admission)
    .use(body)
    .handler(serve);
}

function contextOf(event: Event): unknown {
  return (event.requestContext as { authorizer?: { lambda?: unknown } }).authorizer?.lambda;
}

/** Writes an answer as the gateway takes it. */
function written(
  { status, headers, body, content }: HttpAnswer,
  contentType: string,
): APIGatewayProxyStructuredResultV2 {
  const bytes = content ?? (body === undefined ? "" : JSON.stringify(body));
  if (Buffer.byteLength(bytes) > ANSWER_BYTES_MAX) {
    throw new Fault("request.invalid", "The answer would be larger than 5 MB: ask for fewer things at once.");
  }
  const typed = { ...(body !== undefined && { "content-type": contentType }), ...headers };
  return typeof bytes === "string"
    ? { statusCode: status, headers: typed, body: bytes }
    : { statusCode: status, headers: typed, body: Buffer.from(bytes).toString("base64"), isBase64Encoded: true };
}

/** Opens the exchange, and closes it with the one line of the request. */
function observed(service: ServiceName): Edge {
  const observer = newObserver(service);
  const close = ({
    event,
    response,
  }: {
    event: Event;
    response: APIGatewayProxyStructuredResultV2 | null | undefined;
  }) => {
    const { request, meter, startedMs, admitted, fault, defects } = exchangeOf(event);
    const operation = admitted?.operation ?? "";
    const status = Number(response?.statusCode ?? 500);
    for (const each of fault && status >= 500 && status !== 501 ? [...defects, fault] : defects) {
      observer.trouble({ traceId: request.traceId, operation, fault: each.fault, cause: each.cause ?? each });
    }
    observer.request({
      traceId: request.traceId,
      operation,
      method: request.method.slice(0, 20),
      status,
      durationMs: elapsed() - startedMs,
      cost: meter.cost,
      ...(defects.length > 0 && { defects: defects.length }),
      ...(admitted?.principal && { tenant: admitted.principal.tenant, subject: admitted.principal.subject }),
      ...(fault && { fault: fault.fault }),
    });
  };
  return {
    before: ({ event }) => {
      const request = readRequest(event);
      const dialect = familyOf(request.path)?.dialect ?? services[service].dialect;
      event.exchange = { request, dialect, meter: newMeter(), startedMs: elapsed(), defects: [] };
    },
    after: close,
    onError: close,
  };
}

/** Headers of every answer. HSTS, nosniff and a policy that lets nothing run; what only pages need is left out. */
function securityHeaders() {
  return httpSecurityHeaders({
    contentSecurityPolicy: { "default-src": "'none'", "frame-ancestors": "'none'" },
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true, preload: false },
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    dnsPrefetchControl: false,
    downloadOptions: false,
    frameOptions: false,
    originAgentCluster: false,
    permissionsPolicy: false,
    permittedCrossDomainPolicies: false,
    reportTo: false,
    xssProtection: false,
  });
}

/** Headers that every answer has; and no body where only the head was asked for. */
function finished(): Edge {
  const add = ({
    event,
    response,
  }: {
    event: Event;
    response: APIGatewayProxyStructuredResultV2 | null | undefined;
  }) => {
    if (!response) return;
    const { request, dialect } = exchangeOf(event);
    if (request.method === "HEAD") response.body = "";
    response.headers = { "cache-control": "no-store", "x-correlation-id": request.traceId, ...response.headers };
    const isKept = response.headers["cache-control"] !== "no-store";
    if (dialects[dialect].forbidsOldCaches && !isKept) response.headers.pragma = "no-cache";
  };
  return { after: add, onError: add };
}

/** Writes whatever was thrown as an answer in the dialect of the path. */
function faultsRendered(profile: ScimProfile | undefined): Edge {
  return {
    onError: (handled) => {
      const exchange = exchangeOf(handled.event);
      const fault = toFault(handled.error);
      exchange.fault = fault;
      const { contentType, body } = renderFault(exchange.dialect, fault, exchange.request.traceId, profile);
      const { retryAfterSeconds, status } = fault.row;
      handled.response = {
        statusCode: status,
        headers: {
          "content-type": contentType,
          ...(retryAfterSeconds && { "retry-after": String(retryAfterSeconds) }),
          ...fault.headers,
        },
        body: JSON.stringify(body),
      };
    },
  };
}

function exchangeOf(event: Event): Exchange {
  if (!event.exchange) throw new Error("the request was not opened");
  return event.exchange;
}
