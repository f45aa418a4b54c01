/** Builds the events of payload format 2.0 from a request: for the authorizer and for the function. */
import { randomBytes } from "node:crypto";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import type { APIGatewayProxyEventV2, APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import type { MatchedRoute } from "./routing.ts";

type RequestContext = APIGatewayProxyEventV2["requestContext"];

/** The client certificate in an event. */
type ClientCertificate = NonNullable<RequestContext["authentication"]>["clientCert"];

/** The listener that accepted a request. */
export interface Listener {
  readonly scheme: "http" | "https";
  readonly port: number;
  /** The domain name of this listener, independent of the `Host` header. */
  readonly domainName: string;
}

/** The parts of an event. */
interface EventParts {
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
type AuthorizerEvent = EventHead &
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

/** Bytes of a body that the gateway accepts. */
const BODY_BYTES_MAX = 10_485_760;

const DRAIN_MS = 10_000;

/** The client disconnected before its body was complete. */
export class ClientGone extends Error {}

/**
 * The body, or `undefined` if it exceeds the limit. A client that waits for `100 Continue` gets it only if the declared
 * length is within the limit. Throws `ClientGone`.
 */
export function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return Promise.resolve(undefined);
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(undefined);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", (cause) => reject(new ClientGone("the client disconnected", { cause })));
    request.once("close", () => {
      // Every request ends with this event, and an error with its stack takes time: only an unread body needs one.
      if (!request.readableEnded) reject(new ClientGone("the client disconnected"));
    });
  });
}

/**
 * Discards the unread rest of a request for some seconds, before a response is sent. Closing at once would reset the
 * connection, and the client would not get the response.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  // A client that still waits for `100 Continue` does not send the body, so the connection cannot be reused.
  if (request.headers.expect !== undefined && request.readableFlowing === null) response.shouldKeepAlive = false;
  request.on("error", () => undefined).resume();
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, DRAIN_MS);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}

/** The limit of HTTP APIs for the request line and headers, in bytes. */
export const HEAD_BYTES_MAX = 10_240;

/** A request target. */
interface Target {
  /** Percent-decoded once. A question mark that the decoding yields is one of its characters. Begins with a slash. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly rawQuery: string;
}

/**
 * The bytes of request line and headers: names, values, and four separator bytes each. Node has already removed
 * optional white space, which so does not count.
 */
export function headBytes(request: Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "httpVersion">): number {
  const line = `${request.method ?? ""} ${request.url ?? ""} HTTP/${request.httpVersion}\r\n`;
  const pairs = request.rawHeaders.length / 2;
  return line.length + request.rawHeaders.reduce((sum, text) => sum + text.length, 0) + 4 * pairs;
}

/** Parses a request target. `undefined` for escapes that are not UTF-8, a fragment, or a missing path. */
export function readTarget(url: string): Target | undefined {
  const origin = originForm(url);
  if (!origin.startsWith("/") || origin.includes("#")) return undefined;
  const at = origin.indexOf("?");
  const rawPath = at < 0 ? origin : origin.slice(0, at);
  try {
    return { path: decodeURIComponent(rawPath), rawQuery: at < 0 ? "" : origin.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** Removes scheme and authority of an absolute target: they do not matter here. */
function originForm(url: string): string {
  const [, rest] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** The options of the listener. Certificates and keys are PEM texts. */
export interface MtlsOptions {
  /** A port, or 0 for any free port. */
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  /** The authorities of accepted client certificates. */
  readonly ca: string;
  /** Listens on `port` already: from `reserveTlsPort`. */
  readonly server?: HttpServer;
  /** `requestContext.domainName` of its requests; by default the host and port of this listener. */
  readonly domainName?: string;
}

/** Creates the server. As on AWS, the handshake fails without a certificate of the authorities. */
export function newTlsServer({ certificate, key, ca }: Omit<MtlsOptions, "port">, options: ServerOptions): Server {
  return createServer({
    ...options,
    cert: certificate,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  });
}

/**
 * The verified client certificate, in the fields of an event. AWS does not document the form of the two names: code
 * should read the PEM.
 */
export function clientCertificate({ socket }: IncomingMessage): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const leaf = socket.getPeerX509Certificate();
  return (
    leaf && {
      clientCertPem: leaf.toString(),
      subjectDN: distinguishedName(leaf.subject),
      issuerDN: distinguishedName(leaf.issuer),
      serialNumber: (leaf.serialNumber.match(/../g) ?? []).join(":").toLowerCase(),
      validity: { notBefore: leaf.validFrom, notAfter: leaf.validTo },
    }
  );
}

/** OpenSSL lists a name from its root, one part per line. RFC 4514 section 2.1 reverses the order. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}
