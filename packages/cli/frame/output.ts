/** What commands print: tables and sentences for people, or one JSON document. */

import { text as readAll } from "node:stream/consumers";
import * as clack from "@clack/prompts";
import { SingleBar } from "cli-progress";
import Table from "cli-table3";
import { dump } from "js-yaml";
import { CommandError, exitCodes, wrongInput } from "./errors.ts";

/** Prints the answer of a command to standard output, and words about it to standard error. */
export interface Output {
  readonly isJson: boolean;
  /** A list: one row for each item; with `--json` the items themselves. */
  table(head: readonly string[], rows: readonly (readonly string[])[], items: readonly unknown[]): void;
  /** One resource: as YAML, or JSON. */
  value(value: unknown): void;
  /** What was done: a sentence, or JSON. */
  done(sentence: string, value: unknown): void;
  /** A line of a stream: `text`, or the value as one line of JSON. */
  line(text: string, value: unknown): void;
  /** Words that are no answer; not with `--quiet`. */
  note(text: string): void;
}

export function outputOf(options: { readonly json?: boolean; readonly quiet?: boolean }): Output {
  const isJson = options.json ?? false;
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const json = (value: unknown) => print(plainJson(value, 2));
  return {
    isJson,
    table(head, rows, items) {
      if (isJson) json(items);
      else print(tableOf(head, rows));
    },
    value(value) {
      if (isJson) json(value);
      else print(plainLines(dump(value, { lineWidth: -1, noRefs: true })).trimEnd());
    },
    done(sentence, value) {
      if (isJson) json(value);
      else if (!options.quiet) print(plain(sentence));
    },
    line(text, value) {
      print(isJson ? plainJson(value) : plain(text));
    },
    note(text) {
      if (!options.quiet) process.stderr.write(`${plain(asTyped(text))}\n`);
    },
  };
}

const NO_LINES = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    chars: { ...NO_LINES, middle: "  " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  table.push([...head], ...rows.map((row) => row.map(plain)));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/**
 * A hint with the commands in it as they are typed here: `npx` runs what is not on the path. Without `--no` it would
 * fetch a package of strangers where this one is not installed.
 */
export function asTyped(text: string): string {
  if (process.env.npm_command !== "exec") return text;
  return text.replace(/(?<![\w./-])identity-admin(?= [a-z<])/g, "npx --no identity-admin");
}

/** A text without control characters: texts of a server must not control the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
}

/** JSON in which control characters are escaped, so that it does not control a terminal either. The same value. */
function plainJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  // Lines are those of the form itself: inside of texts JSON has escaped them.
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

function plainLines(text: string): string {
  return text.split("\n").map(plain).join("\n");
}

/** Work that goes on. */
export interface Progress {
  add(count?: number): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Shows none. */
  readonly isQuiet?: boolean | undefined;
  /** What an earlier run has done. */
  readonly done?: number;
}

/** Lines of a log are written for each tenth of the work, */
const LINES = 10;
/** or after so many steps of work whose end is not known. */
const STEPS = 500;
const NOTHING: Progress = { add: () => undefined, stop: () => undefined };

/** Starts to show the progress of some work. `total` is `undefined` where the end is not known. */
export function progressOf(
  label: string,
  total: number | undefined,
  { isQuiet = false, done = 0 }: ProgressOptions = {},
): Progress {
  if (isQuiet || total === 0) return NOTHING;
  if (process.stderr.isTTY && !process.env.CI) return barOf(label, total, done);
  return total === undefined ? countOf(label, done) : linesOf(label, total, done);
}

function barOf(label: string, total: number | undefined, done: number): Progress {
  const bar = new SingleBar({
    format: total === undefined ? `${label} {value}` : `${label} {bar} {value}/{total} {eta_formatted}`,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(total ?? 0, done);
  return { add: (count = 1) => bar.increment(count), stop: () => bar.stop() };
}

function linesOf(label: string, total: number, before: number): Progress {
  // Short work needs no lines.
  if (total < LINES) return NOTHING;
  const tenthOf = (done: number) => Math.floor((done * LINES) / total);
  let done = before;
  return {
    add(count = 1) {
      done += count;
      if (tenthOf(done) > tenthOf(done - count)) process.stderr.write(`${label} ${done}/${total}\n`);
    },
    stop: () => undefined,
  };
}

function countOf(label: string, before: number): Progress {
  let done = before;
  return {
    add(count = 1) {
      done += count;
      if (Math.floor(done / STEPS) > Math.floor((done - count) / STEPS)) process.stderr.write(`${label} ${done}\n`);
    },
    stop: () => undefined,
  };
}

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
