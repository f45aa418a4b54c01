/** docs/table.md: the kinds of rows that the page has, and which of them a row is. */
import { readFileSync } from "node:fs";

/** One kind of row, as the page shows it. */
export interface Kind {
  /** The member of `keys`, with a dot before that of an index. */
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
  readonly attributes: readonly string[];
  readonly expires: boolean;
  /** Folders below `packages/core`, or paths that begin with `packages`. */
  readonly owners: readonly string[];
}

/** The names of attributes of a row, without those of its key. */
export interface Shown {
  readonly PK: string;
  readonly SK: string;
  readonly attributes: readonly string[];
}

/** The kinds of the page, in its order. */
export const kinds: readonly Kind[] = readFileSync(new URL("../../docs/table.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => {
    const [name, pk, sk, attributes, expires, owners] = line.split("|").slice(1, -1);
    return {
      name: codesIn(name)[0] ?? "",
      pk: codesIn(pk)[0] ?? "",
      sk: codesIn(sk)[0] ?? "",
      attributes: codesIn(attributes),
      expires: expires?.trim() === "yes",
      owners: codesIn(owners),
    };
  });

function codesIn(cell: string | undefined): readonly string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** The kinds that a row may be of: its key has their form, and they have all of its attributes. */
export const kindsOf = ({ PK, SK, attributes }: Shown): readonly Kind[] =>
  patterns.flatMap(({ kind, pk, sk, known }) =>
    pk.test(PK) && sk.test(SK) && attributes.every((attribute) => known.some((pattern) => pattern.test(attribute)))
      ? [kind]
      : [],
  );

/** What may stand in the place of a word: the first text of an index is empty, and some names never contain a `#`. */
const places: Readonly<Record<string, string>> = {
  tenant: "[^#]*",
  low: ".*",
  ...Object.fromEntries(["store", "attribute", "type", "kind", "lane"].map((word) => [word, "[^#]+"])),
};

function patternOf(form: string): RegExp {
  const text = form.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, (_, word) => places[word] ?? ".+");
  return new RegExp(`^${text}$`, "s");
}

const patterns = kinds.map((kind) => ({
  kind,
  pk: patternOf(kind.pk),
  sk: patternOf(kind.sk),
  known: [...kind.attributes, ...(kind.expires ? ["expiresAtSeconds"] : [])].map(patternOf),
}));
