/** Handles a request: limits, route, authorizer, function. */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import * as z from "zod";
import {
  authorizerEvent,
  ClientGone,
  clientCertificate,
  type EventHead,
  eventHead,
  functionEvent,
  HEAD_BYTES_MAX,
  headBytes,
  type Listener,
  readBody,
  readTarget,
  timesSent,
} from "./event.ts";
import {
  type Deployed,
  FunctionTimeout,
  functionResponse,
  type GatewayResponse,
  gatewayResponse,
  invoke,
  type LambdaFunction,
  misdirected,
  REQUEST_PAYLOAD_BYTES_MAX,
  tooLarge,
} from "./response.ts";
import { type GatewayRoute, isForOwnName, routeMatcher } from "./routing.ts";

const FUNCTION_TIMEOUT_MS = 30_000;
const AUTHORIZER_TIMEOUT_MS = 10_000;

/** The longest that a request takes after its body: the time limits of the authorizer and the function. */
export function longestMs({ timeouts }: Pick<ServeOptions, "timeouts">): number {
  return (timeouts?.authorizerMs ?? AUTHORIZER_TIMEOUT_MS) + (timeouts?.functionMs ?? FUNCTION_TIMEOUT_MS);
}

/** A failure that gets a response of the gateway itself. */
class GatewayFailure extends Error {
  readonly answer: GatewayResponse;
  constructor(answer: GatewayResponse, message: string, cause: unknown) {
    super(message, { cause });
    this.answer = answer;
  }
}

const AuthorizerResult = z.object({ isAuthorized: z.boolean(), context: z.record(z.string(), z.unknown()).nullish() });

/** A response, with the request id if a route matched. */
interface Served {
  readonly answer: GatewayResponse;
  readonly requestId?: string;
}

/** Serves a request whose head node has parsed. Throws `ClientGone`; every other failure is a response. */
type Serve = (request: IncomingMessage, response: ServerResponse, listener: Listener) => Promise<Served>;

/** The options of serving. */
export interface ServeOptions {
  readonly routes: readonly GatewayRoute[];
  /** Invoked before the function, for every request with a route. */
  readonly authorizer: LambdaFunction;
  /** The functions by their names in the routes. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** The only names that requests may have in `Host`, in lower case and without ports; absent for any. */
  readonly ownNames?: ReadonlySet<string>;
  /** Milliseconds; AWS's 30 and 10 seconds by default. */
  readonly timeouts?: { readonly functionMs?: number; readonly authorizerMs?: number };
  /** Called with the cause of a 500 or 503 of the gateway. Writes to the console by default. */
  readonly onError?: (message: string, cause: unknown) => void;
}

/** Prepares serving. Throws an `Error` for an invalid route, or one without a function. */
export function newServe(options: ServeOptions): Serve {
  const { routes, timeouts, ownNames, onError = toConsole } = options;
  const match = routeMatcher(routes);
  const deployed = deploy(options);
  const authorizer: Deployed = {
    name: "authorizer",
    handler: options.authorizer,
    timeoutMs: timeouts?.authorizerMs ?? AUTHORIZER_TIMEOUT_MS,
  };

  const forward = async (head: EventHead, to: Deployed, body: Buffer, isOpen: boolean): Promise<GatewayResponse> => {
    try {
      const context = isOpen ? null : await authorize(authorizer, head);
      if (context === false) return gatewayResponse(403, "Forbidden");
      const event = JSON.stringify(functionEvent(head, body, context));
      if (Buffer.byteLength(event) > REQUEST_PAYLOAD_BYTES_MAX) return tooLarge("request.too_large", head.rawPath);
      return await call(to, event);
    } catch (failure) {
      if (!(failure instanceof GatewayFailure)) throw failure;
      onError(failure.message, failure.cause);
      return failure.answer;
    }
  };

  const serve: Serve = async (request, response, listener) => {
    const target = readTarget(request.url ?? "");
    if (headBytes(request) > HEAD_BYTES_MAX) {
      return { answer: tooLarge("request.headers_too_large", target?.path ?? "/") };
    }
    if (!target || timesSent(request, "host") > 1) return { answer: gatewayResponse(400, "Bad Request") };
    if (ownNames && !isForOwnName(request, ownNames)) return { answer: misdirected(target.path) };
    const clientCert = listener.scheme === "https" ? clientCertificate(request) : undefined;
    if (listener.scheme === "https" && !clientCert) return { answer: gatewayResponse(403, "Forbidden") };
    const body = await readBody(request, response);
    if (!body) return { answer: tooLarge("request.too_large", target.path) };
    const matched = match(request.method ?? "", target.path);
    const to = matched && deployed.get(matched.route.key);
    if (!to) return { answer: gatewayResponse(404, "Not Found") };
    const head = eventHead({ request, target, matched, listener, clientCert, body, nowMs: Date.now() });
    return {
      answer: await forward(head, to, body, matched.route.isOpen === true),
      requestId: head.requestContext.requestId,
    };
  };

  return async (request, response, listener) => {
    try {
      return await serve(request, response, listener);
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      onError("a request could not be served", error);
      return { answer: gatewayResponse(500, "Internal Server Error") };
    }
  };
}

