/** The first request of README.md, run by the shell and curl of this machine. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { world } from "#tests/support/world.ts";

const api = world();
const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the first request works as described (skipped without curl)", async () => {
  const [, script = ""] = /^## A first request$[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  expect(script).toContain("api=http://127.0.0.1:3000\n");
  const child = spawn("sh", ["-eu", "-c", script.replace("http://127.0.0.1:3000", api.url)]);
  let [said, wrong] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    wrong += text;
  });
  const [code] = await once(child, "close");
  expect([code, wrong]).toEqual([0, ""]);
  // The user by her role, and the application by its token, see both users.
  expect(said.match(/"totalResults":2,/g)).toHaveLength(2);
  expect(said.match(/"userName":"kim"/g)).toHaveLength(2);
});
