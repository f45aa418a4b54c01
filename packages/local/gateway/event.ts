/** From a request to the events of payload format 2.0: the authorizer's and the function's. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2, APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import type { Chosen } from "./routing.ts";
import type { Target } from "./target.ts";

type RequestContext = APIGatewayProxyEventV2["requestContext"];

/** The certificate of a caller, as the gateway passes it on. */
export type ClientCertificate = NonNullable<RequestContext["authentication"]>["clientCert"];

/** The listener that a request came in by. */
export interface Door {
  readonly scheme: "http" | "https";
  readonly port: number;
  /** The name that this door has, whatever a `Host` header says. */
  readonly domainName: string;
}

/** All that an event is made of. */
export interface EventParts {
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly chosen: Chosen;
  readonly door: Door;
  readonly clientCert: ClientCertificate | undefined;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What the authorizer's event and the function's event have in common. */
export type EventHead = Omit<APIGatewayProxyEventV2, "body" | "isBase64Encoded">;

/** The account and API that stand in an event from this machine. */
export const LOCAL_ACCOUNT = "000000000000";
const API_ID = "local";

/** What a front end consumes itself. */
const consumed = new Set([
  "connection",
  "cookie",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const TRACE = /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}/;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The event of an authorizer without identity sources, on which AWS sends `null` for them. */
export type AuthorizerEvent = EventHead &
  Pick<APIGatewayRequestAuthorizerEventV2, "type" | "routeArn"> & { readonly identitySource: null };

/** Everything else arrives in base64, `application/scim+json` and form posts among it. */
const TEXT = /^(text\/.*|application\/(json|xml|javascript))$/;

/** How often a header was sent. */
export function timesSent(request: IncomingMessage, name: string): number {
  return pairsOf(request.rawHeaders).filter(([each]) => each === name).length;
}

/** The part of an event that does not need the body. */
export function eventHead(parts: EventParts): EventHead {
  const { request, target, chosen } = parts;
  const headers = headersOf(parts);
  const cookies = cookiesOf(request);
  const query = queryOf(target.rawQuery);
  return {
    version: "2.0",
    routeKey: chosen.route.key,
    rawPath: target.path,
    rawQueryString: target.rawQuery,
    ...(cookies.length > 0 && { cookies: [...cookies] }),
    headers: Object.fromEntries(headers),
    ...(query.size > 0 && { queryStringParameters: Object.fromEntries(query) }),
    requestContext: contextOf(parts, headers),
    ...(chosen.pathParameters && { pathParameters: chosen.pathParameters }),
  };
}

function headersOf({ request, door, body, nowMs }: EventParts): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairsOf(request.rawHeaders)) {
    if (!consumed.has(name)) appended(headers, name, value, ",");
  }
  if (request.headers["transfer-encoding"] !== undefined) headers.set("content-length", String(body.length));
  appended(headers, "x-forwarded-for", sourceIpOf(request), ", ");
  headers.set("x-forwarded-port", String(door.port));
  headers.set("x-forwarded-proto", door.scheme);
  if (!TRACE.test(headers.get("x-amzn-trace-id") ?? "")) headers.set("x-amzn-trace-id", newTrace(nowMs));
  return headers;
}

function newTrace(nowMs: number): string {
  return `Root=1-${Math.floor(nowMs / 1_000)
    .toString(16)
    .padStart(8, "0")}-${randomBytes(12).toString("hex")}`;
}

function cookiesOf({ rawHeaders }: IncomingMessage): readonly string[] {
  return pairsOf(rawHeaders)
    .filter(([name]) => name === "cookie")
    .flatMap(([, value]) => value.split(";").map((cookie) => cookie.trim()))
    .filter((cookie) => cookie !== "");
}

function queryOf(rawQuery: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQuery)) appended(query, name, value, ",");
  return query;
}

function appended(headers: Map<string, string>, name: string, value: string, separator: string): void {
  const before = headers.get(name);
  headers.set(name, before === undefined ? value : `${before}${separator}${value}`);
}

function contextOf(parts: EventParts, headers: ReadonlyMap<string, string>): RequestContext {
  const { request, target, chosen, door, clientCert, nowMs } = parts;
  return {
    accountId: LOCAL_ACCOUNT,
    apiId: API_ID,
    ...(clientCert && { authentication: { clientCert } }),
    domainName: door.domainName,
    domainPrefix: door.domainName.split(".", 1)[0] ?? "",
    http: {
      method: request.method ?? "",
      path: target.path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceIpOf(request),
      userAgent: headers.get("user-agent") ?? "",
    },
    requestId: `${randomBytes(11).toString("base64url")}=`,
    routeKey: chosen.route.key,
    stage: "$default",
    time: logTime(nowMs),
    timeEpoch: nowMs,
  };
}

function sourceIpOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

/** The time as access logs write it, in UTC: `12/Mar/2020:19:03:58 +0000`. */
function logTime(nowMs: number): string {
  const iso = new Date(nowMs).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? "";
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

/** The event of the authorizer: the head, and never a body. */
export function authorizerEvent(head: EventHead): AuthorizerEvent {
  const { method, path } = head.requestContext.http;
  const routeArn = `arn:aws:execute-api:us-east-1:${LOCAL_ACCOUNT}:${API_ID}/$default/${method}${path}`;
  return { ...head, type: "REQUEST", routeArn, identitySource: null };
}

/** The event of the function: the head, the authorizer's context and the body. */
export function functionEvent(head: EventHead, body: Buffer, authorizerContext: unknown): APIGatewayProxyEventV2 {
  const isBase64Encoded = body.length > 0 && !isText(head.headers["content-type"] ?? "");
  const requestContext = { ...head.requestContext, authorizer: { lambda: authorizerContext } };
  return {
    ...head,
    requestContext,
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
}

function isText(contentType: string): boolean {
  return TEXT.test((contentType.split(";", 1)[0] ?? "").trim().toLowerCase());
}

/** Pairs of the raw list: node's own `headers` drops the repetitions of some names. */
function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((text, index) =>
    index % 2 === 0 ? [[text.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
  );
}
