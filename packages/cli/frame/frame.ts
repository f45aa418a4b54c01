/** What a command gets: its options, a client of the service, and where to print. */
import type { Command } from "commander";
import type { Api } from "#client/client.ts";
import { apiOf, type Caller, callerOf, type GlobalOptions } from "./caller.ts";
import { type Output, outputOf } from "./output.ts";
import { type Progress, progressOf } from "./progress.ts";

export interface Frame<Options = object> {
  readonly options: GlobalOptions & Options;
  readonly environment: NodeJS.ProcessEnv;
  readonly out: Output;
  /** Throws a `CommandError` where there is no credential. */
  caller(): Promise<Caller>;
  /** A client for the caller. Sends nothing yet. Throws a `CommandError` where there is no credential. */
  api(): Promise<Api>;
  /** `total` is `undefined` where the end is not known. */
  progress(label: string, total?: number): Progress;
}

/** Sets what a command does. Its arguments come after the frame, in their order. */
export function action<Options, Args extends readonly unknown[]>(
  command: Command,
  act: (frame: Frame<Options>, ...args: Args) => Promise<void>,
): Command {
  return command.action(async (...given: readonly unknown[]) => {
    const args = given.slice(0, -2) as readonly unknown[] as Args;
    await act(frameOf<Options>(command.optsWithGlobals()), ...args);
  });
}

function frameOf<Options>(options: GlobalOptions & Options): Frame<Options> {
  const { env: environment } = process;
  const caller = () => callerOf(options, environment);
  return {
    options,
    environment,
    out: outputOf(options),
    caller,
    api: async () => apiOf(await caller(), options),
    progress: (label, total) => progressOf(label, total, { isQuiet: options.quiet }),
  };
}