function toConsole(message: string, cause: unknown): void {
  console.error(`gateway: ${message}:`, cause);
}

/** The function of each route key. Throws an `Error` for a route without a function. */
function deploy({ routes, functions, timeouts }: ServeOptions): ReadonlyMap<string, Deployed> {
  return new Map(
    routes.map(({ key, service }) => {
      const handler = Object.hasOwn(functions, service) ? functions[service] : undefined;
      if (!handler) throw new Error(`the route "${key}" names the function "${service}", which does not exist`);
      return [key, { name: service, handler, timeoutMs: timeouts?.functionMs ?? FUNCTION_TIMEOUT_MS }];
    }),
  );
}

/** Invokes the authorizer. Returns its context, or `false` for a refusal. */
async function authorize(authorizer: Deployed, head: EventHead): Promise<unknown> {
  try {
    const result = AuthorizerResult.parse(await invoke(authorizer, JSON.stringify(authorizerEvent(head))));
    return result.isAuthorized ? (result.context ?? null) : false;
  } catch (cause) {
    throw new GatewayFailure(gatewayResponse(500, "Internal Server Error"), "the authorizer failed", cause);
  }
}

async function call(deployed: Deployed, event: string): Promise<GatewayResponse> {
  try {
    return functionResponse(await invoke(deployed, event));
  } catch (cause) {
    const answer =
      cause instanceof FunctionTimeout
        ? gatewayResponse(503, "Service Unavailable")
        : gatewayResponse(500, "Internal Server Error");
    throw new GatewayFailure(answer, `the function ${deployed.name} failed`, cause);
  }
}

/**
 * Far above the limit of the gateway: node parses no path from a larger request, and the error format depends on it.
 */
const NODE_HEAD_BYTES_MAX = 1_048_576;
const KEEP_ALIVE_MS = 75_000;
const LINGER_MS = 2_000;

/** Options of the server of a listener. */
export const serverOptions: ServerOptions = { maxHeaderSize: NODE_HEAD_BYTES_MAX, keepAliveTimeout: KEEP_ALIVE_MS };

/** Connections that got their last response. Node reports further data of the same request as another error. */
const answered = new WeakSet<Duplex>();

/** The connections of each server, those without a TLS handshake included. */
const connections = new WeakMap<Server, Set<Duplex>>();

/** Adds the handlers for all kinds of requests to a server. */
export function prepareServer(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  // By default, node silently drops headers after the 2000th. Only the limit in bytes applies here.
  server.maxHeadersCount = 0;
  const open = new Set<Duplex>();
  connections.set(server, open);
  server.on("connection", (socket: Duplex) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", handle);
  server.on("checkContinue", handle);
  server.on("checkExpectation", handle);
  server.on("clientError", onUnparsable);
  server.on("connect", (_: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined);
    write(socket, gatewayResponse(400, "Bad Request"), "Bad Request");
  });
}

function onUnparsable(error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void {
  if (answered.has(socket)) return;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  answered.add(socket);
  if (error.code === "HPE_HEADER_OVERFLOW") {
    const [, path = "/"] = /^[A-Z]+ ([^ ?]*)/.exec(error.rawPacket?.toString("latin1", 0, 4_096) ?? "") ?? [];
    write(socket, tooLarge("request.headers_too_large", path), "Request Header Fields Too Large");
    return;
  }
  write(socket, gatewayResponse(400, "Bad Request"), "Bad Request");
}

function write(socket: Duplex, { status, headers, body }: GatewayResponse, reason: string): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    ...lines,
    `content-length: ${body.length}`,
    "connection: close",
    "",
    "",
  ];
  socket.end(Buffer.concat([Buffer.from(head.join("\r\n"), "latin1"), body]));
  // Discards further data for a moment, so that the client reads the response before the connection closes.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Opens a listener and returns its port. Throws an `Error` with a message for users. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((opened, failed) => {
    server.once("error", (cause: Error & { code?: string }) => {
      const reason =
        cause.code === "EADDRINUSE" ? "is in use by another program" : `cannot be opened: ${cause.message}`;
      failed(
        new Error(
          `Port ${port} of ${host} ${reason}. Stop that program, or set PORT (for client certificates MTLS_PORT) to another port.`,
          { cause },
        ),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      opened(typeof address === "object" && address ? address.port : port);
    });
  });
}

/** Closes a listener. Closes open connections after `finished` resolves. */
export async function closeServer(server: Server, finished: Promise<unknown>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((done) => server.close(done));
  await finished;
  for (const socket of connections.get(server) ?? []) socket.destroy();
  await closed;
}
