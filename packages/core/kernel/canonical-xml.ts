/**
 * XML in exclusive canonical form (Exclusive XML Canonicalization 1.0): what is composed here is what is signed, so no
 * answer is parsed again before it leaves. Attributes are in order, no element is empty by its tag alone, and each
 * namespace is declared where it is first used. Pure.
 */

/** XML in canonical form. */
export type Canonical = string & { readonly isCanonical: true };

/** Attributes by name. Namespaces are among them, as `xmlns:prefix`. */
type Attributes = Readonly<Record<string, string | undefined>>;

/** An element with text or elements in it. */
export function element(
  name: string,
  attributes: Attributes,
  ...content: readonly (Canonical | undefined)[]
): Canonical {
  const inside = content.join("");
  return `<${name}${attributesOf(attributes)}>${inside}</${name}>` as Canonical;
}

/** The text of an element. Characters that XML cannot have become U+FFFD. */
export function text(value: string): Canonical {
  return possible(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#xD;") as Canonical;
}

/** Elements one after the other. */
export function together(...content: readonly (Canonical | undefined)[]): Canonical {
  return content.join("") as Canonical;
}

/** Declarations first, then all others, each by the order of their names; without a namespace all of them. */
function attributesOf(attributes: Attributes): string {
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const isDeclaration = ([name]: readonly [string, string]) => name.startsWith("xmlns");
  const inOrder = (some: typeof given) => some.sort(([one], [other]) => (one < other ? -1 : 1));
  const all = [...inOrder(given.filter(isDeclaration)), ...inOrder(given.filter((each) => !isDeclaration(each)))];
  return all.map(([name, value]) => ` ${name}="${attributeText(value)}"`).join("");
}

function attributeText(value: string): string {
  return possible(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\t", "&#x9;")
    .replaceAll("\n", "&#xA;")
    .replaceAll("\r", "&#xD;");
}

/** The characters of XML 1.0 section 2.2. */
function possible(value: string): string {
  return value.toWellFormed().replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}
