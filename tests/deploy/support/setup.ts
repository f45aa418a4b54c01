/** Evaluates every stage that the tests use, and provides the results to them. */
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { evaluate } from "./evaluate.ts";
import { production } from "./settings.ts";

export const setup = async ({ provide }: TestProject): Promise<void> => {
  const environment = await production();
  provide("stages", {
    production: await evaluate({ stage: "production", environment }),
    staging: await evaluate({ stage: "staging" }),
    dana: await evaluate({ stage: "dana" }),
    "dana, live": await evaluate({ stage: "dana", isLive: true }),
  });
  await rm(dirname(environment.TRUSTSTORE_FILE), { recursive: true });
};
