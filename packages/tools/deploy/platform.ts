/**
 * `npm run sst:install` writes `.sst/platform`, which the types and the offline evaluation of the stacks need. It comes from
 * the npm registry alone: neither Pulumi nor Bun is fetched, and nothing is asked of AWS. Does nothing when it is there.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const written = join(root, ".sst/platform");
const scratch = join(root, ".build/sst");

const wanted = (JSON.parse(textOf(join(root, "node_modules/sst/package.json"))) as { version: string }).version;

if (!isComplete()) {
  mkdirSync(scratch, { recursive: true });
  console.log("Installing SST's platform from the npm registry (once; about a minute) ...");
  const { status } = spawnSync(join(root, "node_modules/.bin/sst"), ["install", "--stage", "check"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      NPM_REGISTRY: registry(),
      // Its own directory in place of the user's, a log that git ignores, no telemetry.
      XDG_CONFIG_HOME: scratch,
      SST_LOG: join(scratch, "sst.log"),
      SST_TELEMETRY_DISABLED: "1",
      // npm in place of Bun, and no look-up of the programs that only a deployment needs.
      SST_SKIP_DEPENDENCY_CHECK: "1",
      SST_NO_BUN: "1",
    },
  });
  if (status !== 0 || !isComplete()) {
    console.error(`SST's platform was not installed; see ${join(scratch, "sst.log")}.`);
    process.exitCode = 1;
  }
}

/** What the last step of an installation leaves; an interrupted one does not have it. */
function isComplete(): boolean {
  return (
    textOf(join(written, "version")) === wanted &&
    existsSync(join(written, "node_modules/@pulumi/aws")) &&
    existsSync(join(root, ".sst/provider-lock.json"))
  );
}

/** The text of a file, without white space around it; empty where there is none. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** The registry that npm uses here. SST looks for it in other places than npm does. */
function registry(): string {
  return execFileSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" }).trim().replace(/\/$/, "");
}
