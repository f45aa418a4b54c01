/**
 * `npm run test:faults`: the service behind a database that throttles, cancels, cuts, delays and loses responses, and the
 * service and its engine killed. The seeds come from `SEED` and `SEEDS` (seeds.ts).
 */
import { defineConfig } from "vitest/config";
import { shard, shared } from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...shared,
    ...shard,
    include: ["tests/faults/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // Some files measure the time of responses.
    fileParallelism: false,
    maxConcurrency: 2,
    // A failing run prints its seed and history by itself.
    setupFiles: [],
  },
});
