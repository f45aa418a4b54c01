/**
 * `npm run test:load`: tests with large amounts of data, and the others that take long. With `SWEEPS=none`, as in
 * `.ci/run`, it leaves out those that try every operation or every request in turn.
 */
import { defineConfig } from "vitest/config";
import { long, shared } from "../../vitest.config.ts";

/** More than half of the time of all files; each repeats for everything what other tests show for some. */
const sweeps = [
  "tests/load/{smoke,work-operations}.test.ts",
  "tests/http/access/gains-by-file.test.ts",
  "tests/unit/identities/killed.test.ts",
];
const exclude = process.env.SWEEPS === "none" ? sweeps : [];

export default defineConfig({
  test: {
    ...shared,
    projects: [
      // Measures the memory of the service: no other test may run at the same time in its process.
      { extends: true, test: { name: "load", include: ["tests/load/**/*.test.ts"], exclude } },
      { extends: true, test: { name: "long", include: long, exclude, isolate: false } },
    ],
  },
});
