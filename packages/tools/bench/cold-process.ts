/**
 * One cold start, in a process of its own: loads a bundle as the Lambda runtime does, calls its handler once, and
 * prints the processor time as its last line. It is bundled, so that Node.js strips no types in the measured process.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { ColdStart } from "./cold-start.ts";

const [bundle = "", eventFile = ""] = process.argv.slice(2);
const event: unknown = JSON.parse(readFileSync(eventFile, "utf8"));
const context = {
  functionName: "cold",
  functionVersion: "1",
  awsRequestId: "00000000-0000-4000-8000-000000000000",
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  getRemainingTimeInMillis: () => 9_000,
};

const started = process.cpuUsage();
const { handler } = (await import(pathToFileURL(bundle).href)) as {
  handler(event: unknown, context: unknown): Promise<unknown>;
};
const loaded = process.cpuUsage();
const result = JSON.stringify(await handler(event, context));
const served = process.cpuUsage();

const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
const cold: ColdStart = { nodeMs: ms(started), initMs: ms(loaded) - ms(started), requestMs: ms(served) - ms(loaded) };
// Some clients keep connections: the process does not wait for them.
process.stdout.write(`${JSON.stringify({ cold, result })}\n`, () => process.exit());
