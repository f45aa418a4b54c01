/** Reads LDIF (RFC 2849): records of entries, with folded lines, comments and base64 values. */
import { Refusal, type SourceRecord } from "./record.ts";

/**
 * The entries of an LDIF file. Attribute options (`cn;lang-de`) are part of a name. Throws `Refusal` with the line for
 * what is not LDIF, and for a file of changes.
 */
export async function* readLdif(lines: AsyncIterable<string>): AsyncGenerator<SourceRecord, void> {
  let fields = new Map<string, string[]>();
  let first = 0;
  for await (const { text, line } of unfolded(lines)) {
    if (text === "") {
      if (fields.has("dn")) yield { place: `line ${first}`, fields };
      fields = new Map();
      continue;
    }
    const [name, value] = attributeOf(text, line);
    if (name === "changetype") throw new Refusal(`line ${line}: the file has changes. Export entries instead.`);
    if (fields.size === 0) first = line;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
}

/** Lines without comments, each with the lines that continue it; an empty one at the end. */
async function* unfolded(lines: AsyncIterable<string>): AsyncGenerator<{ text: string; line: number }, void> {
  let current: { text: string; line: number } | undefined;
  let at = 0;
  for await (const given of lines) {
    at += 1;
    const text = at === 1 ? given.replace(/^\uFEFF/, "") : given;
    if (text.startsWith(" ")) {
      if (!current) throw new Refusal(`line ${at}: a line that continues another has none before it.`);
      current = { ...current, text: current.text + text.slice(1) };
      continue;
    }
    if (current && !current.text.startsWith("#")) yield current;
    current = { text, line: at };
  }
  if (current && !current.text.startsWith("#")) yield current;
  yield { text: "", line: at + 1 };
}

function attributeOf(text: string, line: number): readonly [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Refusal(`line ${line}: expected "name: value".`);
  const name = text.slice(0, colon).toLowerCase();
  const rest = text.slice(colon + 1);
  if (rest.startsWith("<")) throw new Refusal(`line ${line}: values from other files are not supported.`);
  if (rest.startsWith(":")) return [name, Buffer.from(rest.slice(1).trim(), "base64").toString("utf8")];
  return [name, rest.trimStart()];
}
