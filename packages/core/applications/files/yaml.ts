/** Reads and writes application files in YAML. Loaded with the first such file. */
import {
  DUMP_SCHEMA,
  defineMappingTag,
  dump,
  FAILSAFE_SCHEMA,
  load,
  nullYaml11Tag,
  realMapTag,
  YAMLException,
} from "js-yaml";
import type { Bean } from "./beans.ts";
import { nestedDocuments, refuseFile } from "./read-xml.ts";

const JAVA = "tag:yaml.org,2002:org.wso2.carbon.identity";
const ROOT = "ServiceProvider";
/** The Java classes that WSO2 Identity Server names in a file, by the elements that they stand for. */
const classes: Readonly<Record<string, string>> = {
  [ROOT]: `${JAVA}.application.common.model.ServiceProvider`,
  [nestedDocuments.oauth2 ?? ""]: `${JAVA}.oauth.dao.OAuthAppDO`,
  [nestedDocuments.samlsso ?? ""]: `${JAVA}.sso.saml.dto.SAMLSSOServiceProviderDTO`,
};
const NODES_MAX = 150_000;
const DEPTH_MAX = 40;
/** Characters of all names and texts after aliases are expanded: an upload has no more without them. */
const CHARACTERS_MAX = 4_194_304;

type Members = Map<unknown, unknown>;

/** An object of a Java class. */
class OfClass {
  readonly element: string;
  readonly members: Members;
  constructor(element: string, members: Members) {
    this.element = element;
    this.members = members;
  }
}

const tags = Object.entries(classes).map(([element, tag]) =>
  defineMappingTag<OfClass>(tag, {
    create: () => new OfClass(element, new Map()),
    addPair: ({ members }, key, value) => realMapTag.addPair(members, key, value),
    has: ({ members }, key) => members.has(key),
    keys: ({ members }) => members.keys(),
    get: ({ members }, key) => members.get(key),
    identify: (data) => data instanceof OfClass && data.element === element,
    represent: ({ members }) => members,
  }),
);
/** Scalars stay texts: `0123` and `1.0` are client ids and versions. */
const reading = FAILSAFE_SCHEMA.withTags(realMapTag, nullYaml11Tag, tags);
const writing = DUMP_SCHEMA.withTags(realMapTag, tags);

/**
 * Writes the values of a file. Words that a reader of YAML 1.1 or 1.2 takes for something else are quoted. Lists have
 * no indentation of their own, as Identity Server writes them: its tools replace tags by lines at a fixed indentation.
 */
export function writeYaml(beans: Bean, note?: string): string {
  const text = dump(nodeOf(beans, ROOT), { schema: writing, lineWidth: -1, noRefs: true, seqNoIndent: true });
  return note === undefined ? text : `# ${note}\n${text}`;
}

function nodeOf(bean: Bean, name: string): unknown {
  if (bean === null || typeof bean !== "object") return bean;
  if (isList(bean)) return bean.map((each) => nodeOf(each, ""));
  const { type } = bean;
  const element = name === ROOT ? ROOT : name === "inboundConfigurationProtocol" ? String(type) : "";
  const isKnown = Object.hasOwn(classes, element);
  const members: Members = new Map(
    Object.entries(bean)
      .filter(([member]) => !(isKnown && element !== ROOT && member === "type"))
      .map(([member, value]) => [member, nodeOf(value, member)]),
  );
  return isKnown ? new OfClass(element, members) : members;
}

/**
 * Reads a YAML file. Throws `application.invalid` for a file that is not one document of YAML, has a tag other than
 * those of Identity Server, repeats a name, or is too large or too deep.
 */
export function readYaml(text: string): Bean {
  let [nodes, characters] = [0, 0];
  const counted = (value: string): string => {
    characters += value.length;
    if (characters > CHARACTERS_MAX) throw refuseFile("The file is too large once its aliases are expanded.");
    return value;
  };
  const beanOf = (node: unknown, depth: number): Bean => {
    nodes += 1;
    if (nodes > NODES_MAX || depth > DEPTH_MAX) throw refuseFile("The file has too many values or levels.");
    if (node instanceof Map) return objectOf(node, depth, []);
    if (node instanceof OfClass) {
      return objectOf(node.members, depth, node.element === ROOT ? [] : [["type", node.element]]);
    }
    if (Array.isArray(node)) return node.map((each) => beanOf(each, depth + 1));
    return node === null || node === undefined ? null : counted(String(node));
  };
  const objectOf = (members: Members, depth: number, first: readonly (readonly [string, Bean])[]): Bean =>
    Object.fromEntries([
      ...first,
      ...[...members].map(([key, value]): [string, Bean] => [counted(nameOf(key)), beanOf(value, depth + 1)]),
    ]);
  return beanOf(parsed(text), 0);
}

function nameOf(key: unknown): string {
  if (typeof key === "string") return key;
  throw refuseFile("The file has a name that is not a text.");
}

function parsed(text: string): unknown {
  try {
    return load(text, { schema: reading, maxDepth: DEPTH_MAX });
  } catch (error) {
    // The message itself may quote the file.
    const reason = error instanceof YAMLException ? error.reason.slice(0, 100) : "it cannot be read";
    const line = error instanceof YAMLException && error.mark ? ` (line ${error.mark.line + 1})` : "";
    throw refuseFile(`The file is not YAML: ${reason}${line}.`);
  }
}

function isList(bean: Bean): bean is readonly Bean[] {
  return Array.isArray(bean);
}
