/**
 * The only module that knows Lambda: builds the function of a service from its handlers, as a chain of middy
 * middlewares.
 */
import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { type Meter, newMeter } from "../database/table/meter.ts";
import type { Table } from "../database/table/table.ts";
import { elapsed, systemClock } from "../kernel/clock.ts";
import { Fault, toFault } from "../kernel/faults.ts";
import { conditionsOf } from "../kernel/operation/conditions.ts";
import type { NotedEvent, PublicContext } from "../kernel/operation/context.ts";
import { matcherOf } from "../kernel/operation/match.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import { canRehearse } from "../kernel/operation/rehearsal.ts";
import { IDEMPOTENCY_KEY, isRepeatable, REPLAYED } from "../kernel/operation/repeatable.ts";
import { type Dialect, familyOf, services } from "../kernel/operation/services.ts";
import { bodyReader, checkAccept } from "./body.ts";
import { gated } from "./conditions.ts";
import { preflightHeaders, scriptHeaders } from "./cors.ts";
import { NONCE_HEADER, readDecision } from "./decision.ts";
import { dialects } from "./dialects.ts";
import { encoded } from "./encode.ts";
import { faultResponse } from "./fault-response.ts";
import { type FunctionParts, type Operations, opened, type Served } from "./function-parts.ts";
import { callerOf, newObserver, resourceIn } from "./observe.ts";
import { leaveOutBody, prefersMinimal } from "./preference.ts";
import { asksForRehearsal, type HttpRequest, readRequest } from "./request.ts";
import { PROFILE_HEADERS, profileOf, type ScimProfile } from "./scim-profile.ts";
import { securityHeaders } from "./security-headers.ts";
import { type Admitted, type AnyHandler, admit, execute, isForPeople, pageOf } from "./serve.ts";

/** How long before Lambda's timeout a request fails, so that the caller still gets a well-formed error. */
const TIMEOUT_EARLY_MS = 500;

/** The state of a request while it is served. It is a member of the event, which all middlewares of middy see. */
interface Exchange {
  readonly request: HttpRequest;
  readonly dialect: Dialect;
  readonly profile: ScimProfile;
  readonly meter: Meter;
  readonly startedMs: number;
  /** Errors besides the fault that the response shows. */
  readonly defects: Fault[];
  admitted?: Admitted;
  /** The headers of the answer to a preflight request, which leads to no operation. */
  preflight?: Readonly<Record<string, string>> | undefined;
  /** Origins whose scripts may read the response. */
  origins?: readonly string[];
  /** Whether nothing of the request may be written (decision 0087). */
  isRehearsal?: boolean;
  fault?: Fault;
  /** Headers about the unknown members of the request. */
  handling?: Readonly<Record<string, string>>;
  /** What the handler has for the log line. */
  noted?: NotedEvent;
  /** What the members that were ignored were probably meant for: it explains a fault of the rest. */
  hint?: string;
}

type Event = APIGatewayProxyEventV2 & { exchange?: Exchange; parsedBody?: unknown };
type Response = APIGatewayProxyStructuredResultV2;
type Middleware = MiddlewareObj<Event, Response>;

/** The arguments of a middleware's step after the handler. */
interface Ended {
  readonly event: Event;
  readonly response: Response | null | undefined;
}

/** Builds the function of a service. */
export function lambda<Ops extends Operations, Stores>(parts: FunctionParts<Ops, Stores>) {
  // Requests pass these in order, responses and faults in reverse order.
  return middy<Event, Response, Error, Context>({
    timeoutEarlyInMillis: TIMEOUT_EARLY_MS,
    timeoutEarlyResponse: () => {
      throw new Fault("service.unavailable", "The request took too long. Request less data, or try again.");
    },
  })
    .use(observing(parts))
    .use(commonHeaders(parts.operations, parts.scimProfile === "negotiate"))
    .use(leavingOutBodies(parts.operations))
    .use(renderingFaults(parts))
    .use(admitting(parts.operations))
    .use(readingBody(parts))
    .handler(executing(parts));
}

/** Compares the request with the authorizer's decision. */
function admitting(operations: Operations): Middleware {
  const match = matcherOf(operations);
  return {
    before: ({ event }) => {
      const exchange = exchangeOf(event);
      exchange.preflight = preflightHeaders(exchange.request, match, operations);
      if (exchange.preflight) return;
      exchange.admitted = admit(exchange.request, readDecision(contextOf(event)), match, operations);
      const declared = operations[exchange.admitted.operation];
      exchange.isRehearsal = declared !== undefined && canRehearse(declared) && asksForRehearsal(exchange.request);
    },
  };
}

function contextOf(event: Event): unknown {
  return (event.requestContext as { authorizer?: { lambda?: unknown } }).authorizer?.lambda;
}

