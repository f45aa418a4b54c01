/** What the commands share that work on a table: where it is, their options, and how they fail. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { TableConfig } from "#core/database/table/dynamo.ts";
import { Fault } from "#core/kernel/faults.ts";
import { tableConfig } from "#functions/env.ts";
import { openLocalData } from "./local-data.ts";

/** Time limits of commands: a call may take long, and no request waits for it. */
export const COMMAND_TIMEOUTS = { callMs: 20_000, requestMs: 0, attemptMs: 10_000, throttling: "awaited" } as const;

/** A table that a command works on. */
export interface TablePlace {
  readonly config: TableConfig;
  /** Whether functions may serve requests from it at the same time. */
  readonly isDeployed: boolean;
  close(): Promise<void>;
}

/**
 * The table of a deployment that TABLE_NAME names, or that of the local service, which must be stopped. Throws an
 * `Error` with a message for users.
 */
export async function placeOf(environment: NodeJS.ProcessEnv): Promise<TablePlace> {
  if (environment.TABLE_NAME) {
    const { requestDeadlineMs: _, ...config } = tableConfig(COMMAND_TIMEOUTS, environment);
    return { config, isDeployed: true, close: async () => undefined };
  }
  const { config, close } = await openLocalData(environment);
  return { config: { ...config, deadlineMs: COMMAND_TIMEOUTS.callMs }, isDeployed: false, close };
}

/** Whether a command is asked for its usage alone. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

/** The options among the words of a command. Throws an `Error` with the usage for words that it does not have. */
export function parsedWords<T extends ParseArgsOptionsConfig, P extends boolean = false>(
  words: readonly string[],
  usage: string,
  options: T,
  allowPositionals?: P,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: allowPositionals ?? false });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** A whole number from 1 to `most` that an option gives. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  { fallback, most, usage }: { readonly fallback: number; readonly most: number; readonly usage: string },
): number {
  if (text === undefined) return fallback;
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new Error(`--${name} must be a number from 1 to ${most}, not "${text}".\n\n${usage}`);
}

/** What a command prints of what ended it. */
export function failureText(error: unknown): string {
  return error instanceof Fault ? error.description : error instanceof Error ? error.message : String(error);
}
