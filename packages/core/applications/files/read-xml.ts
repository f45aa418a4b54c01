/** From the bytes of an application file to its tree, with the documents that are nested in it as text opened too. */
import { XmlElement, XmlText } from "@rgrove/parse-xml";
import { Fault } from "../../platform/faults.ts";
import { decodeXml, parseXmlText, type XmlLimits } from "../../platform/xml.ts";
import { childrenOf, type Element, element, find, writable } from "./tree.ts";

/** Beyond any application that fits an item: 9,200 options of federated providers make some 65,000 elements. */
const LIMITS: XmlLimits = { depth: 30, elements: 75_000 };
const NESTED_LIMITS: XmlLimits = { depth: 15, elements: 10_000 };

/** The root of an application file. */
export const ROOT = "ServiceProvider";
/** Upstream's messages, which clients compare: of files that are none, and of those that say what cannot be. */
const UNREADABLE = "Error importing application from file.";
export const IMPORT_MESSAGE = "Error importing application from XML file.";

/** The settings of a protocol, by the type of their entry: a document of its own, written as text. */
export const nestedDocuments: Readonly<Record<string, string>> = {
  oauth2: "oAuthAppDO",
  samlsso: "samlssoServiceProviderDTO",
};

/** The fault of a file that says what cannot be. */
export function refuseFile(reason: string): Fault {
  return new Fault("application.invalid", reason, { message: IMPORT_MESSAGE });
}

/**
 * The tree of an application file. Throws `application.invalid` for what is not UTF-8, not well-formed, has a document
 * type or entities, another root, more than one of a section, or more levels and elements than any application has.
 */
export function readXml(bytes: Uint8Array): Element {
  const refuse = (reason: string) =>
    new Fault("application.invalid", `The file is not an exported application. ${reason}`, { message: UNREADABLE });
  const root = toElement(parseXmlText(decodeXml(bytes, refuse), LIMITS, refuse));
  if (root.name !== ROOT) throw refuse(`Its root must be ${ROOT}, not ${root.name.slice(0, 100)}.`);
  const [, second] = childrenOf(root, "ApplicationName");
  if (second) throw refuse("It names more than one application.");
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

/** The document that an entry holds: as text, or, in the variant of newer exports, as the element itself. */
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
    const refuse = (reason: string) => refuseFile(`The document inside the ${type} entry: ${reason}`);
    const root = toElement(parseXmlText(text, NESTED_LIMITS, refuse));
    if (root.name !== name) throw refuse(`its root is not ${name}.`);
    return { ...holder, text: "", children: [root] };
  });
}

function replaceChild(parent: Element, name: string, change: (child: Element) => Element): Element {
  return {
    ...parent,
    children: parent.children.map((child) => (child.name === name ? change(child) : child)),
  };
}

/** Text beside children is layout, unless somebody wrote something there. */
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
