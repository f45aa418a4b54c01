/** `npx vitest` on another Node than the project's. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const config = new URL("../../../vitest.config.ts", import.meta.url).href;
const loadedBy = (version: string) =>
  spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
      await import("${config}");`,
    ],
    { encoding: "utf8" },
  );

test("is refused with the command to use before Node 24", () => {
  const { status, stderr } = loadedBy("20.20.2");
  expect([status, stderr]).toEqual([
    1,
    "Run `npm test`: it uses the Node version of this project (node_modules/node).\n",
  ]);
});
test("is accepted from Node 24 on", () => {
  const { status, stderr } = loadedBy("24.0.0");
  expect([status, stderr]).toEqual([0, ""]);
});
