/** Values in distinguished names (RFC 4514), and the request of RFC 3062 that the client library does not build. */

const ESCAPED = /[\p{Cc}"+,;<=>\\#]/u;

/** A value as text of a distinguished name. Syntax characters, and spaces at both ends, become hex pairs. */
export function dnValue(text: string): string {
  return [...text]
    .map((character, at, all) =>
      ESCAPED.test(character) || (character === " " && (at === 0 || at === all.length - 1))
        ? hex(character)
        : character,
    )
    .join("");
}

function hex(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
}

/** The relative distinguished names of an entry: its own first, then those of its parents. */
export function rdnsOf(dn: string): readonly [string, ...string[]] {
  const [first = "", ...parents] = dn.split(/(?<!\\),/);
  return [first, ...parents];
}

/** Whether the entry's own relative distinguished name consists of this attribute alone. */
export function isNamedBy(dn: string, attribute: string): boolean {
  const [first] = rdnsOf(dn);
  return (
    first.slice(0, attribute.length + 1).toLowerCase() === `${attribute.toLowerCase()}=` && !/(?<!\\)\+/.test(first)
  );
}

/** `PasswdModifyRequestValue` (RFC 3062 section 2): `userIdentity` and `newPasswd`. */
export function passwordRequest(dn: string, password: string): Buffer {
  return tagged(0x30, Buffer.concat([tagged(0x80, Buffer.from(dn)), tagged(0x82, Buffer.from(password))]));
}

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** A length in BER (X.690 section 8.1.3). */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}
