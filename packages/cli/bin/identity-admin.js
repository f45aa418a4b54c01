#!/usr/bin/env node
/**
 * Starts the command: in a package its bundle, in a clone its sources, which need the Node of this project. It is
 * JavaScript that every Node reads.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const NODE_MAJOR = 24;
const bundle = new URL("../dist/main.js", import.meta.url);
const node = fileURLToPath(new URL("../../../node_modules/node/bin/node", import.meta.url));

if (existsSync(bundle)) {
  await start(bundle.href);
} else if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) {
  await start(new URL("../main.ts", import.meta.url).href);
} else if (existsSync(node)) {
  // Ctrl-C reaches both processes. This one waits for the exit code of the other.
  process.on("SIGINT", () => undefined);
  const { status, signal } = spawnSync(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(`Run "npm ci" first, or use Node ${NODE_MAJOR}: this is ${process.versions.node}.\n`);
  process.exitCode = 3;
}

/** @param {string} module */
async function start(module) {
  // A pipe that is closed early, as by `head`, ends the command.
  process.stdout.on("error", (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EPIPE") process.exit(0);
    throw error;
  });
  const { run } = await import(module);
  process.exitCode = await run(process.argv.slice(2));
}
