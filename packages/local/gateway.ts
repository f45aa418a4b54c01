/**
 * The local stand-in for API Gateway: an HTTP API with payload format 2.0, one Lambda authorizer (simple response, no
 * identity source, no cache) and Lambda functions behind its routes, on `node:http`.
 *
 * Differences from AWS, all of them:
 *
 * - 413 and 431 are answered in the error dialect of the path; AWS answers `{"message": ...}`.
 * - A function must answer with a `statusCode`; AWS would make a 200 of any other JSON. The shape is checked harder too:
 *   `body` must be a string, and status codes below 200 are refused.
 * - All functions live in one process, run at the same time and share its modules; AWS gives each request of a function a
 *   container of its own. After a timeout a function goes on in the background; AWS freezes it. One that never lets go of
 *   the thread cannot be timed out.
 * - No throttling, no access log, no CORS, no stage variables, no WAF, HTTP/1.1 only, and nothing compares the `Host`
 *   header with a domain: `requestContext.domainName` is a setting.
 * - Header bytes are counted without optional white space. Requests that node's parser refuses (a method that it does not
 *   know, both length headers, no `Host`, bytes outside of ASCII in the target) get `400 {"message":"Bad Request"}`; so do `CONNECT`, a target of `*`, a `#` in
 *   the target, a repeated `Host`, and percent escapes in the path that are not UTF-8.
 * - The certificate's `subjectDN` and `issuerDN` follow RFC 4514; the form on AWS is not documented. A refused certificate
 *   always ends the handshake; AWS may answer 403.
 * - Chosen where AWS documents nothing: routes are matched on the decoded path; `/a/` belongs to `/a/{proxy+}` with an
 *   empty `proxy`; a variable does not match an empty segment; a well-formed `X-Amzn-Trace-Id` of the client is kept.
 * - A `Via` header is not added. Account, API id, region and ARNs are placeholders.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { send } from "./gateway/response.ts";
import { answerEarly, ClientGone } from "./gateway/body.ts";
import type { Door } from "./gateway/event.ts";
import { furnish, open, serverOptions, shut } from "./gateway/listen.ts";
import { newTlsServer, type TlsDoor } from "./gateway/mtls.ts";
import { newServe, type ServeOptions } from "./gateway/serve.ts";

export type { LambdaFunction } from "./gateway/invoke.ts";
export type { TlsDoor } from "./gateway/mtls.ts";
export type { GatewayRoute } from "./gateway/routing.ts";

const GRACE_MS = 5_000;

/** What a gateway is made of. */
export interface GatewayOptions extends ServeOptions {
  /** A port, or 0 for any. */
  readonly port: number;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** `requestContext.domainName`; `localhost` by default. */
  readonly domainName?: string;
  /** Opens a second door, with client certificates. */
  readonly tls?: TlsDoor;
}

/** A running gateway. */
export interface Gateway {
  /** The origin, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** The door with client certificates, where there is one. */
  readonly tls?: { readonly url: string; readonly port: number };
  /** Takes no new requests, gives those in flight five seconds, then cuts off what is left. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the gateway; it answers when this resolves.
 * Throws an `Error` with a sentence for people: a port is taken, a route has no function, a certificate is not one.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host = "127.0.0.1", domainName = "localhost", tls } = options;
  const serve = newServe(options);
  const inFlight = new Set<Promise<void>>();
  let isClosing = false;
  const exchange = async (door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { answer, requestId } = await serve(request, response, door);
      answerEarly(request, response);
      if (isClosing) response.shouldKeepAlive = false;
      await send(response, answer, requestId);
    } catch (error) {
      if (!(error instanceof ClientGone)) throw error;
    }
  };
  const furnished = <S extends Server>(server: S, door: () => Door): S => {
    furnish(server, (request, response) => {
      const done = exchange(door(), request, response).finally(() => inFlight.delete(done));
      inFlight.add(done);
    });
    return server;
  };

  let port = options.port;
  let tlsPort = tls?.port ?? 0;
  const plain = furnished(createServer(serverOptions), () => ({ scheme: "http", port, domainName }));
  const secure =
    tls &&
    furnished(newTlsServer(tls, serverOptions), () => ({
      scheme: "https",
      port: tlsPort,
      domainName: tls.domainName ?? domainName,
    }));

  const shutAll = async (): Promise<void> => {
    isClosing = true;
    const finished = Promise.race([Promise.allSettled(inFlight), pause(GRACE_MS, undefined, { ref: false })]);
    await Promise.all([plain, ...(secure ? [secure] : [])].map((server) => shut(server, finished)));
  };
  port = await open(plain, options.port, host);
  if (secure && tls) {
    tlsPort = await open(secure, tls.port, host).catch(async (error: unknown) => {
      await shutAll();
      throw error;
    });
  }

  const origin = (scheme: string, at: number) => `${scheme}://${host.includes(":") ? `[${host}]` : host}:${at}`;
  let closed: Promise<void> | undefined;
  return {
    url: origin("http", port),
    port,
    ...(secure && { tls: { url: origin("https", tlsPort), port: tlsPort } }),
    close: () => (closed ??= shutAll()),
  };
}
