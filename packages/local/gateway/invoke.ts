/** Calls a function as Lambda does: a copy of the event, a context that counts down, an end after the timeout. */
import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";
import { elapsed } from "#core/platform/clock.ts";
import { LOCAL_ACCOUNT } from "./event.ts";

/** Bytes of an event as JSON that Lambda takes in a synchronous call. */
export const REQUEST_PAYLOAD_BYTES_MAX = 6_291_456;
/** Bytes of an answer as JSON that Lambda gives back. */
export const ANSWER_PAYLOAD_BYTES_MAX = 6_291_556;

const MEMORY_MB = "1024";

/** A Lambda function. Its event is of the kind that the gateway sends it; nothing here knows more. */
export type LambdaFunction = (event: never, context: Context) => unknown;

/** A function with what Lambda knows of it. */
export interface Deployed {
  readonly name: string;
  readonly handler: LambdaFunction;
  readonly timeoutMs: number;
}

/** Thrown when a function takes longer than its timeout. */
export class FunctionTimeout extends Error {}

/**
 * Calls a function with an event written as JSON, and answers what came back after the same detour, so that neither side
 * can reach into the other's objects. `undefined` comes back as `null`, as it does from Lambda.
 * Throws what the function throws, a `FunctionTimeout`, a `TypeError` for what JSON cannot hold, and a `RangeError` for
 * an answer past `ANSWER_PAYLOAD_BYTES_MAX`.
 */
export async function invoke(deployed: Deployed, event: string): Promise<unknown> {
  const { name, handler, timeoutMs } = deployed;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FunctionTimeout(`${name} took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const call = async (): Promise<unknown> => handler(JSON.parse(event) as never, contextOf(deployed));
    const answer = JSON.stringify((await Promise.race([call(), tooLate])) ?? null);
    if (Buffer.byteLength(answer) > ANSWER_PAYLOAD_BYTES_MAX) throw new RangeError(`${name} answers more than 6 MB`);
    return JSON.parse(answer);
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
  throw new Error("the Node.js 24 runtime has no callbacks: answer with a promise");
}
