/** The head of a request as it arrived: its size, and its target taken apart as API Gateway takes it apart. */
import type { IncomingMessage } from "node:http";

/** Bytes of request line and headers that the gateway accepts (quota of HTTP APIs). */
export const HEAD_BYTES_MAX = 10_240;

/** A request target. */
export interface Target {
  /** Percent-decoded once and cut at a question mark that appears by that. Begins with a slash. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly rawQuery: string;
}

/**
 * The bytes of request line and headers: names, values, and the four bytes around them. Node has removed optional white
 * space by now, so a padded header counts for less here.
 */
export function headBytes(request: Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "httpVersion">): number {
  const line = `${request.method ?? ""} ${request.url ?? ""} HTTP/${request.httpVersion}\r\n`;
  const pairs = request.rawHeaders.length / 2;
  return line.length + request.rawHeaders.reduce((sum, text) => sum + text.length, 0) + 4 * pairs;
}

/** Reads the target of a request line. Answers `undefined` for escapes that are not UTF-8, a fragment, or no path at all. */
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

/** Takes the scheme and authority off an absolute target: neither decides anything here. */
function originForm(url: string): string {
  const [, rest] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
