/**
 * The functions under the conditions in which they are deployed: each with the variables that its plan gives it and no
 * others, and with the database behind the statements of its role. From their sources, or from the bundles of a directory.
 */
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadFunction } from "#local/service.ts";
import { type FunctionName, plan, variablesOf } from "../../stacks/plan.ts";
import { statementsOf } from "../../stacks/statements.ts";
import { type Guard, startGuard } from "./guard.ts";

/** Loads deployed functions. */
export interface DeployedFunctions {
  readonly load: LoadFunction;
  /** Stops the check, and of bundles writes down what they used of the table. Throws where a function was refused something. */
  close(): Promise<void>;
}

/** The variables of every function: what Lambda sets itself, and what stands for AWS on this machine. */
const always: readonly string[] = [
  "DYNAMODB_ENDPOINT",
  "METADATA_HOSTS",
  "POWERTOOLS_DEV",
  "POWERTOOLS_METRICS_DISABLED",
];

/** Where is written down what the functions of a directory used of the table: one file for each run of the service. */
export const usesDirectory = (directory: string): string => join(directory, "uses");

let worlds = 0;

/** The functions from their sources, or from a directory that `npm run test:bundles` made. */
export const deployedFunctions = (directory?: string): DeployedFunctions => {
  worlds += 1;
  // A further service of one process has modules of its own.
  const own = `?world=${worlds}`;
  const fileOf = (name: string): string =>
    directory === undefined
      ? new URL(`../../functions/${name}.ts${own}`, import.meta.url).href
      : `${pathToFileURL(join(directory, name, "bundle.mjs")).href}${own}`;
  let guard: Promise<Guard> | undefined;
  return {
    async load(name, environment) {
      guard ??= startGuard(environment.DYNAMODB_ENDPOINT ?? "", (each) => statementsOf(plan[each as FunctionName]), {
        isProxy: directory !== undefined,
      });
      const { endpointOf } = await guard;
      const its = new Set([...always, ...variablesOf(plan[name as FunctionName])]);
      for (const variable of Object.keys(environment)) delete process.env[variable];
      for (const variable of its) {
        if (environment[variable] !== undefined) process.env[variable] = environment[variable];
      }
      process.env.DYNAMODB_ENDPOINT = endpointOf(name);
      const module = (await import(/* @vite-ignore */ fileOf(name))) as {
        handler: Awaited<ReturnType<LoadFunction>>;
      };
      // A function reads its environment while it is loaded, and never again. What tests import of the sources wants all of it.
      Object.assign(process.env, environment);
      return module.handler;
    },
    async close() {
      const checked = await guard;
      if (!checked) return;
      await checked.close();
      if (checked.refusals.length > 0) throw new Error(`refused by IAM: ${checked.refusals.join("; ")}`);
      if (directory === undefined) return;
      const uses = Object.fromEntries([...checked.uses].map(([name, used]) => [name, [...used]]));
      await mkdir(usesDirectory(directory), { recursive: true });
      await writeFile(join(usesDirectory(directory), `${randomUUID()}.json`), JSON.stringify(uses));
    },
  };
};
