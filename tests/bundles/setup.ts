/** Builds the functions before the HTTP tests run against them. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleFunction } from "#tools/deploy/bundle.ts";
import { plan } from "../../stacks/plan.ts";
import { usesDirectory } from "../support/deployed.ts";
import { directory } from "./directory.ts";

export const setup = async (): Promise<void> => {
  await rm(usesDirectory(directory), { recursive: true, force: true });
  for (const name of Object.keys(plan)) await bundleFunction(name, join(directory, name));
};
