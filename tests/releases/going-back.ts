/**
 * Whether the release before can serve the table of this one: this release creates one of everything and changes some
 * of it, then the release before reads and changes it, then this one reads it again. Prints a line per check; what does
 * not hold belongs into "Going back" of CHANGELOG.md. Usage, from the root of the project:
 *
 *     node tests/releases/going-back.ts <worktree of the release before>
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Check, changes, reads } from "./checks.ts";
import { everything, type Made, sender } from "./everything.ts";
import { startRelease } from "./started.ts";

const THIS = fileURLToPath(new URL("../..", import.meta.url));
const DAY_SECONDS = 86_400;
const [before] = process.argv.slice(2);
if (before === undefined) throw new Error("usage: node tests/releases/going-back.ts <worktree of the release before>");
const data = await mkdtemp(join(tmpdir(), "going-back-"));
try {
  let made: Made = {};
  await on(THIS, "this release creates everything", async (url) => {
    made = await everything(sender(url), DAY_SECONDS);
  });
  await on(resolve(before), "the release before reads it", (url) => all(url, reads, made));
  await on(THIS, "this release reads it again", (url) => all(url, reads, made));
  await on(resolve(before), "the release before changes it", (url) => all(url, changes, made));
} finally {
  await rm(data, { recursive: true, force: true });
}

async function on(root: string, title: string, work: (url: string) => Promise<void>): Promise<void> {
  process.stdout.write(`${title}\n`);
  const release = await startRelease(root, data);
  try {
    await work(release.url);
  } finally {
    await release.stop();
  }
}

async function all(url: string, checks: readonly Check[], made: Made): Promise<void> {
  for (const { name, run } of checks) {
    const problem = await run(sender(url), made).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    process.stdout.write(
      `  ${problem === undefined ? "ok   " : "FAILS"} ${name}${problem === undefined ? "" : `: ${problem}`}\n`,
    );
    if (problem !== undefined) process.exitCode = 1;
  }
}