/** Checks `Accept`, reads the body of an operation that declares one, and looks for unknown members. */
function readingBody({
  operations,
  readMultipart,
  isStrict = false,
  changing,
}: Pick<FunctionParts<Operations, unknown>, "operations" | "readMultipart" | "isStrict" | "changing">): Middleware {
  const readBody = bodyReader(readMultipart);
  return {
    before: async ({ event }) => {
      const exchange = exchangeOf(event);
      const { admitted, request } = exchange;
      const declared = admitted && operations[admitted.operation];
      if (!declared) return;
      const rules = dialects[exchange.dialect];
      if (declared.success.body) checkAccept(rules, request);
      const body = declared.body && (await readBody(declared, rules, request, event));
      event.parsedBody = body;
      if (declared.method === "GET" || rules.ignoresUnknown) return;
      const handleUnknown = await changing?.handleUnknown();
      if (!handleUnknown) throw new Error("the function cannot look for unknown members");
      const { headers, refused, hint } = handleUnknown({ declared, request, body, rules }, isStrict);
      exchange.handling = headers;
      if (hint !== undefined) exchange.hint = hint;
      if (refused) throw refused;
    },
  };
}

/** Leaves out the body of a change where the request prefers that. */
function leavingOutBodies(operations: Operations): Middleware {
  return {
    after: ({ event, response }: Ended) => {
      const exchange = exchangeOf(event);
      const declared = exchange.admitted && operations[exchange.admitted.operation];
      if (!response || !declared || !prefersMinimal(declared, exchange.request)) return;
      exchange.handling = leaveOutBody(response, exchange.handling);
    },
  };
}

/** Calls the handler of the operation. */
function executing<Ops extends Operations, Stores>(parts: FunctionParts<Ops, Stores>) {
  const { service, answerKeys, changing, requiresIfMatch = false }: FunctionParts<Ops, Stores> = parts;
  const operations: Operations = parts.operations;
  const handlers: Readonly<Record<string, AnyHandler>> = parts.handlers;
  const { contentType } = dialects[services[service].dialect];
  return async (event: Event): Promise<Response> => {
    const exchange = exchangeOf(event);
    if (exchange.preflight) return { statusCode: 204, headers: { ...exchange.preflight } };
    const { admitted, request, meter } = exchange;
    const declared = admitted && operations[admitted.operation];
    const handler = admitted && handlers[admitted.operation];
    if (!admitted || !declared || !handler) throw new Error("an operation without a handler was admitted");
    const { principal, params, scopes } = admitted;
    const conditional = { declared, handler, request, params, scopes, meter, operations, handlers, requiresIfMatch };
    const common = contextFor(event, exchange, { admitted, declared, baseUrl: parts.baseUrl });
    const call = { declared, handler, request, params, body: event.parsedBody };
    const { table, storesOn } = opened(parts, servedFor(event, exchange, admitted));
    const serve = async (on: Table | undefined, more: Partial<PublicContext> = {}): Promise<Response> => {
      const gate = await gated(conditional, changing);
      const { conditions, meter: watched } = gate;
      // The watch sees what the handler writes, also where that is held back.
      const watchedTable = on && (watched.wrap?.(on) ?? on);
      const context = { ...storesOn(watchedTable), ...(conditions && { conditions }), ...common, ...more };
      return encoded(await execute({ ...call, handler: gate.handler, context }), contentType);
    };
    if (exchange.isRehearsal) {
      const rehearsal = await changing?.rehearsal();
      if (!rehearsal || !table) throw new Error("the function cannot rehearse");
      return serve(rehearsal(table));
    }
    const header = request.headers[IDEMPOTENCY_KEY];
    if (header === undefined || !isRepeatable(declared) || !answerKeys || !principal) return serve(table);
    conditionsOf(declared, request.headers, requiresIfMatch);
    const serveOnce = await changing?.serveOnce();
    if (!serveOnce || !table) throw new Error("the function cannot repeat answers");
    return serveOnce({
      ...{ call, principal, scopes, header, answerKeys, table, serve, storesOn },
      ...{ nowMs: common.now, reportDefect: common.reportDefect },
      render: (fault) => faultResponse(exchange, fault),
    });
  };
}

/** What a handler learns of an admitted request, besides its stores. */
function contextFor(
  event: Event,
  exchange: Exchange,
  given: { readonly admitted: Admitted; readonly declared: Operation; readonly baseUrl: string | undefined },
) {
  const { request, defects } = exchange;
  const { principal, proof, scopes } = given.admitted;
  return {
    traceId: request.traceId,
    ...(principal && { principal, tenant: principal.tenant }),
    ...(proof && { proof }),
    ...(given.declared.seesScopes && { scopes: new Set(scopes) }),
    ...(request.pathTenant !== undefined && { pathTenant: request.pathTenant }),
    sourceIp: event.requestContext.http.sourceIp,
    reportDefect: (defect: Error) => defects.push(toFault(defect)),
    readableBy: (origins: readonly string[]) => {
      exchange.origins = origins;
    },
    note: (noted: NotedEvent) => {
      exchange.noted = noted;
    },
    now: systemClock.now(),
    origin: given.baseUrl ?? `https://${event.requestContext.domainName}`,
  };
}

