/** Questions to people. Without a terminal the command says which option answers. */
import { text as readAll } from "node:stream/consumers";
import * as clack from "@clack/prompts";
import { CommandError, wrongInput } from "./errors.ts";
import { exitCodes } from "./exit-codes.ts";

export function isTerminal(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

const output = process.stderr;

/** A yes. Throws a `CommandError` for a no, and where there is no terminal. */
export async function confirmed(question: string, isSure: boolean | undefined): Promise<void> {
  if (isSure) return;
  if (!isTerminal()) throw wrongInput(`${question} There is no terminal to ask.`, "Add --yes.");
  if (answered(await clack.confirm({ message: question, initialValue: false, output })) !== true) {
    throw new CommandError("Nothing was changed.", exitCodes.failed);
  }
}

/** A yes or a no. */
export async function asked(question: string): Promise<boolean> {
  return answered(await clack.confirm({ message: question, initialValue: false, output })) === true;
}

/** A text; `option` is what to use without a terminal. */
export async function textAsked(question: string, option: string, initialValue = ""): Promise<string> {
  if (!isTerminal()) throw wrongInput(`${question} is missing.`, `Add ${option}.`);
  return String(answered(await clack.text({ message: question, initialValue, output })));
}

/** One of some values. */
export async function chosen(question: string, options: Readonly<Record<string, string>>): Promise<string> {
  const choices = Object.entries(options).map(([value, label]) => ({ value, label }));
  return String(answered(await clack.select({ message: question, options: choices, output })));
}

/** A secret, which is not shown: from standard input where it is no terminal or `fromInput` is set. */
export async function secretAsked(question: string, option: string, fromInput = false): Promise<string> {
  if (fromInput) {
    const secret = (await readAll(process.stdin)).replace(/\r?\n$/, "");
    if (secret === "") throw wrongInput(`${question}: standard input is empty.`);
    return secret;
  }
  if (!isTerminal()) throw wrongInput(`${question} is missing.`, `Add ${option}, and write it to standard input.`);
  return String(answered(await clack.password({ message: question, output })));
}

function answered<T>(answer: T | symbol): T {
  if (clack.isCancel(answer)) throw new CommandError("Cancelled. Nothing was changed.", exitCodes.interrupted);
  return answer as T;
}
