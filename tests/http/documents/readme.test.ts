/** The commands of README.md, pasted into the shells of this machine. */
import { describe, expect, test } from "vitest";
import { blocksOf, has, pasted, type Shell } from "#tests/support/pasted.ts";
import { world } from "#tests/support/world.ts";

const blocks = blocksOf("README.md");
const isMissing = (shell: Shell): boolean => !(has("curl") && has(shell));

test("it installs and starts, asks once, tests, and has a first request", () => {
  expect(blocks.slice(0, 2)).toEqual([
    "npm ci && npm start\n",
    "curl -u admin:admin 'http://127.0.0.1:3000/scim2/Users?attributes=userName'\n",
  ]);
  expect(blocks).toContain("npm ci && npm test\n");
  expect(blocks.filter((block) => block.startsWith("api=http://127.0.0.1:3000\n"))).toHaveLength(1);
});

describe.each<Shell>(["sh", "bash", "zsh"])("%s", (shell) => {
  const api = world();
  test.skipIf(isMissing(shell))(`shows what README.md says (skipped without curl and ${shell})`, async () => {
    const [, look = ""] = blocks;
    const first = blocks.find((block) => block.startsWith("api=")) ?? "";
    const given = [look, first].map((block) => block.replaceAll("http://127.0.0.1:3000", api.url));
    // The progress of curl, which it shows in a terminal only.
    const [looked = "", requested = ""] = await pasted(shell, [
      given[0]?.replace("curl ", "curl -s ") ?? "",
      given[1] ?? "",
    ]);
    expect(looked).toContain('"totalResults":1,');
    expect(looked).toContain('"userName":"admin"');
    // The user by her role, and the application by its token, see both users.
    expect(requested.match(/"totalResults":2,/g)).toHaveLength(2);
    expect(requested.match(/"userName":"kim"/g)).toHaveLength(2);
  });
});

test.skipIf(!has("zsh"))("what zsh does not take as it is meant is noticed (skipped without zsh)", async () => {
  expect(await pasted("zsh", ["echo 'a?b'\n", "echo c\n"])).toEqual(["a?b", "c"]);
  for (const wrong of ["# a comment\n", "echo a?b\n", "unknown-command\n"]) {
    await expect(pasted("zsh", [wrong])).rejects.toThrow(/^zsh ended with /);
  }
});
