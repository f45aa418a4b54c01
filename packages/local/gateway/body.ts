/** Reads a request's body to the gateway's limit, and lets an answer through when there is more. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Bytes of a body that the gateway accepts. */
export const BODY_BYTES_MAX = 10_485_760;

const DRAIN_MS = 10_000;

/** Thrown when the client went away before its body was complete. */
export class ClientGone extends Error {}

/**
 * The body, or `undefined` for one over the limit, whose rest is not kept. A client that waits for `100 Continue` is told
 * to go on only if the length it declares is acceptable. Throws `ClientGone`.
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
    request.once("error", (cause) => reject(new ClientGone("the body broke off", { cause })));
    request.once("close", () => reject(new ClientGone("the body broke off")));
  });
}

/**
 * Prepares for an answer to a request that was not read to its end. What the client still sends is thrown away for some
 * seconds: closing at once would make the network reset the connection and lose the answer.
 */
export function answerEarly(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  // A client that still waits for its 100 will not send the body, so the connection cannot be used again.
  if (request.headers.expect !== undefined && request.readableFlowing === null) response.shouldKeepAlive = false;
  request.on("error", () => undefined).resume();
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, DRAIN_MS);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}
