/** What commands print: tables and sentences for people, or one JSON document. */
import Table from "cli-table3";
import { dump } from "js-yaml";

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
      if (!options.quiet) process.stderr.write(`${plain(text)}\n`);
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
