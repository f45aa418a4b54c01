/** Invokes a function as Lambda does: with a copy of the event, a context with the remaining time, and a timeout. */
import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";
import { elapsed } from "#core/platform/clock.ts";
import { LOCAL_ACCOUNT } from "./event.ts";

/** The limit of Lambda for the event of a synchronous call: bytes of JSON. */
export const REQUEST_PAYLOAD_BYTES_MAX = 6_291_456;
/** The limit of Lambda for a result: bytes of JSON. */
export const RESULT_PAYLOAD_BYTES_MAX = 6_291_556;

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
