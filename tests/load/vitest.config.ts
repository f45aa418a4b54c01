/** `npm run test:load`: tests with large amounts of data, and the others that take long. */
import { defineConfig } from "vitest/config";
import { shard, shared } from "../../vitest.config.ts";
import { long } from "../long.ts";

/** More than half of the time of all files. A shard (`SHARD`) leaves them out. */
const longest = [
  "tests/durability/processes.test.ts",
  "tests/http/command-line/commands.test.ts",
  "tests/http/tenant-folder/{differences,round-trip}.test.ts",
  "tests/load/{applications,smoke,work-operations}.test.ts",
  "tests/unit/identities/killed.test.ts",
];
const exclude = process.env.SHARD ? longest : [];

export default defineConfig({
  test: {
    ...shared,
    ...shard,
    projects: [
      // Measures the memory of the service: no other test may run at the same time in its process.
      { extends: true, test: { name: "load", include: ["tests/load/**/*.test.ts"], exclude } },
      { extends: true, test: { name: "long", include: long, exclude, isolate: false } },
    ],
  },
});
