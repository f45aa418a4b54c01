/**
 * `npm run test:faults`: the service behind a database that throttles, cancels, cuts, delays and loses responses, and the
 * service and its engine killed. The seeds come from `SEED` and `SEEDS` (seeds.ts).
 */
import { defineConfig } from "vitest/config";
import { setupFile, shared } from "../../vitest.config.ts";

/** Their requests must be answered within a time: nothing else runs then. */
const timed = ["pages", "shutdown", "silent-database", "silent-seeds"].map((name) => `tests/faults/${name}.test.ts`);

export default defineConfig({
  test: {
    ...shared,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxConcurrency: 2,
    // A failing run prints its seed and history by itself.
    setupFiles: setupFile("light-hashes"),
    projects: [
      {
        extends: true,
        test: { name: "timed", include: timed, fileParallelism: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: "faults", include: ["tests/faults/**/*.test.ts"], exclude: timed, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
