/**
 * Makes recordings that are the same in every run: what differs between two runs is replaced by placeholders, the same
 * value by the same one wherever it occurs.
 */
import { createHash } from "node:crypto";
import type { Recording, Recordings } from "#core/service/documents/recordings.ts";

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

/** Where a word occurs first: the operation, and the member that has it alone, if one does. */
interface Occurrence {
  readonly id: string;
  readonly name: string | undefined;
}

/** The words that differ between two runs: those of the first. */
const volatileWords = (one: Recordings, other: Recordings): ReadonlyMap<string, Occurrence> => {
  const found = new Map<string, Occurrence>();
  for (const [id, recording] of Object.entries(one)) {
    pairs(recording, other[id], (a, b, name) => {
      const [ofA, ofB] = [wordsOf(a), wordsOf(b)];
      if (ofA.length !== ofB.length) throw new Error(`The runs differ in the form of ${name}: ${a} and ${b}`);
      const isTag = STRONG_TAG.test(a) && name === "etag";
      for (const [at, word] of ofA.entries()) {
        if (word === ofB[at] && !isTag) continue;
        const { id: first = id, name: known } = found.get(word) ?? {};
        found.set(word, { id: first, name: known ?? (ofA.length === 1 ? name : undefined) });
      }
    });
  }
  return found;
};

const dashed = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

/** A placeholder for each word, numbered in its operation: those of a new operation leave all others as they are. */
const placeholdersOf = (words: ReadonlyMap<string, Occurrence>): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>();
  const next = (kind: string): number => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts.get(kind) ?? 0;
  };
  return new Map(
    [...words].map(([word, { id, name = "value" }]) => {
      if (UUID.test(word)) {
        const node = MEANINGLESS.has(name) ? "0".repeat(12) : nodeOf(`${id} ${next(`uuid of ${id}`)}`);
        return [word, `00000000-0000-4000-8000-${node}`];
      }
      const digits = nodeOf(`${id} ${name} ${next(`${name} of ${id}`)}`).slice(0, 6);
      return [word, `example-${dashed(name)}-${digits}`];
    }),
  );
};

/** The last part of a UUID that stands for a text. */
const nodeOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

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

/** Characters of a body, as JSON, from which on it is cut. */
const LONG = 3_000;
const ELEMENTS_SHOWN = 2;
const CHARACTERS_SHOWN = 800;

const cut = (value: unknown): unknown => {
  if (typeof value === "string") {
    return value.length > CHARACTERS_SHOWN ? `${value.slice(0, CHARACTERS_SHOWN)}…` : value;
  }
  if (Array.isArray(value)) return value.slice(0, ELEMENTS_SHOWN).map(cut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part)]));
};

/** Without members named `$ref`, as SCIM has them: readers of OpenAPI would follow them. */
const withoutLinks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, part]) => name !== "$ref" || typeof part !== "string");
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutLinks(part)]));
};

const shown = (body: unknown): unknown => {
  const plain = withoutLinks(body);
  return JSON.stringify(plain).length > LONG ? cut(plain) : plain;
};

const shortRecording = ({ request, answer, failures }: Recording): Recording => {
  const body = answer?.body;
  return {
    request,
    ...(answer && { answer: { ...answer, ...(body !== undefined && { body: shown(body) }) } }),
    failures,
  };
};

/** The recordings with short bodies. */
export const shortened = (recordings: Recordings): Recordings =>
  Object.fromEntries(Object.entries(recordings).map(([id, recording]) => [id, shortRecording(recording)]));
