/** The service that calls of all operations are made to: in memory, with the settings of the project, open to all. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "#local/service.ts";
import { inMemory } from "#tools/bench/calls.ts";

/** The settings of the project, with people who may register. */
export const settingsForCalls = async (): Promise<string> => {
  const text = await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8");
  return text.replace(/(?<=^\[registration\]\n(?:#.*\n)*enabled = )false/m, "true");
};

/** Starts it, with people who may register. `close` removes its settings too. */
export const startForCalls = async () => {
  const folder = await mkdtemp(join(tmpdir(), "operation-units-"));
  const deploymentFile = join(folder, "deployment.toml");
  await writeFile(deploymentFile, await settingsForCalls());
  const { url, close } = await startService({ ...inMemory, deploymentFile });
  return {
    url,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
};
