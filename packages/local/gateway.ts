/**
 * A local API Gateway on `node:http`: an HTTP API with payload format 2.0, one Lambda authorizer (simple response, no
 * identity source, no cache) and Lambda functions as integrations.
 *
 * All differences from AWS:
 *
 * - 413 and 431 have the error format of the path; AWS returns `{"message": ...}`.
 * - A `Host` that is not an own name gets 421, where `ownNames` says which those are; AWS has no API of another name.
 * - A function must return a `statusCode`; AWS turns any other JSON into a 200. The validation is stricter too: `body`
 *   must be a string, and status codes below 200 are refused.
 * - All functions run concurrently in one process and share its modules; AWS gives each request of a function its own
 *   container. After a timeout, a function continues in the background; AWS freezes it. A function that blocks the
 *   thread cannot time out.
 * - No throttling, access log, CORS, stage variables or WAF; HTTP/1.1 only. `requestContext.domainName` is a setting.
 * - Header bytes are counted without optional white space. Requests that node cannot parse (an unknown method, both
 *   length headers, no `Host`, non-ASCII bytes in the target) get `400 {"message":"Bad Request"}`. So do `CONNECT`, a
 *   target `*`, a `#` in the target, a repeated `Host`, and percent escapes in the path that are not UTF-8.
 * - `subjectDN` and `issuerDN` of a certificate follow RFC 4514; AWS does not document its form. An invalid certificate
 *   always ends the handshake; AWS may return 403.
 * - Undocumented on AWS: routes match the decoded path; `%3F` is a question mark within a segment (AWS was also seen to
 *   end the path there, for the authorizer and the function alike); `/a/` belongs to `/a/{proxy+}` with an empty
 *   `proxy`; a variable does not match an empty segment; a well-formed `X-Amzn-Trace-Id` of the client is passed on.
 * - There is no `Via` header. Account, API id, region and ARNs are placeholders.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { elapsed } from "#core/kernel/clock.ts";
import { ClientGone, discardRest, type Listener, type MtlsOptions, newTlsServer } from "./gateway/event.ts";
import { answeredOf, send } from "./gateway/response.ts";
import {
  closeServer,
  listen,
  longestMs,
  newServe,
  prepareServer,
  type ServeOptions,
  serverOptions,
} from "./gateway/serve.ts";
import type { Answered } from "./log.ts";

export type { LambdaFunction } from "./gateway/response.ts";
export type { GatewayRoute } from "./gateway/routing.ts";

/** What a closing gateway adds to the time of a function, for the rest of a body and the response. */
const TRANSFER_MS = 5_000;
/** Turns of the event loop after which a connection that was made, and a request on it, have been read. */
const TURNS = 3;

/** The options of a gateway. */
export interface GatewayOptions extends ServeOptions {
  /** A port, or 0 for any free port. */
  readonly port: number;
  /** Listens on `port` already: from `reservePort`. */
  readonly server?: Server;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** `requestContext.domainName`; `localhost` by default. */
  readonly domainName?: string;
  /** Opens a second listener, with client certificates. */
  readonly tls?: MtlsOptions;
  /** A request was answered: for the log. */
  readonly onAnswered?: (request: Answered) => void;
}

/** A port that is open for a gateway that starts later: no other process can take it. */
export interface ReservedPort {
  readonly server: Server;
  readonly port: number;
}

/** Opens any free port for a gateway whose functions need to know the port before they are built. */
export async function reservePort(host: string): Promise<ReservedPort> {
  const server = createServer(serverOptions);
  return { server, port: await listen(server, 0, host) };
}

/** Opens a port, or any free one for 0, for the listener with client certificates. */
export async function reserveTlsPort(tls: MtlsOptions, host: string): Promise<ReservedPort> {
  const server = newTlsServer(tls, serverOptions);
  return { server, port: await listen(server, tls.port, host) };
}

/** A running gateway. */
export interface Gateway {
  /** The origin, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** The mTLS listener, if there is one. */
  readonly tls?: { readonly url: string; readonly port: number };
  /**
   * Accepts no new connections, finishes every request whose head was read, then closes all connections. Gives up after
   * the longest time that a function may take. Resolves with the number of requests that it cut off. Idempotent.
   */
  close(): Promise<number>;
}

/**
 * Starts the gateway and waits until it accepts requests. Throws an `Error` with a message for users: a port is in use,
 * a route has no function, a certificate is invalid.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host = "127.0.0.1", domainName = "localhost", tls } = options;
  const serve = newServe(options);
  const inFlight = new Set<Promise<void>>();
  let isClosing = false;
  // Clients may send several requests before the first response: only the response to the newest may close.
  const newest = new WeakMap<Socket, IncomingMessage>();
  const told = new WeakSet<Socket>();
  const exchange = async (listener: Listener, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedMs = elapsed();
    try {
      const { answer, requestId } = await serve(request, response, listener);
      discardRest(request, response);
      if (isClosing && newest.get(request.socket) === request) {
        response.shouldKeepAlive = false;
        told.add(request.socket);
      }
      await send(response, answer, requestId);
      options.onAnswered?.(answeredOf(request, answer, elapsed() - startedMs));
    } catch (error) {
      if (!(error instanceof ClientGone)) throw error;
    }
  };
  const prepared = <S extends Server>(server: S, listener: () => Listener): S => {
    prepareServer(server, (request, response) => {
      // RFC 9112 section 9.6: after the response that closes the connection, no request on it is processed.
      if (told.has(request.socket)) return;
      newest.set(request.socket, request);
      const done = exchange(listener(), request, response).finally(() => inFlight.delete(done));
      inFlight.add(done);
    });
    return server;
  };

  let port = options.port;
  let tlsPort = tls?.port ?? 0;
  const plain = prepared(options.server ?? createServer(serverOptions), () => ({ scheme: "http", port, domainName }));
  const secure =
    tls &&
    prepared(tls.server ?? newTlsServer(tls, serverOptions), () => ({
      scheme: "https",
      port: tlsPort,
      domainName: tls.domainName ?? `${host}:${tlsPort}`,
    }));

  const finish = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.allSettled(inFlight);
  };
  const closeAll = async (): Promise<number> => {
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    isClosing = true;
    const limit = pause(longestMs(options) + TRANSFER_MS, undefined, { ref: false });
    const finished = Promise.race([finish(), limit]).then(() => inFlight.size);
    await Promise.all([plain, ...(secure ? [secure] : [])].map((server) => closeServer(server, finished)));
    return finished;
  };
  if (!options.server) port = await listen(plain, port, host);
  if (secure && tls && !tls.server) {
    tlsPort = await listen(secure, tls.port, host).catch(async (error: unknown) => {
      await closeAll();
      throw error;
    });
  }

  const origin = (scheme: string, at: number) => `${scheme}://${host.includes(":") ? `[${host}]` : host}:${at}`;
  let closed: Promise<number> | undefined;
  return {
    url: origin("http", port),
    port,
    ...(secure && { tls: { url: origin("https", tlsPort), port: tlsPort } }),
    close: () => (closed ??= closeAll()),
  };
}
