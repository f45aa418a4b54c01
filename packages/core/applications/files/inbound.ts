/**
 * Maps inbound protocols between a file and the settings. Pure.
 *
 * | entry: InboundAuthType, and its required content | member |
 * | --- | --- |
 * | oauth2 with a document oAuthAppDO (oauth.ts), whose key is InboundAuthKey | inboundProtocolConfiguration.oidc |
 * | samlsso with a document samlssoServiceProviderDTO (saml.ts) | .saml.manualConfiguration |
 * | passivests with a property passiveSTSWReply | .passiveSts: InboundAuthKey is realm; passiveSTSWReplyLogout is replyToLogout |
 * | wstrust with a property certificateAlias | .wsTrust: InboundAuthKey is audience |
 * | the name of a custom protocol of this deployment | .custom: InboundConfigType is configName, its declared properties |
 * | anything else: `openid`, passivests without a reply, undeclared protocols | otherEntries: listed and exported, without effect |
 *
 * Of a property, only Name, Value and IsConfidential matter; the rest is for user interfaces.
 */
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { samlKey } from "../protocols/kinds.ts";
import type { SamlServiceProvider } from "../protocols/model.ts";
import { oauthParts } from "./oauth.ts";
import { at, flagsNamed, grouped, isTrue, type Json, listed, type Part, put, type Shape, textsNamed } from "./parts.ts";
import { nestedDocuments, refuseFile } from "./read-xml.ts";
import { plainIssuer, samlParts } from "./saml.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

const STANDARD = "standardAPP";
const CONFIGURATION = "inboundProtocolConfiguration";
const REPLY = "passiveSTSWReply";
const REPLY_LOGOUT = "passiveSTSWReplyLogout";
const CERTIFICATE_ALIAS = "certificateAlias";
const ATTRIBUTE_INDEX = "attrConsumServiceIndex";
const ENTRY = "InboundAuthenticationRequestConfig";

interface Property {
  readonly key: string;
  readonly value: string;
  readonly isConfidential: boolean;
}

/** Reads the settings of one protocol; `undefined` for an entry without the required content. */
type ReadEntry = (entry: Element, key: string) => Json | undefined;

const standard: ReadonlyMap<string, ReadEntry> = new Map([
  ["oauth2", readOauth],
  ["samlsso", readSaml],
  ["passivests", readPassiveSts],
  ["wstrust", readWsTrust],
]);

interface Entry {
  readonly key: string;
  readonly type: string;
  readonly configType?: string;
  readonly document?: readonly Element[];
  readonly properties?: readonly Element[];
}

interface Custom {
  readonly name: string;
  readonly configName: string;
  readonly properties: readonly Property[];
}

const entryShape: Shape = {
  is: "group",
  inside: {
    ...textsNamed("InboundAuthKey", "InboundAuthType", "InboundConfigType"),
    ...listed("Properties", "Property", {
      is: "group",
      inside: { ...textsNamed("Name", "Value"), ...flagsNamed("IsConfidential") },
    }),
    inboundConfiguration: {
      is: "group",
      // The document of an undeclared protocol.
      isMixed: true,
      inside: {
        ...grouped(nestedDocuments.oauth2 ?? "", oauthParts.declares),
        ...grouped(nestedDocuments.samlsso ?? "", samlParts.declares),
      },
    },
  },
};

/** `InboundAuthenticationConfig`, with the custom protocols of the deployment. */
export function inboundPart(kinds: readonly CustomProtocolKind[]): Part {
  return {
    declares: grouped("InboundAuthenticationConfig", listed("InboundAuthenticationRequestConfigs", ENTRY, entryShape)),
    read(root) {
      const config = find(root, "InboundAuthenticationConfig");
      return config ? readEntries(config, kinds) : {};
    },
    write(settings) {
      const others = (settings.otherEntries ?? []) as readonly Entry[];
      const entries = [...standardEntries(settings), ...customEntries(settings), ...others];
      const list = element("InboundAuthenticationRequestConfigs", entries.map(writeEntry));
      return [element("InboundAuthenticationConfig", [list])];
    },
  };
}

function readEntries(parent: Element, kinds: readonly CustomProtocolKind[]): Json {
  const protocols: Record<string, unknown> = {};
  const custom: unknown[] = [];
  const otherEntries: Json[] = [];
  const seen = new Set<string>();
  for (const entry of childrenOf(find(parent, "InboundAuthenticationRequestConfigs"), ENTRY)) {
    const type = textAt(entry, "InboundAuthType")?.trim() ?? "";
    const key = textAt(entry, "InboundAuthKey") ?? "";
    const kind = kinds.find(({ name }) => name === type);
    const read = standard.get(type) ?? (kind && readCustom(kind));
    const { custom: one, ...protocol } = read?.(entry, key) ?? {};
    if (one === undefined && Object.keys(protocol).length === 0) {
      if (type !== "") otherEntries.push({ type, key });
      continue;
    }
    if (seen.has(type)) throw refuseFile(`The file configures ${type.slice(0, 100)} more than once.`);
    seen.add(type);
    Object.assign(protocols, protocol);
    custom.push(...((one ?? []) as unknown[]));
  }
  return { [CONFIGURATION]: { ...protocols, ...(custom.length > 0 && { custom }) }, otherEntries };
}

