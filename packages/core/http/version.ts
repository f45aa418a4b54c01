/** The version of the function that this process runs. Imports nothing: every function says it at its start. */

let running: string | undefined;

/** Says which version runs; `undefined` outside of Lambda. */
export function runsVersion(version: string | undefined): void {
  running = version;
}

/** The version that runs; `undefined` outside of Lambda, where lines have none. */
export function runningVersion(): string | undefined {
  return running;
}
