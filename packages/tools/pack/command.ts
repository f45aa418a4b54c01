/**
 * `npm run pack -- [folder]`: builds the packages of this project as `npm install` takes them, into a folder (default
 * `.build/packages`), and prints their files.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packages } from "./packages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

const target = resolve(process.argv[2] ?? join(root, ".build/packages"));
await mkdir(target, { recursive: true });
for (const build of Object.values(packages)) console.log(await packed(build));

async function packed(build: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(target, "package-"));
  try {
    await build(folder);
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", target], { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
    return join(target, filename);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
