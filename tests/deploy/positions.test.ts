/** `npm run positions`: a stack of a deployed bundle names the files of this project. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUNDLE, bundleFunction } from "#tools/deploy/bundle.ts";
import { withSourcePositions } from "#tools/positions.ts";
import { bundling } from "../../stacks/bundling.ts";

/** A sentence of packages/core/sign-in/oauth/grants.ts, which only that file contains. */
const SENTENCE = "it cannot use the grant client_credentials";

test("finds the source of a position in a bundle that was built without source maps", async () => {
  const directory = await mkdtemp(join(tmpdir(), "deployed-"));
  try {
    expect(await bundleFunction("oauth2", directory, bundling)).toEqual([]);
    const lines = (await readFile(join(directory, BUNDLE), "utf8")).split("\n");
    const line = lines.findIndex((each) => each.includes(SENTENCE));
    const column = lines[line]?.indexOf(SENTENCE) ?? -1;
    expect(column).toBeGreaterThan(0);
    const stack = `Error: x\n    at a (file:///var/task/${BUNDLE}:${line + 1}:${column})\n    at b (node:internal/x:1:2)`;
    const rewritten = await withSourcePositions("oauth2", stack);
    expect(rewritten).toMatch(
      /at a \(packages\/core\/sign-in\/oauth\/grants\.ts:\d+:\d+\)\n {4}at b \(node:internal\/x:1:2\)$/,
    );
    const [, at] = /grants\.ts:(\d+):/.exec(rewritten) ?? [];
    const source = await readFile(new URL("../../packages/core/sign-in/oauth/grants.ts", import.meta.url), "utf8");
    expect(source.split("\n")[Number(at) - 1]).toContain(SENTENCE);
  } finally {
    await rm(directory, { recursive: true });
  }
});
