/**
 * SAML metadata as plain data. Documents with a document type, entities, or too much depth are refused before they are
 * read. Pure.
 */
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../kernel/faults.ts";
import { decodeXml, parseXmlText } from "../../kernel/xml.ts";

const LIMITS = { depth: 30, elements: 5_000, attributes: 20_000 };
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const READ_NAMESPACES: ReadonlySet<string> = new Set([METADATA, "http://www.w3.org/2000/09/xmldsig#"]);

export type Tree = { readonly [name: string]: string | readonly Tree[] };

/** The namespaces that an element declares, and those around it. Copying them for each element would be quadratic. */
interface Namespaces {
  readonly own: ReadonlyMap<string, string>;
  readonly outside?: Namespaces;
}

/** The description of one entity. Throws `saml.invalid`. */
export function entityIn(bytes: Uint8Array): Tree {
  const root = parseXmlText(decodeXml(bytes, refuse), LIMITS, refuse);
  const name = splitName(root.name)[1];
  const tree = name === "EntityDescriptor" ? toTree(root) : undefined;
  if (!tree) {
    const many = name === "EntitiesDescriptor" ? " It has several entities: send the EntityDescriptor of the one." : "";
    throw refuse(`The root must be one EntityDescriptor of the namespace ${METADATA}.${many}`);
  }
  return tree;
}

/**
 * An element of metadata or of an XML signature as plain data: attributes with an `@`, its own text as `#text`, and
 * children in lists by local name. Elements of other namespaces are ignored.
 */
function toTree(element: XmlElement, outside?: Namespaces): Tree | undefined {
  const namespaces = namespacesIn(element, outside);
  const [prefix] = splitName(element.name);
  if (!READ_NAMESPACES.has(namespaceOf(prefix, namespaces))) return undefined;
  const tree: Record<string, string | Tree[]> = {};
  for (const [name, value] of Object.entries(element.attributes)) tree[`@${name}`] = value;
  let text = "";
  for (const child of element.children) {
    if (child instanceof XmlText) text += child.text;
    if (!(child instanceof XmlElement)) continue;
    const below = toTree(child, namespaces);
    if (!below) continue;
    const [, name] = splitName(child.name);
    const siblings = tree[name];
    if (Array.isArray(siblings)) siblings.push(below);
    else tree[name] = [below];
  }
  tree["#text"] = text;
  return tree;
}

/** The namespaces inside an element. */
function namespacesIn(element: XmlElement, outside: Namespaces | undefined): Namespaces {
  const own = new Map<string, string>();
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name === "xmlns") own.set("", value);
    else if (name.startsWith("xmlns:")) own.set(name.slice("xmlns:".length), value);
  }
  return { own, ...(outside && { outside }) };
}

/** The namespace of a prefix. The levels of a document are limited. */
function namespaceOf(prefix: string, { own, outside }: Namespaces): string {
  return own.get(prefix) ?? (outside ? namespaceOf(prefix, outside) : "");
}

function splitName(name: string): readonly [prefix: string, local: string] {
  const colon = name.indexOf(":");
  return colon < 0 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

/** The fault of a document that cannot be read. */
export function refuse(reason: string): Fault {
  return new Fault("saml.invalid", `Error parsing SAML SP metadata. ${reason}`);
}
