/**
 * Compares all resources of a stage with the lists in `inventory/`. Update the lists with
 * `npx vitest run --config tests/deploy/vitest.config.ts --update`, and read the difference before you commit it.
 */
import { describe, expect, test } from "vitest";
import { deploymentOf, type StageName } from "./support/stages.ts";

/** The number of source maps depends on the packages in a bundle, so the list does not contain it. */
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
