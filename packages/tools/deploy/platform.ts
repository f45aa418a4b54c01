/**
 * `npm run sst:install`: installs `.sst/platform`, which the types and the offline evaluation of the stacks need.
 * Downloads from the npm registry only: neither Pulumi nor Bun, and no requests to AWS. Does nothing if it is
 * installed. Prints a line before it installs. Exit codes: 0 installed, 1 failed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const written = join(root, ".sst/platform");
const scratch = join(root, ".build/sst");

const required = (JSON.parse(textOf(join(root, "node_modules/sst/package.json"))) as { version: string }).version;

if (!isComplete()) {
  mkdirSync(scratch, { recursive: true });
  console.log("Installing the platform of SST from the npm registry (once, about a minute) ...");
  const { status } = spawnSync(join(root, "node_modules/.bin/sst"), ["install", "--stage", "check"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      NPM_REGISTRY: registry(),
      // Own configuration directory, a log that git ignores, no telemetry.
      XDG_CONFIG_HOME: scratch,
      SST_LOG: join(scratch, "sst.log"),
      SST_TELEMETRY_DISABLED: "1",
      // npm instead of Bun, and no check for programs that only a deployment needs.
      SST_SKIP_DEPENDENCY_CHECK: "1",
      SST_NO_BUN: "1",
    },
  });
  if (status !== 0 || !isComplete()) {
    console.error(`The platform of SST could not be installed. See ${join(scratch, "sst.log")}.`);
    process.exitCode = 1;
  }
}

/** Whether the last step of an installation has run. */
function isComplete(): boolean {
  return (
    textOf(join(written, "version")) === required &&
    existsSync(join(written, "node_modules/@pulumi/aws")) &&
    existsSync(join(root, ".sst/provider-lock.json"))
  );
}

/** The trimmed text of a file; empty if there is no file. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** The registry of npm. SST does not read npm's configuration. */
function registry(): string {
  return execFileSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" }).trim().replace(/\/$/, "");
}
