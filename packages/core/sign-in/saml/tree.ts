/**
 * A message as a tree of elements with namespaces. Comments and instructions are no part of a value: the text of an
 * element is all of its characters, so that a comment inside a name does not end it. Pure.
 */
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../kernel/faults.ts";
import { parseXmlText } from "../../kernel/xml.ts";

/** Namespaces of messages. */
export const namespaces = {
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  signature: "http://www.w3.org/2000/09/xmldsig#",
} as const;

/** An element. */
export interface XmlNode {
  readonly namespace: string;
  readonly name: string;
  /** Those without a prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
  readonly text: string;
}

/** No service provider sends more. Verifying a signature takes longer with each. */
const LIMITS = { depth: 20, elements: 500, attributes: 2_000, asides: 50 };
const XML = "http://www.w3.org/XML/1998/namespace";
/** The attributes that processors take for the ID of an element, with any prefix. */
const ID = /^(?:[^:]+:)?id$/i;

/**
 * Reads a message. Throws `request.invalid`: for a document type, undeclared prefixes, an ID that occurs twice, and
 * whatever `parseXmlText` refuses.
 */
export function readTree(xml: string): XmlNode {
  const ids = new Set<string>();
  return nodeOf(parseXmlText(xml, LIMITS, refuse), new Map([["xml", XML]]), ids);
}

/** The only child of a name; `undefined` where there is none. Throws `request.invalid` where there are several. */
export function childOf(node: XmlNode, namespace: keyof typeof namespaces, name: string): XmlNode | undefined {
  const [found, ...others] = childrenOf(node, namespace, name);
  if (others.length > 0) throw refuse(`It has more than one ${name}.`);
  return found;
}

/** The children of a name. */
export function childrenOf({ children }: XmlNode, namespace: keyof typeof namespaces, name: string) {
  return children.filter((child) => child.name === name && child.namespace === namespaces[namespace]);
}

/** The text of an element without children, without white space around it. Throws `request.invalid`. */
export function textOf({ name, text, children }: XmlNode): string {
  if (children.length > 0) throw refuse(`${name} must contain text alone.`);
  return text.trim();
}

/** The elements of a name in a message, at every level. */
export function countOf(node: XmlNode, namespace: keyof typeof namespaces, name: string): number {
  const own = node.name === name && node.namespace === namespaces[namespace] ? 1 : 0;
  return node.children.reduce((sum, child) => sum + countOf(child, namespace, name), own);
}

/** The elements of a name in a message, in any namespace: libraries look for some of them by that name alone. */
export function countOfName(node: XmlNode, name: string): number {
  return node.children.reduce((sum, child) => sum + countOfName(child, name), node.name === name ? 1 : 0);
}

/** What is thrown for a message that does not count. */
export function refuse(why: string): Fault {
  return new Fault("request.invalid", `The SAML message is not valid. ${why}`);
}

function nodeOf(element: XmlElement, outside: ReadonlyMap<string, string>, ids: Set<string>): XmlNode {
  const inside = declaredIn(element, outside);
  const attributes = new Map<string, string>();
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name === "xmlns" || name.startsWith("xmlns:")) continue;
    if (ID.test(name)) {
      if (ids.has(value)) throw refuse("An ID occurs twice in it.");
      ids.add(value);
    }
    const [prefix] = splitName(name);
    if (prefix === "") attributes.set(name, value);
    else namespaceOf(prefix, inside);
  }
  const [prefix, name] = splitName(element.name);
  return {
    namespace: prefix === "" ? (inside.get("") ?? "") : namespaceOf(prefix, inside),
    name,
    attributes,
    children: element.children.flatMap((child) => (child instanceof XmlElement ? [nodeOf(child, inside, ids)] : [])),
    text: element.children.map((child) => (child instanceof XmlText ? child.text : "")).join(""),
  };
}

/** The namespaces inside an element. Most elements declare none. */
function declaredIn({ attributes }: XmlElement, outside: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = Object.entries(attributes).flatMap(([name, value]) => {
    if (name === "xmlns") return [["", value] as const];
    return name.startsWith("xmlns:") ? [[name.slice("xmlns:".length), value] as const] : [];
  });
  return own.length === 0 ? outside : new Map([...outside, ...own]);
}

function namespaceOf(prefix: string, inside: ReadonlyMap<string, string>): string {
  const found = inside.get(prefix);
  if (!found) throw refuse("A prefix in it is not declared.");
  return found;
}

function splitName(name: string): readonly [prefix: string, local: string] {
  const [first = "", second, ...more] = name.split(":");
  if (more.length > 0) throw refuse("A name in it has two colons.");
  return second === undefined ? ["", first] : [first, second];
}