function servedFor(event: Event, { request, meter, profile }: Exchange, admitted: Admitted): Served {
  const { sourceIp } = event.requestContext.http;
  const caused = { caller: admitted, traceId: request.traceId, sourceIp };
  return { meter, tenant: admitted.principal?.tenant, event, caused, profile };
}

/** Creates the exchange, and writes the log line of the request at its end. */
function observing({
  service,
  scimProfile = "wso2",
}: Pick<FunctionParts<Operations, unknown>, "service" | "scimProfile">): Middleware {
  const observer = newObserver(service);
  const close = ({ event, response }: Ended) => {
    const { request, meter, startedMs, admitted, fault, defects, handling, isRehearsal, noted } = exchangeOf(event);
    const ignored = handling?.["ignored-members"];
    const operation = admitted?.operation ?? "";
    const status = Number(response?.statusCode ?? 500);
    for (const each of fault && status >= 500 && status !== 501 ? [...defects, fault] : defects) {
      observer.failure({ traceId: request.traceId, operation, fault: each.fault, cause: each.cause ?? each });
    }
    observer.request({
      traceId: request.traceId,
      operation,
      method: request.method.slice(0, 20),
      status,
      durationMs: elapsed() - startedMs,
      cost: meter.cost,
      ...(isRehearsal && { dryRun: true }),
      ...(defects.length > 0 && { defects: defects.length }),
      ...(admitted?.principal && callerOf(admitted.principal)),
      ...(fault && { fault: fault.fault }),
      ...(ignored !== undefined && { ignored }),
      ...(response?.headers?.[REPLAYED] !== undefined && { replayed: true }),
      resource: resourceIn([...Object.values(admitted?.params ?? {}), ...createdIn(response)]),
      ...noted,
    });
  };
  return {
    before: ({ event }) => {
      const request = readRequest(event);
      const dialect = familyOf(request.path)?.dialect ?? services[service].dialect;
      const profile = profileOf(scimProfile, request.headers);
      event.exchange = { request, dialect, profile, meter: newMeter(), startedMs: elapsed(), defects: [] };
    },
    after: close,
    onError: close,
  };
}

/** The last part of `Location`: the id of what was created. */
function createdIn(response: Ended["response"]): readonly string[] {
  const location = response?.statusCode === 201 ? response.headers?.location : undefined;
  return typeof location === "string" ? location.split("/").slice(-1) : [];
}

/**
 * Headers of every response. A response to HEAD keeps its body, of which the gateway sends the length only (RFC 9110
 * section 9.3.2).
 */
function commonHeaders(operations: Operations, isNegotiated: boolean): Middleware {
  const add = ({ event, response }: Ended) => {
    if (!response) return;
    const { request, dialect, admitted, handling, isRehearsal, origins = [] } = exchangeOf(event);
    const nonce = admitted?.nonce;
    const declared = admitted && operations[admitted.operation];
    response.headers = {
      "cache-control": "no-store",
      "x-correlation-id": request.traceId,
      ...(dialects[dialect].echoesRequestId && requestIdOf(request)),
      ...handling,
      ...(isRehearsal && { "dry-run": "true" }),
      ...(nonce !== undefined && { [NONCE_HEADER]: nonce }),
      ...(isNegotiated && { vary: PROFILE_HEADERS }),
      ...scriptHeaders(declared, request, origins),
      ...securityHeaders,
      ...response.headers,
    };
    const isStored = response.headers["cache-control"] !== "no-store";
    if (dialects[dialect].forbidsOldCaches && !isStored) response.headers.pragma = "no-cache";
  };
  return { after: add, onError: add };
}

/** The id that a request has by its caller, where a header can have it. */
function requestIdOf({ headers }: HttpRequest): Readonly<Record<string, string>> {
  const { "x-request-id": id } = headers;
  return id !== undefined && /^[\x20-\x7E]{1,200}$/.test(id) ? { "x-request-id": id } : {};
}

/** Renders anything that was thrown in the dialect of the path. */
function renderingFaults({
  operations,
  faultPage,
}: Pick<FunctionParts<Operations, unknown>, "operations" | "faultPage">): Middleware {
  return {
    onError: async (handled) => {
      const exchange = exchangeOf(handled.event);
      const { admitted, request } = exchange;
      const fault = toFault(handled.error);
      exchange.fault = fault;
      const page = isForPeople(admitted && operations[admitted.operation], fault, request) && faultPage;
      handled.response = page ? encoded(pageOf(await page(fault, request)), "") : faultResponse(exchange, fault);
    },
  };
}

function exchangeOf(event: Event): Exchange {
  if (!event.exchange) throw new Error("the event has no exchange");
  return event.exchange;
}
