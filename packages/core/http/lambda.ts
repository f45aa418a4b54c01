/**
 * The only module that knows Lambda: builds the function of a service from its handlers, as a chain of middy
 * middlewares.
 */
import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caused } from "../changes/cause.ts";
import { conditionsOf } from "../operation/conditions.ts";
import type { PublicContext } from "../operation/context.ts";
import { matcherOf } from "../operation/match.ts";
import type { Handlers, Operation, PageResult } from "../operation/operation.ts";
import { canRehearse } from "../operation/rehearsal.ts";
import { IDEMPOTENCY_KEY, isRepeatable, REPLAYED } from "../operation/repeatable.ts";
import { type Dialect, familyOf, type ServiceName, services } from "../operation/services.ts";
import { elapsed, systemClock } from "../platform/clock.ts";
import { Fault, toFault } from "../platform/faults.ts";
import { type Meter, newMeter } from "../table/meter.ts";
import type { Table } from "../table/table.ts";
import { bodyReader, checkAccept, type ReadMultipart } from "./body.ts";
import type { Changing } from "./changing.ts";
import { gated } from "./conditions.ts";
import { preflightHeaders, scriptHeaders } from "./cors.ts";
import { NONCE_HEADER, readDecision } from "./decision.ts";
import { dialects } from "./dialects.ts";
import { encoded } from "./encode.ts";
import { faultResponse } from "./fault-response.ts";
import { callerOf, newObserver, resourceIn } from "./observe.ts";
import { leaveOutBody, prefersMinimal } from "./preference.ts";
import { asksForRehearsal, type EventHead, type HttpRequest, readRequest } from "./request.ts";
import { PROFILE_HEADERS, profileOf, type ScimProfile, type ScimProfileSetting } from "./scim-profile.ts";
import { securityHeaders } from "./security-headers.ts";
import { type Admitted, type AnyHandler, admit, execute, pageOf } from "./serve.ts";

/** How long before Lambda's timeout a request fails, so that the caller still gets a well-formed error. */
const TIMEOUT_EARLY_MS = 500;

/** What a function is built from. */
interface FunctionParts<Ops extends Readonly<Record<string, Operation>>, Stores> {
  readonly service: ServiceName;
  /** All operations of the service. */
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Stores>;
  /** Builds what the handlers use, for one request. */
  readonly stores: (served: Served) => Stores;
  /** The origin of absolute links. Where it is absent: the domain of the gateway. */
  readonly baseUrl?: string | undefined;
  /** The SCIM 2.0 profile of the deployment, for the function that has one. */
  readonly scimProfile?: ScimProfileSetting;
  /** True where unknown members are refused unless the request says `Prefer: handling=lenient`. */
  readonly isStrict?: boolean;
  /** True where changes of existing resources are refused without `If-Match` (decision 0085). */
  readonly requiresIfMatch?: boolean;
  /** For a function with operations that can be rehearsed, repeated or made conditional. */
  readonly changing?: Changing;
  /** Parses `multipart/form-data`, for a function with an operation that accepts it. */
  readonly readMultipart?: ReadMultipart;
  /** Shows failures of operations that answer people, for a function that has some. */
  readonly faultPage?: (fault: Fault, request: HttpRequest) => PageResult;
  /** Seal first answers, for a function with operations that take an `Idempotency-Key`. The first one is used. */
  readonly answerKeys?: readonly Uint8Array[];
}

/** What the stores of a request may depend on. */
export interface Served {
  /** Counts what the request reads and writes. */
  readonly meter: Meter;
  /** The tenant of the caller, if there is one. */
  readonly tenant: string | undefined;
  /** For what only proofs of possession refer to. */
  readonly event: EventHead;
  /** The caller, for change records. */
  readonly caused: Caused;
  /** Of SCIM 2.0; other functions have no use for it. */
  readonly profile: ScimProfile;
  /** A table that the request's reads and writes go through. */
  readonly through?: ((table: Table) => Table) | undefined;
}

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
  /** What the members that were ignored were probably meant for: it explains a fault of the rest. */
  hint?: string;
}

