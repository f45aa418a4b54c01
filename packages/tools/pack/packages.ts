/** The packages of this project, and how each is built into an empty folder. */
import { buildCli } from "./cli-package.ts";
import { buildClient } from "./client-package.ts";
import { buildSst } from "./sst-package.ts";

export const packages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  client: buildClient,
  cli: buildCli,
  sst: buildSst,
};
