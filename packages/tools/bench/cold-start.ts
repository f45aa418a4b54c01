/** Runs a function in a fresh process, with the flags, variables and memory that Lambda gives it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The processor time of a cold start, user and system, of all threads. */
export interface ColdStart {
  /** Until Node.js runs: Lambda's own part. */
  readonly nodeMs: number;
  /** From there to the loaded function. */
  readonly initMs: number;
  /** The first request. */
  readonly requestMs: number;
}

/** What is started. */
export interface Started {
  readonly bundle: string;
  /** A file with the event in JSON. */
  readonly event: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
}

const run = promisify(execFile);
/** Bytes of the log of one process. */
const OUTPUT_MOST = 1_000_000_000;

/** Credentials as Lambda passes them, by variables. The embedded engine does not check them. */
const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local", AWS_SESSION_TOKEN: "local" };

/** Starts a function. Throws an `Error` where its first request does not succeed. */
export async function coldStart(program: string, started: Started): Promise<ColdStart> {
  const { bundle, event } = started;
  const { cold, result } = await runAsFunction<{ readonly cold: ColdStart; readonly result: string }>(
    [program, bundle, event],
    started,
  );
  checkSuccess(result);
  return cold;
}

/** Runs a program with the flags, variables and memory of a function. Returns the last line of its output, which is JSON. */
export async function runAsFunction<Result>(
  args: readonly string[],
  { environment, memoryMb }: Pick<Started, "environment" | "memoryMb">,
): Promise<Result> {
  const flags = [
    "--expose-gc",
    "--max-http-header-size=81920",
    `--max-semi-space-size=${Math.floor(memoryMb / 20)}`,
    `--max-old-space-size=${Math.floor((memoryMb * 9) / 10)}`,
  ];
  const { stdout } = await run(process.execPath, [...flags, ...args], {
    maxBuffer: OUTPUT_MOST,
    env: {
      PATH: process.env.PATH,
      AWS_REGION: "us-east-1",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      ...credentials,
      ...environment,
    },
  });
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Result;
}

/** Throws an `Error` for the result, in JSON, of a request that did not succeed. */
export function checkSuccess(result: string): void {
  const { statusCode, context } = JSON.parse(result) as {
    readonly statusCode?: number;
    readonly context?: { readonly decision?: string };
  };
  if (statusCode === undefined ? context?.decision !== "allow" : statusCode >= 400) {
    throw new Error(`a request failed: ${result}`);
  }
}
