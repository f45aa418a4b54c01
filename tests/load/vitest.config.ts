/** `npm run test:load`: what must hold with many things at once, and takes its time. */
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";

export default defineConfig({ test: { ...shared, include: ["tests/load/**/*.test.ts"] } });
