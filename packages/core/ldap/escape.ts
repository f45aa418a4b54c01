/** Texts of callers as parts of distinguished names (RFC 4514), and the one request that the client library has no words for. */

const BYTE = /[\p{Cc}"+,;<=>\\#]/u;

/** A value as it stands in a distinguished name. Whatever could be syntax is written by its bytes, and so are blanks at the ends. */
export function dnValue(text: string): string {
  return [...text]
    .map((character, at, all) =>
      BYTE.test(character) || (character === " " && (at === 0 || at === all.length - 1)) ? hex(character) : character,
    )
    .join("");
}

function hex(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Whether the first part of a distinguished name is made of this attribute alone. */
export function isNamedBy(dn: string, attribute: string): boolean {
  const [first = ""] = dn.split(/(?<!\\),/, 1);
  return (
    first.slice(0, attribute.length + 1).toLowerCase() === `${attribute.toLowerCase()}=` && !/(?<!\\)\+/.test(first)
  );
}

/** `PasswdModifyRequestValue` (RFC 3062 section 2): whose password, and the new one. */
export function passwordRequest(dn: string, password: string): Buffer {
  return tagged(0x30, Buffer.concat([tagged(0x80, Buffer.from(dn)), tagged(0x82, Buffer.from(password))]));
}

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** A length as BER writes it (X.690 section 8.1.3). */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}
