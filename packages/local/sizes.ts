/** `npm run sizes` bundles every function as it is deployed and fails where one loads more at its start than it may. */
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

/** Bytes of a function: what it loads when it starts, and what it loads when a request first needs it. */
interface Size {
  readonly start: number;
  readonly later: number;
}

const sizeOf = async (file: string): Promise<Size> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${file}`],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    outdir: "bundle",
    logLevel: "error",
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === `functions/${file}`) ?? "";
  const started = new Set<string>();
  const start = (name: string): void => {
    if (started.has(name)) return;
    started.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") start(path);
  };
  start(entry);
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + (outputs[name]?.bytes ?? 0), 0);
  return { start: sum([...started]), later: sum(Object.keys(outputs).filter((name) => !started.has(name))) };
};

const files = (await readdir(new URL("../../functions", import.meta.url))).filter((file) => !shared.has(file));
for (const file of files.sort()) {
  const name = file.replace(/\.ts$/, "");
  const most = budgets[name] ?? MOST_KIB;
  const { start, later } = await sizeOf(file);
  const kib = (bytes: number) => (bytes / KIB).toFixed(0).padStart(5);
  console.log(
    `${name.padEnd(24)} ${kib(start)} KiB of ${most}${later > 0 ? `, and ${kib(later).trim()} KiB when needed` : ""}`,
  );
  if (start / KIB > most) {
    console.error(`${name} is larger than its budget.`);
    process.exitCode = 1;
  }
}
