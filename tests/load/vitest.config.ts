/** `npm run test:load`: slow tests with large amounts of data. */
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";

export default defineConfig({ test: { ...shared, include: ["tests/load/**/*.test.ts"] } });
