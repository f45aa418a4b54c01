/** `npm run test:load`: tests with large amounts of data, and the others that take long. */
import { defineConfig } from "vitest/config";
import { long, shared, third } from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...shared,
    ...third,
    projects: [
      // Measures the memory of the service: no other test may run at the same time in its process.
      { extends: true, test: { name: "load", include: ["tests/load/**/*.test.ts"] } },
      { extends: true, test: { name: "long", include: long, isolate: false } },
    ],
  },
});
