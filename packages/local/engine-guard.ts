/**
 * Ends the engine together with this process, whatever kills it.
 *
 * A process that is killed cannot clean up, so another one does it: a shell, the *guard*, which shares a pipe with
 * node. The kernel closes node's end of the pipe however node ends; then the guard ends the engine. If the guard is
 * killed, node's end of the same pipe closes, and node ends the engine. A shell, because `killall node` must not end
 * both (decision 0068).
 */
import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";

/** The descriptor of the pipe in the shell. */
const PIPE = 3;

/**
 * `$$` is the process that becomes the engine. The guard has no output, so that the pipes of the engine end with the
 * engine. A line means that the engine has ended; an end without a line means that node has.
 */
const SCRIPT = `
(
  read -r _ <&${PIPE} && exit 0
  kill -TERM $$
  for _ in 1 2 3 4 5; do
    sleep 1
    kill -0 $$ || exit 0
  done
  kill -KILL $$
) </dev/null >/dev/null 2>&1 &
exec "$@" ${PIPE}<&-`;

/** The command of an engine with its guard. Its process id is that of the engine. */
export function guarded(program: string, args: readonly string[]) {
  return {
    command: "/bin/sh",
    args: ["-c", SCRIPT, "sh", program, ...args],
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  } as const;
}

/**
 * Releases the guard when the engine ends, and ends the engine if the guard ends first. Does not keep node running.
 * Returns whether the guard ended first.
 */
export function watchGuard(child: ChildProcess): () => boolean {
  const pipe = child.stdio[PIPE];
  let isLost = false;
  if (!(pipe instanceof Socket)) return () => isLost;
  child.once("exit", () => pipe.end("\n"));
  pipe.on("error", () => undefined).resume();
  pipe.once("close", () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isLost = true;
    child.kill("SIGTERM");
  });
  pipe.unref();
  return () => isLost;
}
