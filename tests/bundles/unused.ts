/**
 * Runs after the tests of the deployed functions: compares the rights in the plan with those that were used. Prints
 * unused rights and exits with 1: remove them from the plan, or add a test.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { plan } from "../../stacks/plan.ts";
import { usesDirectory } from "../support/deployed.ts";
import { isLike } from "../support/iam.ts";
import { directory } from "./directory.ts";

type Uses = Readonly<Record<string, readonly string[]>>;

const files = await readdir(usesDirectory(directory));
const runs = await Promise.all(
  files.map(async (file) => JSON.parse(await readFile(join(usesDirectory(directory), file), "utf8")) as Uses),
);

const unused = Object.entries(plan).flatMap(([name, { reads, checks, lists, writes, changes, conditions }]) => {
  const used = runs.flatMap((run) => run[name] ?? []);
  const isUsed = (right: string) => used.some((use) => isLike(use, right));
  return [
    ["read", reads] as const,
    ["read", checks && { calls: ["GetItem"], on: checks }] as const,
    ["read", lists && { calls: ["Query"], on: lists }] as const,
    ["write", writes] as const,
    ["change", changes && { calls: ["UpdateItem"], on: changes }] as const,
    // What shares a transaction with a condition depends on who writes at the same time: any write is a use.
    ["write", conditions && { calls: ["ConditionCheckItem"], on: conditions }] as const,
  ].flatMap(([kind, right]) =>
    [...(right?.calls ?? []), ...(right?.on ?? [])]
      .map((each) => `${kind} ${each}`)
      .flatMap((each) => (isUsed(each) ? [] : [`${name}: ${each}`])),
  );
});

if (process.env.PROTECTING) {
  process.stdout.write("Rights that no test uses are not looked for: most of the tests were left out.\n");
} else if (unused.length > 0) {
  process.stderr.write(`Rights in stacks/plan.ts that no test uses:\n${unused.join("\n")}\n`);
  process.exitCode = 1;
}
