/**
 * `npm run test:load`: tests with large amounts of data, and the others that take long. `PROTECTING=1` runs those that
 * protect.
 */
import { matchesGlob } from "node:path";
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";
import { long, longAlone, protecting, protectingLoads } from "../long.ts";

const isProtecting = process.env.PROTECTING === "1";

/** The files of a list that this run has. */
const chosen = (files: readonly string[], isAlone: boolean): string[] =>
  isProtecting
    ? protecting.filter((path) => longAlone.some((pattern) => matchesGlob(path, pattern)) === isAlone)
    : [...files];

export default defineConfig({
  test: {
    ...shared,
    projects: [
      // Measures the memory of the service: no other test may run at the same time in its process.
      {
        extends: true,
        test: { name: "load", include: isProtecting ? protectingLoads : ["tests/load/**/*.test.ts"] },
      },
      { extends: true, test: { name: "long", include: chosen(long, false), isolate: false } },
      { extends: true, test: { name: "long, alone", include: chosen(longAlone, true) } },
    ],
  },
});