function readCustom(kind: CustomProtocolKind): ReadEntry {
  return (entry) => ({
    custom: [
      {
        name: kind.name,
        configName: textAt(entry, "InboundConfigType") || kind.configName,
        properties: propertiesOf(entry).filter(({ key }) => kind.properties.some(({ name }) => name === key)),
      },
    ],
  });
}

function propertiesOf(entry: Element): readonly Property[] {
  return childrenOf(find(entry, "Properties"), "Property").map((property) => ({
    key: textAt(property, "Name") ?? "",
    value: textAt(property, "Value") ?? "",
    isConfidential: isTrue(property, "IsConfidential"),
  }));
}

/** The entries of the configured standard protocols. */
function standardEntries(settings: Json): readonly Entry[] {
  const { oidc, saml, passiveSts, wsTrust } = (at(settings, [CONFIGURATION]) ?? {}) as Record<string, Json | undefined>;
  const manual = at(saml, ["manualConfiguration"]) as SamlServiceProvider | undefined;
  const entries: Entry[] = [];
  if (oidc) {
    const document = oauthParts.write({ ...oidc, applicationName: settings.name });
    entries.push({ key: String(oidc.clientId), type: "oauth2", document });
  }
  if (manual) {
    const properties = optional(ATTRIBUTE_INDEX, at(manual, ["singleSignOnProfile", "attributeConsumingServiceIndex"]));
    entries.push({ key: samlKey(manual), type: "samlsso", document: samlParts.write(manual), properties });
  }
  if (passiveSts) {
    const reply = property(REPLY, String(passiveSts.replyTo));
    const properties = [reply, ...optional(REPLY_LOGOUT, passiveSts.replyToLogout)];
    entries.push({ key: String(passiveSts.realm), type: "passivests", properties });
  }
  if (wsTrust) {
    const properties = [property(CERTIFICATE_ALIAS, String(wsTrust.certificateAlias))];
    entries.push({ key: String(wsTrust.audience), type: "wstrust", properties });
  }
  return entries;
}

function optional(key: string, value: unknown): readonly Element[] {
  return value === undefined || value === "" ? [] : [property(key, String(value))];
}

function customEntries(settings: Json): readonly Entry[] {
  return ((at(settings, [CONFIGURATION, "custom"]) ?? []) as readonly Custom[]).map(
    ({ name, configName, properties }) => ({
      key: String(settings.name),
      type: name,
      configType: configName,
      properties: properties.map(({ key, value, isConfidential }) => property(key, value, isConfidential)),
    }),
  );
}

function property(key: string, value: string, isConfidential = false): Element {
  return element("Property", [
    element("Name", key),
    element("Value", value),
    element("IsConfidential", String(isConfidential)),
    element("Required", "false"),
    element("DisplayOrder", "0"),
    element("IsAdvanced", "false"),
  ]);
}

function writeEntry({ key, type, configType = STANDARD, document, properties = [] }: Entry): Element {
  return element(ENTRY, [
    element("InboundAuthKey", key),
    element("InboundAuthType", type),
    element("InboundConfigType", configType),
    ...(document ? [element("inboundConfiguration", [element(nestedDocuments[type] ?? "", document)])] : []),
    element("Properties", properties),
  ]);
}

function readOauth(entry: Element, key: string): Json | undefined {
  const document = documentOf(entry, "oauth2");
  if (!document) return undefined;
  const { applicationName: _, ...client } = oauthParts.read(document);
  if (client.clientId !== key) throw mismatch("oauth2");
  return { oidc: client };
}

function readSaml(entry: Element, key: string): Json | undefined {
  const document = documentOf(entry, "samlsso");
  if (!document) return undefined;
  const saml = samlParts.read(document);
  if (saml.issuer !== plainIssuer(key)) throw mismatch("samlsso");
  return { saml: { manualConfiguration: saml } };
}

function documentOf(entry: Element, type: string): Element | undefined {
  return find(entry, "inboundConfiguration", nestedDocuments[type] ?? "");
}

function mismatch(type: string): Error {
  return refuseFile(`The InboundAuthKey of the ${type} entry and the key in its document differ. They must be equal.`);
}

function readPassiveSts(entry: Element, realm: string): Json | undefined {
  const properties = propertiesOf(entry);
  const replyTo = valueNamed(properties, REPLY);
  if (!replyTo) return undefined;
  return { passiveSts: { realm, replyTo, ...put(["replyToLogout"], valueNamed(properties, REPLY_LOGOUT)) } };
}

function readWsTrust(entry: Element, audience: string): Json | undefined {
  const certificateAlias = valueNamed(propertiesOf(entry), CERTIFICATE_ALIAS);
  return certificateAlias ? { wsTrust: { audience, certificateAlias } } : undefined;
}

function valueNamed(properties: readonly Property[], key: string): string | undefined {
  return properties.find((property) => property.key === key)?.value;
}
