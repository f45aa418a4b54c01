/**
 * Everything that a stage is made of, held against the lists beside this file. A list is brought up to date with
 * `npx vitest run --config tests/deploy/vitest.config.ts --update`, and read before it is committed.
 */
import { describe, expect, test } from "vitest";
import { deploymentOf, type StageName } from "./support/stages.ts";

/** How many files a bundle has depends on its packages; that its maps lie outside does not. */
const withoutCount = (name: string): string => name.replace(/Sourcemap\d+$/, "Sourcemap (several)");

const inventoryOf = (stage: StageName): string => {
  const lines = deploymentOf(stage).resources.map(({ type, name, isProtected, isRetained }) =>
    [type, withoutCount(name), ...(isProtected ? ["protected"] : []), ...(isRetained ? ["retained"] : [])].join("  "),
  );
  return `${[...new Set(lines)].sort().join("\n")}\n`;
};

describe("the inventory", () => {
  test.each<StageName>(["production", "staging", "dana", "dana, live"])("of %s", async (stage) => {
    await expect(inventoryOf(stage)).toMatchFileSnapshot(`./inventory/${stage.replace(", ", "-")}.txt`);
  });
});
