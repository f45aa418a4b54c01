/**
 * The tree of an application file as JSON values, with the names of WSO2 Identity Server's YAML and JSON files, and
 * back. Nothing is lost: what has no counterpart there keeps its XML name, attributes are members that begin with `@`,
 * and repeated elements are lists. Pure.
 */
import { beanNameOf, listItems, numbers, texts, xmlNameOf } from "./bean-names.ts";
import { textNames } from "./declared.ts";
import { kindWords, marked } from "./kinds.ts";
import { nestedDocuments, ROOT, refuseFile } from "./read-xml.ts";
import { declaredElements } from "./service-provider.ts";
import { type Element, element } from "./tree.ts";

/** A value of a file. */
export type Bean = string | number | boolean | null | readonly Bean[] | { readonly [name: string]: Bean };
type BeanObject = { readonly [name: string]: Bean };

const SCRIPT = "AuthenticationScript";
const HOLDER = "inboundConfiguration";
const SECRET = "oauthConsumerSecret";
/** The member that says which document an entry has. */
const TYPE = "type";
const LIMITS = { depth: 30, elements: 75_000 };
const documents: ReadonlySet<string> = new Set(Object.values(nestedDocuments));
/** Names that XML allows, without those of namespaces. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,254}$/;

/** The values of a file. */
export function beansOf(root: Element): BeanObject {
  return objectOf(root);
}

function objectOf(from: Element): BeanObject {
  const members = new Map<string, Bean>();
  for (const [name, value] of Object.entries(from.attributes)) members.set(`@${name}`, value);
  if (from.text !== "") members.set("#text", from.text);
  const byName = new Map<string, Element[]>();
  for (const child of from.children) byName.set(child.name, [...(byName.get(child.name) ?? []), child]);
  for (const [name, all] of byName) {
    const [first] = all;
    const isRepeated = all.length > 1 || (name === "AndroidThumbprints" && first !== undefined);
    const value: Bean = isRepeated || !first ? all.map(valueOfElement) : valueOfElement(first);
    members.set(beanNameOf(name, from.name), value);
  }
  return Object.fromEntries(members);
}

function valueOfElement(from: Element): Bean {
  const { name, attributes, text, children } = from;
  const hasAttributes = Object.keys(attributes).length > 0;
  if (name === SCRIPT && children.length === 0) return { content: text, ...attributes };
  const [document] = children;
  if (name === HOLDER && document && documents.has(document.name) && children.length === 1) {
    const values = { [TYPE]: document.name, ...objectOf(document) };
    // Tools look for the word null where a secret is left out.
    return document.name === nestedDocuments.oauth2 && !(SECRET in values) ? { ...values, [SECRET]: null } : values;
  }
  const item = listItems[name];
  if (item !== undefined && !hasAttributes && text === "" && children.every((child) => child.name === item)) {
    return children.map(valueOfElement);
  }
  return children.length > 0 || hasAttributes ? objectOf(from) : scalarOf(name, text);
}

let declaredTexts: ReadonlySet<string> | undefined;

/** A flag or a number where the text is one, and nothing of the text is lost. */
function scalarOf(name: string, text: string): Bean {
  declaredTexts ??= textNames(declaredElements);
  if (declaredTexts.has(name)) return text;
  if ((text === "true" || text === "false") && !texts.has(name)) return text === "true";
  const isNumber = numbers.has(name) || name.endsWith("ExpiryTime");
  return isNumber && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/**
 * The tree of values. Throws `application.invalid` for a file that is no object, is too large, or has a member that
 * cannot be an element.
 */
export function treeOf(value: Bean): Element {
  const left = { elements: LIMITS.elements };
  if (!isObject(value)) throw refuseFile("The file must have an object with the settings of an application.");
  return fromObject(ROOT, value, LIMITS.depth, left);
}

type Left = { elements: number };

function fromObject(name: string, value: BeanObject, depth: number, left: Left): Element {
  const attributes: Record<string, string> = {};
  const children: Element[] = [];
  const emptyLists: string[] = [];
  let text = "";
  for (const [member, bean] of Object.entries(value)) {
    if (bean === null) continue;
    if (member === "#text") text = scalarIn(member, bean);
    else if (member.startsWith("@")) attributes[checkedName(member.slice(1))] = scalarIn(member, bean);
    else {
      const child = checkedName(xmlNameOf(member, name));
      if (isList(bean) && bean.length === 0) emptyLists.push(child);
      children.push(...fromMember(child, bean, depth - 1, left));
    }
  }
  const made = { ...element(name, "", attributes), text: element(name, text).text, children };
  return emptyLists.length === 0 ? made : marked(made, { emptyLists });
}

/** The elements of one member: several where it is a list of elements that have no holder. */
function fromMember(name: string, bean: Bean, depth: number, left: Left): readonly Element[] {
  left.elements -= 1;
  if (depth < 0 || left.elements < 0) {
    throw refuseFile(`The file has more than ${LIMITS.depth} levels or ${LIMITS.elements} members.`);
  }
  if (!isList(bean)) return [fromValue(name, bean, depth, left)];
  const item = listItems[name];
  const isOne = item !== undefined && !(bean.length > 0 && bean.every(isList));
  if (!isOne) {
    const all = bean.flatMap((each) => (each === null ? [] : fromMember(name, each, depth - 1, left)));
    return all.map((each) => marked(each, { isListed: true }));
  }
  const items = bean.flatMap((each) => (each === null ? [] : fromMember(item, each, depth - 1, left)));
  return [element(name, items)];
}

function fromValue(name: string, bean: Exclude<Bean, readonly Bean[]>, depth: number, left: Left): Element {
  if (!isObject(bean)) {
    const made = element(name, String(bean));
    return typeof bean === "string" || bean === null ? made : marked(made, { kind: kindWords[typeof bean] });
  }
  if (name === SCRIPT && "content" in bean) {
    const { content, ...attributes } = bean;
    if (content !== null && typeof content !== "string") {
      throw refuseFile(`${beanNameOf(name, "")}.content must be a string.`);
    }
    const written = Object.entries(attributes).filter(([, value]) => value !== null);
    return element(
      name,
      content ?? "",
      Object.fromEntries(written.map(([attribute, value]) => [checkedName(attribute), scalarIn(attribute, value)])),
    );
  }
  const type = bean[TYPE];
  if (name === HOLDER && typeof type === "string" && documents.has(type)) {
    const { [TYPE]: _, ...document } = bean;
    return element(name, [fromObject(type, document, depth - 1, left)]);
  }
  return fromObject(name, bean, depth, left);
}

/** The text of a value that an attribute has. */
function scalarIn(member: string, bean: Bean): string {
  if (bean !== null && typeof bean === "object") throw refuseFile(`${member} must be a string.`);
  return String(bean);
}

function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw refuseFile(`The file has a member with a name that cannot be stored: "${name.slice(0, 50)}".`);
}

function isObject(bean: Bean): bean is BeanObject {
  return bean !== null && typeof bean === "object" && !Array.isArray(bean);
}

function isList(bean: Bean): bean is readonly Bean[] {
  return Array.isArray(bean);
}
