/** Reads the body of a request up to the limit of the gateway. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Bytes of a body that the gateway accepts. */
export const BODY_BYTES_MAX = 10_485_760;

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
