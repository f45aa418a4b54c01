/** Responses: those of functions, validated, and those of the gateway itself. */
import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import * as z from "zod";
import { renderFault } from "#core/http/dialects.ts";
import { splitTenant } from "#core/operation/match.ts";
import { familyOf } from "#core/operation/services.ts";
import { Fault } from "#core/platform/faults.ts";
import { newTraceId } from "#core/platform/ids.ts";

/** A response that is ready to send. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const FunctionResponse = z.object({
  statusCode: z
    .union([z.number(), z.string().regex(/^\d{3}$/)])
    .transform(Number)
    .pipe(z.int().min(200).max(599)),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Headers about framing and connections. The gateway sets them, and drops those of functions. */
const framing = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);

/** A response of the gateway itself, in the fixed format of API Gateway. */
export function gatewayResponse(status: number, message: string): GatewayResponse {
  return json(status, "application/json", { message });
}

/** The response to a request that is too large, in the error format of the path. */
export function tooLarge(fault: "request.too_large" | "request.headers_too_large", path: string): GatewayResponse {
  const description =
    fault === "request.too_large"
      ? "The body is too large. The limit is 6 MB of text, or 4.5 MB of any other content type."
      : "The request line and headers are too large. The limit is 10240 bytes in total.";
  const problem = new Fault(fault, description);
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
 * Validates the result of a function. Throws a `ZodError` for a missing `statusCode` or another shape, and a
 * `TypeError` for a header that HTTP cannot carry.
 */
export function functionResponse(given: unknown): GatewayResponse {
  const { statusCode, headers, cookies, body, isBase64Encoded } = FunctionResponse.parse(given);
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

/** Sends a response; without its body for HEAD. Resolves when it is sent or the client has disconnected. */
export function send(response: ServerResponse, answer: GatewayResponse, requestId: string | undefined): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (requestId !== undefined) response.setHeader("apigw-requestid", requestId);
  if (!hasNoBody(answer.status)) response.setHeader("content-length", answer.body.length);
  response.statusCode = answer.status;
  return new Promise((sent) => {
    // The client disconnected while the function ran: no event follows any more.
    if (response.destroyed) return sent();
    response.once("finish", sent).once("close", sent);
    response.end(hasNoBody(answer.status) || response.req.method === "HEAD" ? undefined : answer.body);
  });
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

function json(
  status: number,
  contentType: string,
  body: unknown,
  headers: GatewayResponse["headers"] = {},
): GatewayResponse {
  return {
    status,
    headers: { "content-type": contentType, ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
