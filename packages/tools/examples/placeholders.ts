/**
 * Makes recordings that are the same in every run: what differs between two runs is replaced by placeholders, the same
 * value by the same one wherever it occurs.
 */
import type { Recordings } from "#core/documents/recordings.ts";

/** Parts of a text that are a value of their own: an id, a secret, a part of a token. */
const WORDS = /[\w-]+/g;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Members whose value says nothing: it has one placeholder everywhere, so that equal answers look equal. */
const MEANINGLESS: ReadonlySet<string> = new Set(["traceId"]);
/** Digests of content that may itself contain examples. */
const STRONG_TAG = /^"[\w-]+"$/;

const wordsOf = (text: string): readonly string[] => text.match(WORDS) ?? [];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Calls `visit` with every pair of texts in the same place of two values, and the name of the member that has them. */
const pairs = (one: unknown, other: unknown, visit: (a: string, b: string, name: string) => void, name = ""): void => {
  if (typeof one === "string" && typeof other === "string") {
    visit(one, other, name);
    return;
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [at, element] of one.entries()) pairs(element, other[at], visit, name);
    return;
  }
  if (isObject(one) && isObject(other) && Object.keys(one).length === Object.keys(other).length) {
    const others = Object.entries(other);
    for (const [at, [member, value]] of Object.entries(one).entries()) {
      const [namesake = "", part] = others[at] ?? [];
      visit(member, namesake, "key");
      pairs(value, part, visit, member);
    }
    return;
  }
  if (one !== other) throw new Error(`The runs differ in ${name}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
};

/** The words that differ between two runs: those of the first, each with the member that has it alone, if one does. */
const volatileWords = (one: Recordings, other: Recordings): ReadonlyMap<string, string | undefined> => {
  const found = new Map<string, string | undefined>();
  pairs(one, other, (a, b, name) => {
    const [ofA, ofB] = [wordsOf(a), wordsOf(b)];
    if (ofA.length !== ofB.length) throw new Error(`The runs differ in the form of ${name}: ${a} and ${b}`);
    const isTag = STRONG_TAG.test(a) && name === "etag";
    for (const [at, word] of ofA.entries()) {
      if (word !== ofB[at] || isTag) found.set(word, found.get(word) ?? (ofA.length === 1 ? name : undefined));
    }
  });
  return found;
};

const dashed = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

/** A placeholder for each word, numbered in the order in which they occur. */
const placeholdersOf = (words: ReadonlyMap<string, string | undefined>): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>();
  const next = (kind: string): number => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts.get(kind) ?? 0;
  };
  return new Map(
    [...words].map(([word, name = "value"]) => {
      if (UUID.test(word)) {
        const number = MEANINGLESS.has(name) ? 0 : next("uuid");
        return [word, `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`];
      }
      return [word, `example-${dashed(name)}-${next(name)}`];
    }),
  );
};

const replaced = (value: unknown, placeholders: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") return value.replace(WORDS, (word) => placeholders.get(word) ?? word);
  if (Array.isArray(value)) return value.map((element) => replaced(element, placeholders));
  if (!isObject(value)) return value;
  const renamed = (name: string) => String(replaced(name, placeholders));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [renamed(name), replaced(part, placeholders)]));
};

/**
 * The recordings of the first run with placeholders. Throws an `Error` where the runs differ in more than texts: such
 * an example would be another one each time.
 */
export const settled = (one: Recordings, other: Recordings): Recordings =>
  replaced(one, placeholdersOf(volatileWords(one, other))) as Recordings;
