/**
 * Which scripts in browsers may read a response (CORS; Fetch standard, section 3.3). Credentials of the browser are
 * never part of it: cookies are for pages alone, and a token is sent by the script that has it.
 */
import type { Matcher } from "../kernel/operation/match.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import type { HttpRequest } from "./request.ts";

type Headers = Readonly<Record<string, string>>;

/** Headers of requests that scripts may send. */
const SENT = "authorization, content-type, dpop, x-correlation-id";
/** Headers of responses that scripts may read, besides those of every response. */
const SHOWN = "dpop-nonce, retry-after, www-authenticate, x-correlation-id";
/** The longest time for which browsers remember an answer. */
const REMEMBERED_SECONDS = 7_200;

/**
 * The headers of the answer to a preflight request; `undefined` for any other request, and for an operation that is not
 * for scripts. It names no origin: the body of the request, which may name the client, is not there yet. So a script
 * of any origin may send the request, as any program can, and the response says who may read it.
 */
export function preflightHeaders(
  { method, path, headers }: HttpRequest,
  match: Matcher,
  operations: Readonly<Record<string, Operation>>,
): Headers | undefined {
  const wanted = headers["access-control-request-method"];
  if (method !== "OPTIONS" || headers.origin === undefined || wanted === undefined) return undefined;
  const found = match(wanted, path);
  if (found.kind !== "operation" || operations[found.id]?.scripts === undefined) return undefined;
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": wanted,
    "access-control-allow-headers": SENT,
    "access-control-max-age": String(REMEMBERED_SECONDS),
    // Any cache: the answer is the same for every origin.
    vary: "access-control-request-method",
  };
}

/** The headers that say who may read a response. `origins`: those of the client that the request is of. */
export function scriptHeaders(
  declared: Pick<Operation, "scripts"> | undefined,
  { headers }: Pick<HttpRequest, "headers">,
  origins: readonly string[],
): Headers {
  const { origin } = headers;
  if (declared?.scripts === "any") return { "access-control-allow-origin": "*" };
  if (declared?.scripts !== "client") return {};
  const isOwn = origin !== undefined && origins.includes(origin);
  return {
    vary: "origin",
    ...(isOwn && { "access-control-allow-origin": origin, "access-control-expose-headers": SHOWN }),
  };
}
