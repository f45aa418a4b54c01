/** Responses: those of functions, validated, and those of the gateway itself. */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import type { Context } from "aws-lambda";
import * as z from "zod";
import { renderFault } from "#core/http/dialects.ts";
import { elapsed } from "#core/kernel/clock.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newTraceId } from "#core/kernel/ids.ts";
import { splitTenant } from "#core/kernel/operation/match.ts";
import { familyOf } from "#core/kernel/operation/services.ts";
import type { Answered } from "../log.ts";
import { LOCAL_ACCOUNT } from "./event.ts";

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
  return refusal(new Fault(fault, description), path);
}

/** The response to a request for another name, in the error format of the path. Nothing else of it was read. */
export function misdirected(path: string): GatewayResponse {
  const description =
    "The Host header names no name of this service. Use http://127.0.0.1 or http://localhost with its port, or start " +
    "it with the name in ALLOWED_HOSTS.";
  return refusal(new Fault("request.misdirected", description), path);
}

function refusal(problem: Fault, path: string): GatewayResponse {
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

/** The path without parameters, and the name in a Basic credential. */
export function answeredOf(
  { method = "", url = "", headers }: IncomingMessage,
  answer: GatewayResponse,
  durationMs: number,
): Answered {
  const traceId = answer.headers["x-correlation-id"];
  const [, basic] = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "") ?? [];
  const user = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8").split(":")[0];
  return {
    traceId: typeof traceId === "string" ? traceId : undefined,
    method,
    path: url.split("?")[0] ?? "",
    status: answer.status,
    durationMs,
    user,
  };
}

/** The limit of Lambda for the event of a synchronous call: bytes of JSON. */
export const REQUEST_PAYLOAD_BYTES_MAX = 6_291_456;
/** The limit of Lambda for a result: bytes of JSON. */
const RESULT_PAYLOAD_BYTES_MAX = 6_291_556;

const MEMORY_MB = "1024";

/** A Lambda function. */
export type LambdaFunction = (event: never, context: Context) => unknown;

/** A function with its name and timeout. */
export interface Deployed {
  readonly name: string;
  readonly handler: LambdaFunction;
  readonly timeoutMs: number;
}

/** A function exceeded its timeout. */
export class FunctionTimeout extends Error {}

/**
 * Invokes a function with an event in JSON, and returns a copy of its result made through JSON. `undefined` becomes
 * `null`, as in Lambda. Throws the errors of the function, `FunctionTimeout`, a `TypeError` for a result that JSON
 * cannot hold, and a `RangeError` for a result over `RESULT_PAYLOAD_BYTES_MAX`.
 */
export async function invoke(deployed: Deployed, event: string): Promise<unknown> {
  const { name, handler, timeoutMs } = deployed;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FunctionTimeout(`${name} took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const call = async (): Promise<unknown> => handler(JSON.parse(event) as never, contextOf(deployed));
    const result = JSON.stringify((await Promise.race([call(), tooLate])) ?? null);
    if (Buffer.byteLength(result) > RESULT_PAYLOAD_BYTES_MAX)
      throw new RangeError(`the result of ${name} is larger than 6 MB`);
    return JSON.parse(result);
  } finally {
    clearTimeout(timer);
  }
}

function contextOf({ name, timeoutMs }: Deployed): Context {
  const startedMs = elapsed();
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:us-east-1:${LOCAL_ACCOUNT}:function:${name}`,
    memoryLimitInMB: MEMORY_MB,
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: "local",
    getRemainingTimeInMillis: () => Math.max(0, Math.round(timeoutMs - (elapsed() - startedMs))),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}

function unsupported(): never {
  throw new Error("the Node.js 24 runtime has no callbacks: return a promise");
}
