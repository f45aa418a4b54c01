/**
 * `npm run positions -- <function> < <stack>`: rewrites a stack of a deployed function, so that it names files and
 * lines of this project. Run it on the commit that was deployed: it builds the function again, with source maps,
 * because a deployment uploads none.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { bundling } from "../../stacks/bundling.ts";
import { componentName, plan } from "../../stacks/plan.ts";
import { bundleFunction, root } from "./deploy/bundle.ts";

/** A position in a file of a bundle: `file:///var/task/chunk-ABC.mjs:1:2345`. */
const POSITION = /(?:file:\/\/)?(?:\/[\w.-]+)*\/([\w.-]+\.mjs):(\d+):(\d+)/g;

/** Rewrites every position in files of the bundle of a function. Positions in other files stay. */
export async function withSourcePositions(name: string, stack: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "positions-"));
  try {
    const files = await bundleFunction(name, directory, { ...bundling, esbuild: { keepNames: false } });
    const maps = new Map<string, SourceMap>();
    for (const file of files) {
      maps.set(basename(file, ".map"), new SourceMap(JSON.parse(await readFile(file, "utf8"))));
    }
    return stack.replace(POSITION, (position, file: string, line: string, column: string) => {
      const found = maps.get(file)?.findOrigin(Number(line), Number(column));
      if (!found || !("fileName" in found)) return position;
      const source = relative(root, resolve(dirname(join(directory, file)), found.fileName));
      return `${source}:${found.lineNumber}:${found.columnNumber}`;
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [name = ""] = process.argv.slice(2);
  if (!Object.hasOwn(plan, name)) {
    const names = Object.keys(plan).join(", ");
    console.error(`Usage: npm run positions -- <function> < <file with a stack>\nFunctions: ${names}`);
    process.exit(1);
  }
  if (process.stdin.isTTY) console.error(`Paste the stack of ${componentName(name)}, and end it with Ctrl-D.`);
  process.stdout.write(await withSourcePositions(name, await text(process.stdin)));
}
