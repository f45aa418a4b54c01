/** What both doors share: node's server settings, what happens to requests that node cannot read, opening and closing. */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Answer, gatewayAnswer, tooLarge } from "./response.ts";

/** Above node's own limit there is no request to answer in the dialect of its path for sure; so it is far up. */
const NODE_HEAD_BYTES_MAX = 1_048_576;
const KEEP_ALIVE_MS = 75_000;
const LINGER_MS = 2_000;

/** Settings of a door's server. */
export const serverOptions: ServerOptions = { maxHeaderSize: NODE_HEAD_BYTES_MAX, keepAliveTimeout: KEEP_ALIVE_MS };

/** Connections that have their last answer: node reports each further piece of the same request as an error again. */
const answered = new WeakSet<Duplex>();

/** Prepares a door's server for requests of every kind. */
export function furnish(server: Server, handle: (request: IncomingMessage, response: ServerResponse) => void): void {
  // Node drops headers past the 2000th without a word; the limit in bytes is what counts.
  server.maxHeadersCount = 0;
  server.on("request", handle);
  server.on("checkContinue", handle);
  server.on("checkExpectation", handle);
  server.on("clientError", onUnreadable);
  server.on("connect", (_: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined);
    write(socket, gatewayAnswer(400, "Bad Request"), "Bad Request");
  });
}

function onUnreadable(error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void {
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
  write(socket, gatewayAnswer(400, "Bad Request"), "Bad Request");
}

function write(socket: Duplex, { status, headers, body }: Answer, reason: string): void {
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
  // What the client is still sending is thrown away for a moment, so that it reads the answer before the connection ends.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Opens a door and answers its port. Throws an `Error` with a sentence for people when it cannot. */
export function open(server: Server, port: number, host: string): Promise<number> {
  return new Promise((opened, failed) => {
    server.once("error", (cause: Error & { code?: string }) => {
      const reason =
        cause.code === "EADDRINUSE" ? "is in use by another program" : `cannot be opened: ${cause.message}`;
      failed(new Error(`Port ${port} of ${host} ${reason}.`, { cause }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      opened(typeof address === "object" && address ? address.port : port);
    });
  });
}

/** Closes a door. What is still connected is cut off once `finished` resolves. */
export async function shut(server: Server, finished: Promise<unknown>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((done) => server.close(done));
  await finished;
  server.closeAllConnections();
  await closed;
}
