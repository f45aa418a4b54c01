/**
 * `npm run sizes`: bundles every function as it is deployed and prints its size. Exit codes: 0 all within budget, 1 a
 * function loads more at its start than its budget.
 */
import { build } from "esbuild";
import { type FunctionName, plan } from "../../stacks/plan.ts";
import { BUNDLE, buildOptions } from "./deploy/bundle.ts";

const KIB = 1_024;
const MOST_KIB = 600;
/** Functions with another budget. Every function carries all paths and faults. */
const budgets: Readonly<Partial<Record<FunctionName, number>>> = {
  // It reads the declarations of custom protocols, and what their engine takes (0201).
  "application-metadata": 217,
  // With the document client of the AWS SDK (decision 0091).
  delivery: 660,
  // With the check of assignments (decision 0170), and the budget of repeats that every function has (0177).
  oauth2: 630,
  // The same, with the ways out of its pages and to the own account (decisions 0187 and 0190), and notices of sign-ins
  // in new browsers, whose mail is written in the transaction of the session (decision 0182); and its first page asks
  // for passkeys (0184). It asks people for other protocols than OpenID Connect, too (0195, 0201).
  "sign-in": 673,
};

/** Bytes of a function: loaded at its start, and loaded when a request first needs them. */
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
    console.error(`${name} exceeds its budget of ${most} KiB.`);
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
