/** What goes back to the client: the function's answer checked, or the gateway's own. */
import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod";
import { renderFault } from "#core/http/dialects.ts";
import { splitTenant } from "#core/operation/match.ts";
import { familyOf } from "#core/operation/services.ts";
import { Fault } from "#core/platform/faults.ts";
import { newTraceId } from "#core/platform/ids.ts";

/** An answer ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const FunctionAnswer = z.object({
  statusCode: z
    .union([z.number(), z.string().regex(/^\d{3}$/)])
    .transform(Number)
    .pipe(z.int().min(200).max(599)),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** The gateway decides on framing and connections alone; what a function says about them is dropped. */
const framing = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);

/** An answer of the gateway itself, in the shape that API Gateway has and nobody can change. */
export function gatewayAnswer(status: number, message: string): Answer {
  return json(status, "application/json", { message });
}

/** A refusal by size, in the error dialect of the path. */
export function tooLarge(fault: "request.too_large" | "request.headers_too_large", path: string): Answer {
  const sentence =
    fault === "request.too_large"
      ? "The body is too large: at most 6 MB as text, or 4.5 MB of any other content type, are read."
      : "Request line and headers are too large: together they may have 10240 bytes.";
  const problem = new Fault(fault, sentence);
  const traceId = newTraceId();
  const dialect = familyOf(splitTenant(path).path)?.dialect ?? "management";
  const { contentType, body } = renderFault(dialect, problem, traceId);
  return json(problem.row.status, contentType, body, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-correlation-id": traceId,
  });
}

/**
 * Checks a function's answer. Throws a `ZodError` for one without `statusCode` or in another shape, and node's `TypeError`
 * for a header that HTTP cannot carry.
 */
export function functionAnswer(given: unknown): Answer {
  const { statusCode, headers, cookies, body, isBase64Encoded } = FunctionAnswer.parse(given);
  const kept = Object.entries(headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !framing.has(name));
  for (const [name, value] of [...kept, ...(cookies ?? []).map((cookie) => ["set-cookie", cookie] as const)]) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return {
    status: statusCode,
    headers: {
      ...(body && { "content-type": "text/plain;charset=UTF-8" }),
      ...Object.fromEntries(kept),
      ...(cookies && cookies.length > 0 && { "set-cookie": cookies }),
    },
    body: Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8"),
  };
}

/**
 * Sends an answer; a HEAD request gets the headers alone. Resolves when the answer has left, or the client has.
 */
export function send(response: ServerResponse, answer: Answer, requestId: string | undefined): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (requestId !== undefined) response.setHeader("apigw-requestid", requestId);
  if (!hasNoBody(answer.status)) response.setHeader("content-length", answer.body.length);
  response.statusCode = answer.status;
  return new Promise((sent) => {
    response.once("finish", sent).once("close", sent);
    response.end(hasNoBody(answer.status) || response.req.method === "HEAD" ? undefined : answer.body);
  });
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

function json(status: number, contentType: string, body: unknown, headers: Answer["headers"] = {}): Answer {
  return {
    status,
    headers: { "content-type": contentType, ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
