/** What a schema refuses, in sentences for callers: where it is, and what is expected there. */
import type * as z from "zod";
import { nearest } from "./nearest.ts";
import { listed } from "./words.ts";

type Issue = z.core.$ZodIssue;

const FAULTS_MAX = 20;
const PLACE_LENGTH_MAX = 200;
const VALUES_MAX = 20;
/** Names that a path shows without quotes. */
const PLAIN = /^[\w$-]+$/;

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  url: "must be an absolute URL, such as https://example.com/path",
  base64: "must be base64",
  datetime: "must be a date and time such as 2026-01-31T08:00:00Z",
  email: "must be an e-mail address",
};

/**
 * One sentence for each of the first 20 faults, each once, with its place: `body.steps[0].id must be a number, not a
 * string.` Values of the caller are not repeated. Needs issues that report their input. `missing` are paths of further
 * members that are required.
 */
export function describeIssues(
  part: string,
  issues: readonly Issue[],
  missing: readonly (readonly PropertyKey[])[] = [],
): string {
  const told = [...issues.flatMap((issue) => sentencesOf(issue, [])), ...missing.map(requiredSentence)];
  const sentences = new Set(told.map((each) => `${part}${each}`));
  const shown = [...sentences].slice(0, FAULTS_MAX);
  const more = sentences.size - shown.length;
  return [...shown, ...(more > 0 ? [`There are ${more} more.`] : [])].join(" ");
}

/** Whether a value is absent that the schema requires. */
export function isMissing({ code, input }: Issue): boolean {
  return input === undefined && (code === "invalid_type" || code === "invalid_value" || code === "invalid_union");
}

/** The message of an issue whose schema gives none. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return typeof issue.input === "number" && issue.expected === "int"
        ? "must be a whole number"
        : `must be ${kinds[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
    case "invalid_value":
      return mustBeOneOf(issue.values, issue.input);
    case "too_small":
      return `must ${boundOf(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${boundOf(issue.origin, "at most", issue.maximum)}`;
    case "invalid_format":
      return formats[issue.format] ?? "does not have the expected format";
    case "unrecognized_keys":
      return `must not have the members ${listed(issue.keys.map(shownKey), "and")}`;
    case "invalid_union":
      return "has none of the allowed forms";
    default:
      return undefined;
  }
}

/** What is allowed, and which of it the caller probably meant. */
function mustBeOneOf(values: readonly unknown[], input: unknown): string {
  const allowed = values.map(String);
  const more = allowed.length > VALUES_MAX ? ", ..." : "";
  const text = more === "" ? listed(allowed, "or") : allowed.slice(0, VALUES_MAX).join(", ") + more;
  const meant = typeof input === "string" && allowed.length > 1 ? nearest(input, allowed) : undefined;
  return `must be ${text}${meant === undefined ? "" : `: did you mean ${meant}?`}`;
}

function boundOf(origin: string, word: string, bound: number | bigint): string {
  if (origin === "string") return `have ${word} ${counted(bound, "character")}`;
  if (origin === "array" || origin === "set") return `have ${word} ${counted(bound, "element")}`;
  return `be ${word} ${bound}`;
}

function counted(count: number | bigint, word: string): string {
  return `${count} ${word}${Number(count) === 1 ? "" : "s"}`;
}

/** The kind of a value in JSON. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  return kinds[Array.isArray(value) ? "array" : typeof value] ?? "absent";
}

/** The sentences of an issue, that begin with the place inside of the part. */
function sentencesOf(issue: Issue, above: readonly PropertyKey[]): readonly string[] {
  const path = [...above, ...issue.path];
  if (isMissing(issue)) return [requiredSentence(path)];
  if (issue.code === "invalid_union") {
    const inside = closestForm(issue.errors);
    if (inside) return inside.flatMap((each) => sentencesOf(each, path));
    const expected = issue.errors.flatMap(([first]) => (first?.code === "invalid_type" ? [first.expected] : []));
    const forms = [...new Set(expected.map((each) => kinds[each] ?? each))];
    if (forms.length > 0) return [`${placeOf(path)} must be ${listed(forms, "or")}, not ${kindOf(issue.input)}.`];
  }
  const message = issue.message.replace(/\.$/, "");
  const end = message.endsWith("?") ? "" : ".";
  return [`${placeOf(path)}${/^(?:must|has|does) /.test(message) ? "" : ":"} ${message}${end}`];
}

function requiredSentence(path: readonly PropertyKey[]): string {
  return `${placeOf(path)} is required.`;
}

/** The issues of the form that the caller probably meant: the only one of the kind that was sent. */
function closestForm(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const possible = forms.filter(
    (issues) => !issues.some(({ path, code }) => path.length === 0 && code === "invalid_type"),
  );
  return possible.length === 1 ? possible[0] : undefined;
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      const key = shownKey(part);
      return PLAIN.test(key) ? `.${key}` : `['${key}']`;
    })
    .join("")
    .slice(0, PLACE_LENGTH_MAX);
}

function shownKey(key: PropertyKey): string {
  return String(key).slice(0, PLACE_LENGTH_MAX);
}