type Event = APIGatewayProxyEventV2 & { exchange?: Exchange; parsedBody?: unknown };
type Response = APIGatewayProxyStructuredResultV2;
type Middleware = MiddlewareObj<Event, Response>;
type Operations = Readonly<Record<string, Operation>>;

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
  const { service, stores, baseUrl, answerKeys }: FunctionParts<Ops, Stores> = parts;
  const operations: Operations = parts.operations;
  const handlers: Readonly<Record<string, AnyHandler>> = parts.handlers;
  return async (event: Event): Promise<Response> => {
    const exchange = exchangeOf(event);
    if (exchange.preflight) return { statusCode: 204, headers: { ...exchange.preflight } };
    const { admitted, request, profile, meter, defects, isRehearsal } = exchange;
    const declared = admitted && operations[admitted.operation];
    const handler = admitted && handlers[admitted.operation];
    if (!admitted || !declared || !handler) throw new Error("an operation without a handler was admitted");
    const { principal, params, scopes } = admitted;
    const { requiresIfMatch = false } = parts;
    const plain = { declared, handler, request, params, scopes, meter, operations, handlers, requiresIfMatch };
    const { sourceIp } = event.requestContext.http;
    const { contentType } = dialects[services[service].dialect];
    if (isRehearsal && !parts.changing) throw new Error("the function cannot rehearse");
    const through = isRehearsal ? await parts.changing?.rehearsal() : undefined;
    const caused = { caller: admitted, traceId: request.traceId, sourceIp };
    const served = { meter, tenant: principal?.tenant, event, caused, profile };
    const common = {
      traceId: request.traceId,
      ...(principal && { principal, tenant: principal.tenant }),
      ...(declared.seesScopes && { scopes: new Set(scopes) }),
      ...(request.pathTenant !== undefined && { pathTenant: request.pathTenant }),
      sourceIp,
      reportDefect: (defect: Error) => defects.push(toFault(defect)),
      readableBy: (origins: readonly string[]) => {
        exchange.origins = origins;
      },
      now: systemClock.now(),
      origin: baseUrl ?? `https://${event.requestContext.domainName}`,
    };
    const call = { declared, handler, request, params, body: event.parsedBody };
    const storesOn = (over: Served["through"]) => stores({ ...served, through: over });
    const serve = async (over: Served["through"], more: Partial<PublicContext> = {}): Promise<Response> => {
      const gate = await gated(plain, parts.changing);
      const { conditions, meter: watched } = gate;
      // The watch sees what the handler writes, also where that is held back.
      const watchedTable = (table: Table) => {
        const below = over?.(table) ?? table;
        return watched.wrap?.(below) ?? below;
      };
      const context = { ...storesOn(watchedTable), ...(conditions && { conditions }), ...common, ...more };
      return encoded(await execute({ ...call, handler: gate.handler, context }), contentType);
    };
    const header = request.headers[IDEMPOTENCY_KEY];
    const isPlain = header === undefined || isRehearsal || !isRepeatable(declared);
    if (isPlain || !answerKeys || !principal) return serve(through);
    conditionsOf(declared, request.headers, requiresIfMatch);
    const serveOnce = await parts.changing?.serveOnce();
    if (!serveOnce) throw new Error("the function cannot repeat answers");
    return serveOnce({
      ...{ call, principal, scopes, header, answerKeys, serve, storesOn },
      ...{ nowMs: common.now, reportDefect: common.reportDefect },
      render: (fault) => faultResponse(exchangeOf(event), fault),
    });
  };
}

/** Creates the exchange, and writes the log line of the request at its end. */
function observing({
  service,
  scimProfile = "wso2",
}: Pick<FunctionParts<Operations, unknown>, "service" | "scimProfile">): Middleware {
  const observer = newObserver(service);
  const close = ({ event, response }: Ended) => {
    const { request, meter, startedMs, admitted, fault, defects, handling, isRehearsal } = exchangeOf(event);
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

/** Renders anything that was thrown in the dialect of the path. */
function renderingFaults({
  operations,
  faultPage,
}: Pick<FunctionParts<Operations, unknown>, "operations" | "faultPage">): Middleware {
  return {
    onError: (handled) => {
      const exchange = exchangeOf(handled.event);
      const { admitted, request } = exchange;
      const fault = toFault(handled.error);
      exchange.fault = fault;
      const isPage = admitted !== undefined && operations[admitted.operation]?.success.page === true;
      handled.response =
        isPage && faultPage ? encoded(pageOf(faultPage(fault, request)), "") : faultResponse(exchange, fault);
    },
  };
}

function exchangeOf(event: Event): Exchange {
  if (!event.exchange) throw new Error("the event has no exchange");
  return event.exchange;
}
