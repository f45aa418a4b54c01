/** Parses the bytes of an application file into a tree, including the documents nested in it as text. */
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../kernel/faults.ts";
import { decodeXml, parseXmlText, type XmlLimits } from "../../kernel/xml.ts";
import { childrenOf, type Element, element, find, writable } from "./tree.ts";

/** More than any stored application needs: 9,200 options of federated providers need some 65,000 elements. */
const LIMITS: XmlLimits = { depth: 30, elements: 75_000, attributes: 75_000 };
const NESTED_LIMITS: XmlLimits = { depth: 15, elements: 10_000, attributes: 10_000 };

/** The root of an application file. */
export const ROOT = "ServiceProvider";
/**
 * Messages of WSO2 Identity Server, which clients compare: for unreadable files, and for files with invalid content.
 */
const UNREADABLE = "Error importing application from file.";
export const IMPORT_MESSAGE = "Error importing application from XML file.";

/** The roots of nested documents with settings of a protocol, by the type of their entry. */
export const nestedDocuments: Readonly<Record<string, string>> = {
  oauth2: "oAuthAppDO",
  samlsso: "samlssoServiceProviderDTO",
};

/** The fault for a file with invalid content. */
export function refuseFile(reason: string): Fault {
  return new Fault("application.invalid", reason, { message: IMPORT_MESSAGE });
}

/**
 * Parses an application file. Throws `application.invalid` for a file that is not UTF-8 or not well-formed, has a
 * document type, entities, another root or several names, or has too many levels or elements.
 */
export function readXml(bytes: Uint8Array): Element {
  const refuse = (reason: string) =>
    new Fault("application.invalid", `The file is not an exported application. ${reason}`, { message: UNREADABLE });
  const root = toElement(parseXmlText(decodeXml(bytes, refuse), LIMITS, refuse));
  if (root.name !== ROOT) throw refuse(`The root element must be ${ROOT}, not ${root.name.slice(0, 100)}.`);
  const [, second] = childrenOf(root, "ApplicationName");
  if (second) throw refuse("It has more than one ApplicationName.");
  return openEntries(root);
}

function openEntries(root: Element): Element {
  return replaceChild(root, "InboundAuthenticationConfig", (config) =>
    replaceChild(config, "InboundAuthenticationRequestConfigs", (list) => ({
      ...list,
      children: list.children.map((entry) =>
        entry.name === "InboundAuthenticationRequestConfig" ? openEntry(entry) : entry,
      ),
    })),
  );
}

/** Parses the document of an entry. Older exports write it as text, newer ones as an element. */
function openEntry(entry: Element): Element {
  const type = find(entry, "InboundAuthType")?.text.trim() ?? "";
  const name = Object.hasOwn(nestedDocuments, type) ? nestedDocuments[type] : undefined;
  if (name === undefined) return entry;
  const inline = find(entry, "InboundConfigurationProtocol");
  if (inline) {
    const root = find(inline, name) ?? element(name, inline.children);
    const rest = entry.children.filter((child) => child !== inline && child.name !== "inboundConfiguration");
    return { ...entry, children: [...rest, element("inboundConfiguration", [root])] };
  }
  return replaceChild(entry, "inboundConfiguration", (holder) => {
    const text = holder.text.trim();
    if (text === "") return holder;
    const refuse = (reason: string) => refuseFile(`The document in the ${type} entry is invalid: ${reason}`);
    const root = toElement(parseXmlText(text, NESTED_LIMITS, refuse));
    if (root.name !== name) throw refuse(`its root element must be ${name}.`);
    return { ...holder, text: "", children: [root] };
  });
}

function replaceChild(parent: Element, name: string, change: (child: Element) => Element): Element {
  return {
    ...parent,
    children: parent.children.map((child) => (child.name === name ? change(child) : child)),
  };
}

/** Blank text next to child elements is layout. */
function toElement({ name, attributes, children }: XmlElement): Element {
  const below = children.filter((child) => child instanceof XmlElement).map(toElement);
  const text = children.map((child) => (child instanceof XmlText ? child.text : "")).join("");
  return {
    name,
    attributes: Object.fromEntries(Object.entries(attributes)),
    text: writable(below.length > 0 ? text.trim() : text),
    children: below,
  };
}
