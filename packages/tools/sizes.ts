/** `npm run sizes` bundles every function as it is deployed and fails where one loads more at its start than it may. */
import { build } from "esbuild";
import { type FunctionName, plan } from "../../stacks/plan.ts";
import { BUNDLE, buildOptions } from "./deploy/bundle.ts";

const KIB = 1_024;
const MOST_KIB = 600;
/** Functions with a budget of their own. */
const budgets: Readonly<Partial<Record<FunctionName, number>>> = { "application-metadata": 200 };

/** Bytes of a function: what it loads when it starts, and what it loads when a request first needs it. */
interface Size {
  readonly start: number;
  readonly later: number;
}

for (const name of (Object.keys(plan) as FunctionName[]).sort()) {
  const most = budgets[name] ?? MOST_KIB;
  const { start, later } = await sizeOf(name);
  const kib = (bytes: number) => (bytes / KIB).toFixed(0).padStart(5);
  console.log(
    `${name.padEnd(24)} ${kib(start)} KiB of ${most}${later > 0 ? `, and ${kib(later).trim()} KiB when needed` : ""}`,
  );
  if (start / KIB > most) {
    console.error(`${name} is larger than its budget.`);
    process.exitCode = 1;
  }
}

async function sizeOf(name: FunctionName): Promise<Size> {
  const { metafile } = await build({ ...buildOptions(name, "bundle"), sourcemap: false, write: false });
  const { outputs } = metafile;
  const started = new Set<string>();
  const start = (file: string): void => {
    if (started.has(file)) return;
    started.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === "import-statement") start(path);
  };
  start(`bundle/${BUNDLE}`);
  const sum = (files: readonly string[]) => files.reduce((total, file) => total + (outputs[file]?.bytes ?? 0), 0);
  return { start: sum([...started]), later: sum(Object.keys(outputs).filter((file) => !started.has(file))) };
}
