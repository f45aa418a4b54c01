/**
 * The functions under the conditions of a deployment: each has only the variables of its plan, and reaches the database
 * through the statements of its role. Loads sources, or the bundles of a directory.
 */
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadFunction } from "#local/service.ts";
import { type FunctionName, plan, variablesOf } from "../../stacks/plan.ts";
import { type Statement, statementsOf } from "../../stacks/statements.ts";
import { type Guard, startGuard } from "./guard.ts";

/** Loads deployed functions. */
export interface DeployedFunctions {
  readonly load: LoadFunction;
  /** Stops the guard. Records the rights that bundles used. Throws if a call of a function was refused. */
  close(): Promise<void>;
}

/** The variables of every function: those that Lambda sets, and the local substitutes for AWS. */
const always: readonly string[] = [
  "DYNAMODB_ENDPOINT",
  "LOCAL_ADMINISTRATOR",
  "METADATA_HOSTS",
  "OUTBOX_DIRECTORY",
  "POWERTOOLS_DEV",
  "POWERTOOLS_METRICS_DISABLED",
  "POWERTOOLS_METRICS_NAMESPACE",
];

/** The directory of the rights that bundles used: one file per run of the service. */
export const usesDirectory = (directory: string): string => join(directory, "uses");

/** By the names of functions: their array is also what the decisions of IAM are remembered by. */
const statements = new Map<string, readonly Statement[]>();

const statementsFor = (name: string): readonly Statement[] => {
  const found = statements.get(name) ?? statementsOf(plan[name as FunctionName]);
  statements.set(name, found);
  return found;
};

let worlds = 0;

/** Loads the functions from their sources, or from a directory of `npm run test:bundles`. */
export const deployedFunctions = (directory?: string): DeployedFunctions => {
  worlds += 1;
  // A second service in this process gets its own modules.
  const own = `?world=${worlds}`;
  const fileOf = (name: string): string =>
    directory === undefined
      ? new URL(`../../functions/${name}.ts${own}`, import.meta.url).href
      : `${pathToFileURL(join(directory, name, "bundle.mjs")).href}${own}`;
  let guard: Promise<Guard> | undefined;
  return {
    async load(name, environment) {
      guard ??= startGuard(environment.DYNAMODB_ENDPOINT ?? "", statementsFor, { isProxy: directory !== undefined });
      const { endpointOf } = await guard;
      const variables = new Set([...always, ...variablesOf(plan[name as FunctionName])]);
      for (const variable of Object.keys(environment)) delete process.env[variable];
      for (const variable of variables) {
        if (environment[variable] !== undefined) process.env[variable] = environment[variable];
      }
      process.env.DYNAMODB_ENDPOINT = endpointOf(name);
      const module = (await import(/* @vite-ignore */ fileOf(name))) as {
        handler: Awaited<ReturnType<LoadFunction>>;
      };
      // A function reads its environment only while it is loaded. Modules that tests import need all variables.
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
