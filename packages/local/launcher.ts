/**
 * The processes that run the service in the foreground: npm, and the watcher of `npm run dev`. Where one of them is
 * killed, no process stops the service any more, and its port stays taken: the service stops by itself.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bornOf } from "./file-lock.ts";

const PERIOD_MS = 1_000;
/** The scripts of package.json that become the service: npm is the parent of node. */
const SCRIPTS: readonly (string | undefined)[] = ["start", "dev"];

interface Launcher {
  readonly pid: number;
  readonly born: string;
}

/** Calls `onEnd` once, within about a second after the end of a launcher. Linux only: elsewhere nothing is watched. */
export async function watchLaunchers(environment: NodeJS.ProcessEnv, onEnd: () => void): Promise<void> {
  // Node reports each module to its watcher, and would fail where the watcher has ended.
  process.once("disconnect", () => delete process.send);
  const launchers = process.platform === "linux" ? await launchersOf(environment) : [];
  if (launchers.length === 0) return;
  const timer = setInterval(async () => {
    for (const { pid, born } of launchers) {
      if ((await bornOf(pid)) === born) continue;
      clearInterval(timer);
      onEnd();
      return;
    }
  }, PERIOD_MS).unref();
}

async function launchersOf(environment: NodeJS.ProcessEnv): Promise<readonly Launcher[]> {
  const own = fileURLToPath(new URL("../../package.json", import.meta.url));
  const isByNpm = environment.npm_package_json === own && SCRIPTS.includes(environment.npm_lifecycle_event);
  // Node sets it for the program that it watches.
  const isWatched = environment.WATCH_REPORT_DEPENDENCIES !== undefined;
  const launchers: Launcher[] = [];
  let pid: number | undefined = process.pid;
  for (let depth = Number(isByNpm) + Number(isWatched); depth > 0; depth -= 1) {
    pid = await parentOf(pid);
    const born = pid === undefined ? undefined : await bornOf(pid);
    if (pid === undefined || born === undefined) break;
    launchers.push({ pid, born });
  }
  return launchers;
}

async function parentOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const parent = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
  return parent > 1 ? parent : undefined;
}
