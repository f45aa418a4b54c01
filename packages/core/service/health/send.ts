/** One HTTP request on a connection of its own, as a client program makes its first one. */
import { request as plainRequest } from "node:http";
import { type RequestOptions, request as tlsRequest } from "node:https";

/** Bytes of a response that are read: those of the check have a few hundred. */
const BYTES_MAX = 100_000;

/** A request. */
export interface Sent {
  readonly method: "GET" | "PATCH" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response. */
export interface Received {
  readonly status: number;
  /** The correlation id; `undefined` where the response has none. */
  readonly traceId: string | undefined;
  readonly text: string;
}

/**
 * Sends a request and reads its response, without following redirects. Throws the error of the network, an
 * `AbortError` when `signal` ends it, and an `Error` for a response that is too long. A container is frozen between
 * checks, and connections die meanwhile: so none is kept.
 */
export function send({ method, url, headers, body = "" }: Sent, signal: AbortSignal): Promise<Received> {
  const request = url.startsWith("https:") ? tlsRequest : plainRequest;
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const options: RequestOptions = { method, headers: { ...headers, ...length }, signal, agent: false };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > BYTES_MAX) incoming.destroy(new Error("the response is too long"));
      });
      incoming.once("error", reject);
      incoming.once("end", () => {
        const traceId = incoming.headers["x-correlation-id"];
        resolve({
          status: incoming.statusCode ?? 0,
          traceId: typeof traceId === "string" ? traceId : undefined,
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
