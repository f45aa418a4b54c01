/**
 * Distinguished names: the text of RFC 4514, and the subject of a certificate, in one form that can be compared. Values
 * are compared exactly, attribute types without case, so that two names which are equal here are the same name. Pure.
 */
import type { X509Certificate } from "node:crypto";

/** Attribute types under other names: short names, long names and object identifiers, in lower case. */
const types: ReadonlyMap<string, string> = new Map(
  [
    ["cn", "commonname", "2.5.4.3"],
    ["sn", "surname", "2.5.4.4"],
    ["serialnumber", "2.5.4.5"],
    ["c", "countryname", "2.5.4.6"],
    ["l", "localityname", "2.5.4.7"],
    ["st", "s", "stateorprovincename", "2.5.4.8"],
    ["street", "streetaddress", "2.5.4.9"],
    ["o", "organizationname", "2.5.4.10"],
    ["ou", "organizationalunitname", "2.5.4.11"],
    ["title", "t", "2.5.4.12"],
    ["businesscategory", "2.5.4.15"],
    ["postalcode", "2.5.4.17"],
    ["gn", "givenname", "2.5.4.42"],
    ["organizationidentifier", "2.5.4.97"],
    ["dc", "domaincomponent", "0.9.2342.19200300.100.1.25"],
    ["uid", "userid", "0.9.2342.19200300.100.1.1"],
    ["emailaddress", "email", "e", "1.2.840.113549.1.9.1"],
    ["jurisdictionl", "1.3.6.1.4.1.311.60.2.1.1"],
    ["jurisdictionst", "1.3.6.1.4.1.311.60.2.1.2"],
    ["jurisdictionc", "1.3.6.1.4.1.311.60.2.1.3"],
  ].flatMap((names) => names.map((name) => [name, names[0] ?? ""] as const)),
);

const TYPE = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/;
const HEX_PAIR = /^[0-9A-Fa-f]{2}$/;
/** The characters that a backslash may precede (RFC 4514 section 3). */
const ESCAPABLE = ' "#+,;<=>\\';

/**
 * A name in comparable form: the same text for the same name. `undefined` for a text that is not a name of RFC 4514, or
 * that has a value in hexadecimal form.
 */
export function canonicalName(text: string): string | undefined {
  const parts = split(text, ",").map((rdn) => split(rdn, "+").map(canonicalPart));
  if (parts.flat().includes(undefined)) return undefined;
  // The parts of one relative name have no order.
  return JSON.stringify(parts.map((rdn) => [...rdn].sort()));
}

/** The subject of a certificate in the same form; `undefined` where it has none. */
export function subjectOf({ subject }: Pick<X509Certificate, "subject">): string | undefined {
  // Node has one relative name per line, from the root, with the escapes of RFC 2253; RFC 4514 begins at the other end.
  return subject ? canonicalName(subject.split("\n").reverse().join(",")) : undefined;
}

/** Splits at a separator that is not escaped. */
function split(text: string, separator: string): string[] {
  const parts = [""];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === separator) parts.push("");
    else {
      const taken = character === "\\" ? text.slice(at, at + 2) : character;
      parts[parts.length - 1] += taken;
      at += taken.length - 1;
    }
  }
  return parts;
}

function canonicalPart(text: string): string | undefined {
  const at = text.indexOf("=");
  const type = text.slice(0, Math.max(at, 0)).trim();
  const value = plainValue(text.slice(at + 1));
  if (!TYPE.test(type) || !value) return undefined;
  const name = type.toLowerCase();
  return `${types.get(name) ?? name}=${value}`;
}

/** The value without its escapes and without blanks around it that are not escaped. */
function plainValue(given: string): string | undefined {
  const text = trimmed(given);
  if (text.startsWith("#")) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character !== "\\") {
      if ('"+,;<>'.includes(character) || character === "\u0000") return undefined;
      bytes.push(...Buffer.from(character, "utf8"));
      at += character.length;
    } else if (HEX_PAIR.test(text.slice(at + 1, at + 3))) {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 3;
    } else {
      const escaped = text.charAt(at + 1);
      if (escaped === "" || !ESCAPABLE.includes(escaped)) return undefined;
      bytes.push(escaped.charCodeAt(0));
      at += 2;
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    // The escapes are not UTF-8.
    return undefined;
  }
}

function trimmed(text: string): string {
  const start = text.trimStart();
  const end = start.trimEnd();
  // A blank after a backslash belongs to the value, unless the backslash itself is escaped.
  let slashes = 0;
  while (end.charAt(end.length - 1 - slashes) === "\\") slashes += 1;
  return slashes % 2 === 1 && start.length > end.length ? `${end} ` : end;
}
