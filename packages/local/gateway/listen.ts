/** Shared by both listeners: options of the node server, requests that node cannot parse, opening and closing. */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type GatewayResponse, gatewayResponse, tooLarge } from "./response.ts";

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
