/** Builds the events of payload format 2.0 from a request: for the authorizer and for the function. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2, APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import type { MatchedRoute } from "./routing.ts";
import type { Target } from "./target.ts";

type RequestContext = APIGatewayProxyEventV2["requestContext"];

/** The client certificate in an event. */
export type ClientCertificate = NonNullable<RequestContext["authentication"]>["clientCert"];

/** The listener that accepted a request. */
export interface Listener {
  readonly scheme: "http" | "https";
  readonly port: number;
  /** The domain name of this listener, independent of the `Host` header. */
  readonly domainName: string;
}

/** The parts of an event. */
export interface EventParts {
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly matched: MatchedRoute;
  readonly listener: Listener;
  readonly clientCert: ClientCertificate | undefined;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The common part of both events. */
export type EventHead = Omit<APIGatewayProxyEventV2, "body" | "isBase64Encoded">;

/** The account and the API in local events. */
export const LOCAL_ACCOUNT = "000000000000";
const API_ID = "local";

/** Headers that a proxy consumes. */
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

/** The event of an authorizer without identity sources: AWS sends `null` for them. */
export type AuthorizerEvent = EventHead &
  Pick<APIGatewayRequestAuthorizerEventV2, "type" | "routeArn"> & { readonly identitySource: null };

/** Content types of text. All others arrive in Base64, including `application/scim+json` and form posts. */
const TEXT = /^(text\/.*|application\/(json|xml|javascript))$/;

/** The number of times a header was sent. */
export function timesSent(request: IncomingMessage, name: string): number {
  return pairsOf(request.rawHeaders).filter(([each]) => each === name).length;
}

/** The common part of both events. It does not need the body. */
export function eventHead(parts: EventParts): EventHead {
  const { request, target, matched } = parts;
  const headers = headersOf(parts);
  const cookies = cookiesOf(request);
  const query = queryOf(target.rawQuery);
  return {
    version: "2.0",
    routeKey: matched.route.key,
    rawPath: target.path,
    rawQueryString: target.rawQuery,
    ...(cookies.length > 0 && { cookies: [...cookies] }),
    headers: Object.fromEntries(headers),
    ...(query.size > 0 && { queryStringParameters: Object.fromEntries(query) }),
    requestContext: contextOf(parts, headers),
    ...(matched.pathParameters && { pathParameters: matched.pathParameters }),
  };
}

function headersOf({ request, listener, body, nowMs }: EventParts): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairsOf(request.rawHeaders)) {
    if (!consumed.has(name)) appended(headers, name, value, ",");
  }
  if (request.headers["transfer-encoding"] !== undefined) headers.set("content-length", String(body.length));
  appended(headers, "x-forwarded-for", sourceIpOf(request), ", ");
  headers.set("x-forwarded-port", String(listener.port));
  headers.set("x-forwarded-proto", listener.scheme);
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
  const { request, target, matched, listener, clientCert, nowMs } = parts;
  return {
    accountId: LOCAL_ACCOUNT,
    apiId: API_ID,
    ...(clientCert && { authentication: { clientCert } }),
    domainName: listener.domainName,
    domainPrefix: listener.domainName.split(".", 1)[0] ?? "",
    http: {
      method: request.method ?? "",
      path: target.path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceIpOf(request),
      userAgent: headers.get("user-agent") ?? "",
    },
    requestId: `${randomBytes(11).toString("base64url")}=`,
    routeKey: matched.route.key,
    stage: "$default",
    time: logTime(nowMs),
    timeEpoch: nowMs,
  };
}

function sourceIpOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

/** The time in the format of access logs, in UTC: `12/Mar/2020:19:03:58 +0000`. */
function logTime(nowMs: number): string {
  const iso = new Date(nowMs).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? "";
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

/** The event of the authorizer: the common part, without a body. */
export function authorizerEvent(head: EventHead): AuthorizerEvent {
  const { method, path } = head.requestContext.http;
  const routeArn = `arn:aws:execute-api:us-east-1:${LOCAL_ACCOUNT}:${API_ID}/$default/${method}${path}`;
  return { ...head, type: "REQUEST", routeArn, identitySource: null };
}

/** The event of the function: the common part, the context of the authorizer, and the body. */
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

/** Names and values of the raw headers. Node's `headers` drops repetitions of some names. */
function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((text, index) =>
    index % 2 === 0 ? [[text.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
  );
}
