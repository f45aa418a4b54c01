/** The head of a request: its size, and its target parsed as API Gateway parses it. */
import type { IncomingMessage } from "node:http";

/** The limit of HTTP APIs for the request line and headers, in bytes. */
export const HEAD_BYTES_MAX = 10_240;

/** A request target. */
export interface Target {
  /** Percent-decoded once, and cut at a question mark that the decoding yields. Begins with a slash. */
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
    const [path = "/"] = decodeURIComponent(rawPath).split("?", 1);
    return { path, rawQuery: at < 0 ? "" : origin.slice(at + 1) };
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
