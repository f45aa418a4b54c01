/**
 * Sends messages to receivers that callers name, by the rules of public-fetch.ts: https, public addresses, no
 * redirects. Connections are used again by the messages that follow.
 */
import { type AgentOptions, type IncomingMessage, Agent as PlainAgent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { type Clock, systemClock } from "./clock.ts";
import { checkPublic, type Exempt, FetchRefused, requestPublic } from "./public-fetch.ts";

/** A receiver answers within this time, with its whole response. */
export const POST_MS = 10_000;
/** Bytes of a response that are read. */
const BYTES_MAX = 16_384;
const SECOND_MS = 1_000;

/** The response of a receiver. */
export interface Posted {
  readonly status: number;
  /** How long the receiver asks to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
  /** The start of the body, at most 16 KiB; empty for a 2xx. */
  readonly text: string;
}

/** What is sent. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Idle connections end before most receivers close them. */
const pool: AgentOptions = { keepAlive: true, timeout: 4_000, maxFreeSockets: 16 };
const agents = { "http:": new PlainAgent(pool), "https:": new TlsAgent(pool) };

/**
 * Sends a POST and returns the response, whatever its status. Throws `FetchRefused` for a URL that must not be called
 * and for a receiver that does not respond within 10 seconds; the message is for the owner of the receiver, and
 * contains neither the URL nor a secret.
 */
export async function postPublic(posting: Posting, exempt: Exempt, clock: Clock = systemClock): Promise<Posted> {
  const url = checkPublic(posting.url, exempt);
  const signal = AbortSignal.timeout(POST_MS);
  try {
    return await posted(url, posting, exempt, { agent: agents[url.protocol as keyof typeof agents], signal }, clock);
  } catch (error) {
    // The receiver closed a connection at the moment when it was used again: no response was lost.
    if (error instanceof ClosedMeanwhile) return posted(url, posting, exempt, { agent: false, signal }, clock);
    throw error;
  }
}

/** A connection of the pool, or for `false` one of its own. */
interface Connection {
  readonly agent: PlainAgent | false;
  readonly signal: AbortSignal;
}

class ClosedMeanwhile extends FetchRefused {}

function posted(url: URL, { headers, body }: Posting, exempt: Exempt, connection: Connection, clock: Clock) {
  const { signal } = connection;
  return new Promise<Posted>((done, failed) => {
    const length = { "content-length": Buffer.byteLength(body) };
    const options = { ...connection, method: "POST", headers: { ...headers, ...length } };
    const receive = (response: IncomingMessage) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const status = response.statusCode ?? 0;
      const end = () =>
        done({
          status,
          ...retryAfterOf(response, clock.now()),
          text: Buffer.concat(parts).subarray(0, BYTES_MAX).toString("utf8"),
        });
      // The receiver has accepted the message, whatever becomes of the rest of the response.
      if (status >= 200 && status <= 299) end();
      response.on("data", (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes <= BYTES_MAX) return;
        end();
        response.destroy();
      });
      response.on("end", end);
      response.on("error", fail);
    };
    const fail = (error: Error & { readonly code?: string }) => {
      const isClosed = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE") && !signal.aborted;
      failed(isClosed ? new ClosedMeanwhile("The connection was closed.") : refusalOf(error, signal));
    };
    const sent = requestPublic(url, exempt, options, { receive, fail });
    sent.end(body);
  });
}

function refusalOf(error: Error & { readonly code?: string }, signal: AbortSignal): FetchRefused {
  if (error instanceof FetchRefused) return error;
  if (signal.aborted) return new FetchRefused("The receiver did not respond within 10 seconds.", { cause: error });
  const code = error.code === undefined ? "" : ` (${error.code})`;
  return new FetchRefused(`The connection to the receiver failed${code}.`, { cause: error });
}

/** RFC 9110 section 10.2.3: seconds, or a time. */
function retryAfterOf(response: IncomingMessage, nowMs: number): Pick<Posted, "retryAfterMs"> {
  const text = response.headers["retry-after"]?.trim();
  if (!text) return {};
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
}
