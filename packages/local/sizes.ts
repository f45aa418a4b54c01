/** `npm run sizes` bundles every function as it is deployed and fails where one is larger than DESIGN allows. */
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const KIB = 1_024;
const MOST_KIB = 600;
/** Functions with a budget of their own. */
const budgets: Readonly<Record<string, number>> = { "application-metadata": 200 };

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Not functions: what they share. */
const shared: ReadonlySet<string> = new Set(["env.ts"]);

const bytesOf = async (file: string): Promise<number> => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${file}`],
    bundle: true,
    write: false,
    minify: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    outfile: "bundle.mjs",
    logLevel: "error",
  });
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
};

const files = (await readdir(new URL("../../functions", import.meta.url))).filter((file) => !shared.has(file));
for (const file of files.sort()) {
  const name = file.replace(/\.ts$/, "");
  const most = budgets[name] ?? MOST_KIB;
  const size = (await bytesOf(file)) / KIB;
  console.log(`${name.padEnd(24)} ${size.toFixed(0).padStart(5)} KiB of ${most}`);
  if (size > most) {
    console.error(`${name} is larger than its budget.`);
    process.exitCode = 1;
  }
}
