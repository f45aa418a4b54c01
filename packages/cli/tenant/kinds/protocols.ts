/** The protocols of an application as documents, and the requests that change one of them. */
import type { Api } from "#client/client.ts";
import { presentCustom } from "#core/applications/protocols/custom.ts";
import { samlKey } from "#core/applications/protocols/kinds.ts";
import { oidcClient, presentOidc } from "#core/applications/protocols/oidc.ts";
import { samlServiceProvider } from "#core/applications/protocols/saml.ts";
import { OidcBody, PassiveStsBody, SamlManual, WsTrustBody } from "#core/applications/protocols/shapes.ts";
import type { Seal } from "#core/kernel/seal.ts";
import { wrongInput } from "../../frame/errors.ts";
import {
  type Document,
  isDocument,
  isReference,
  isSame,
  plainData,
  referenceFor,
  type Value,
  withoutDefaults,
} from "../document.ts";
import type { Deployment, Step, Unique, Work } from "../kind.ts";
import { compare, sending, unique } from "./simple.ts";

/** The names in files, and the last segments of paths. */
const segments = { oidc: "oidc", saml: "saml", passiveSts: "passive-sts", wsTrust: "ws-trust" } as const;
type Standard = keyof typeof segments;
const isStandard = (name: string): name is Standard => Object.hasOwn(segments, name);

/** What files do not say: the service chooses it, or it is a secret. */
const ofService = ["clientId", "clientSecret", "clientSecretExpiresAt", "multipleClientSecretsConfigured", "state"];
/** What cannot change while the protocol is there. */
const fixed: Readonly<Record<string, string>> = { passiveSts: "realm", wsTrust: "audience" };

const WHERE_SECRETS_ARE = `Write where it is: \${env:NAME} or \${ssm:/path}`;

/** No secret is sealed here: the core needs a seal to make settings out of a body. */
const noSeal: Seal = { seal: (text) => text, open: (text) => text };

/** What finds an application by its protocols. No two applications share one of them. */
export function uniqueKeys({ oidc, saml, passiveSts, wsTrust }: Document): readonly Unique[] {
  const member = (settings: Value | undefined, name: string) => (isDocument(settings) ? settings[name] : undefined);
  const issuer = member(saml, "issuer");
  const qualifier = String(member(saml, "serviceProviderQualifier") ?? "");
  const keys: readonly (readonly [string, Value | undefined, string?])[] = [
    ["client id", member(oidc, "clientId")],
    ["SAML issuer", issuer, samlKey({ issuer: String(issuer), serviceProviderQualifier: qualifier } as SamlKeyed)],
    ["realm of Passive STS", member(passiveSts, "realm")],
    ["audience of WS-Trust", member(wsTrust, "audience")],
  ];
  return keys.flatMap(([is, shown, value]) => (shown === undefined ? [] : [unique(is, shown, value)]));
}

type SamlKeyed = Parameters<typeof samlKey>[0];

/** The path of the protocols of an application. */
const pathOf = (applicationId: string) =>
  `/api/server/v1/applications/${encodeURIComponent(applicationId)}/inbound-protocols` as const;

/** The protocols that the service shows, by their names in files. */
export async function readProtocols(
  api: Api,
  applicationId: string,
  refs: readonly { readonly self: string }[],
  { customKinds }: Deployment,
): Promise<Document> {
  const read: [string, Document][] = [];
  for (const { self } of refs) {
    const segment = decodeURIComponent(self.slice(self.lastIndexOf("/") + 1)).replaceAll("+", " ");
    const standard = Object.entries(segments).find(([, one]) => one === segment)?.[0];
    // Protocols of an imported file that this deployment does not have cannot be read.
    if (standard === undefined && !customKinds.some(({ name }) => name === segment)) continue;
    const { body } = await api.send("GET", `${pathOf(applicationId)}/${encodeURIComponent(segment)}`);
    read.push([standard ?? segment, plainData(body)]);
  }
  return Object.fromEntries(read.sort(([one], [other]) => compare(one, other)));
}

/** What the service showed, as a document of a file. `application` names the variables of secrets. */
export function shownProtocols(
  shown: Document,
  application: string,
  deployment: Deployment,
  keepsIds: boolean,
): Document {
  return Object.fromEntries(
    Object.entries(shown).map(([name, settings]) => {
      const one = isDocument(settings) ? settings : {};
      if (!isStandard(name)) return [name, shownCustom(one, application, deployment)];
      if (name === "saml") return [name, shortSaml(one)];
      if (name !== "oidc") return [name, one];
      return [name, { ...(keepsIds && { clientId: one.clientId ?? "" }), ...shortOidc(one, deployment) }];
    }),
  );
}

function shownCustom(
  { name, configName, properties }: Document,
  application: string,
  { customKinds }: Deployment,
): Document {
  const kind = customKinds.find((one) => one.name === name);
  const list = Array.isArray(properties) ? properties.filter(isDocument) : [];
  const shown = list.map(({ key, value = "" }): [string, Value] => {
    const isSecret = kind?.properties.some((one) => one.name === key && one.isConfidential);
    return [String(key), isSecret ? referenceFor(application, String(name), String(key)) : value];
  });
  return { configName: configName ?? "", properties: Object.fromEntries(shown) };
}

/** The protocols of a file as the service would show them, without what is usual. */
export function normalisedProtocols(protocols: Document, shown: Document, deployment: Deployment): Document {
  return Object.fromEntries(
    Object.keys(protocols)
      .sort(compare)
      .map((name) => {
        const one = protocols[name];
        const settings = isDocument(one) ? one : {};
        const before = isDocument(shown[name]) ? shown[name] : {};
        return [name, normalisedProtocol(name, settings, before, deployment)];
      }),
  );
}

function normalisedProtocol(name: string, settings: Document, shown: Document, deployment: Deployment): Document {
  if (name === "oidc") return normalisedOidc(settings, Object.keys(shown).length === 0, deployment);
  if (name === "saml") return normalisedSaml(settings, shown);
  if (name === "passiveSts") return plainData(PassiveStsBody.parse(settings));
  if (name === "wsTrust") return plainData(WsTrustBody.parse(settings));
  return normalisedCustom(name, settings, deployment);
}

/** The secret counts for a new client only: that of an existing one is rotated, not applied. */
function normalisedOidc({ clientSecret, ...settings }: Document, isNew: boolean, deployment: Deployment): Document {
  if (clientSecret !== undefined && !isReference(clientSecret)) {
    throw wrongInput("oidc.clientSecret is a secret.", WHERE_SECRETS_ARE);
  }
  const { clientId } = settings;
  return {
    ...(clientId !== undefined && { clientId }),
    ...(isNew && clientSecret !== undefined && { clientSecret }),
    ...shortOidc(presentedOidc(settings, deployment), deployment),
  };
}

function presentedOidc(body: Document, { limits }: Deployment): Document {
  const support = { seal: noSeal, limits, clock: { now: () => Date.now() } };
  return plainData(presentOidc(oidcClient(OidcBody.parse(body), undefined, support, "")));
}

/** What the service shows of a client, without what is usual. */
function shortOidc(shown: Document, deployment: Deployment): Document {
  const usual = presentedOidc({ grantTypes: ["client_credentials"] }, deployment);
  const own = Object.fromEntries(Object.entries(shown).filter(([member]) => !ofService.includes(member)));
  return withoutDefaults(own, { ...usual, grantTypes: null });
}

function normalisedSaml(settings: Document, shown: Document): Document {
  const manual = SamlManual.parse(settings);
  const index = (isDocument(shown.singleSignOnProfile) ? shown.singleSignOnProfile : {}).attributeConsumingServiceIndex;
  // The service draws an index where a body has none, and keeps it.
  const given = manual.singleSignOnProfile?.attributeConsumingServiceIndex || index || "0";
  const singleSignOnProfile = { ...manual.singleSignOnProfile, attributeConsumingServiceIndex: String(given) };
  // What metadata said stays, too, while the issuer does.
  const before = SamlManual.safeParse(shown).data;
  const imported = manual.imported ?? (before?.issuer === manual.issuer ? before.imported : undefined);
  const after = { ...manual, singleSignOnProfile, ...(imported && { imported }) };
  return shortSaml(plainData(samlServiceProvider(after, undefined, true)));
}

/** What the service shows of a service provider, without what is usual. */
function shortSaml(shown: Document): Document {
  const urls = shown.assertionConsumerUrls;
  const [first = "https://unknown.invalid"] = Array.isArray(urls) ? urls.map(String) : [];
  const usual = plainData(samlServiceProvider({ issuer: "unknown", assertionConsumerUrls: [first] }, undefined));
  const short = withoutDefaults(shown, { ...usual, issuer: null, assertionConsumerUrls: null });
  // A part without its switch is on, so a part that is there says its switch.
  const parts = Object.entries(samlSwitches).flatMap(([name, member]): [string, Document][] => {
    const [part, whole] = [short[name], shown[name]];
    return isDocument(part) && isDocument(whole) ? [[name, { ...part, [member]: whole[member] ?? false }]] : [];
  });
  return { ...short, ...Object.fromEntries(parts) };
}

const samlSwitches: Readonly<Record<string, string>> = {
  requestValidation: "enableSignatureValidation",
  responseSigning: "enabled",
  singleLogoutProfile: "enabled",
};

/** Properties by name, with the defaults of the deployment. */
function normalisedCustom(
  name: string,
  { configName = "", properties = {} }: Document,
  { customKinds }: Deployment,
): Document {
  const kind = customKinds.find((one) => one.name === name);
  if (!kind) {
    const names = customKinds.map((one) => one.name).join(", ");
    throw wrongInput(
      `The protocol "${name}" is not one of this deployment. It has oidc, saml, passiveSts, wsTrust, ${names}.`,
    );
  }
  const given = isDocument(properties) ? properties : {};
  for (const property of kind.properties.filter(({ isConfidential }) => isConfidential)) {
    const value = given[property.name];
    if (value !== undefined && !isReference(value)) {
      throw wrongInput(`${name}.properties.${property.name} is a secret.`, WHERE_SECRETS_ARE);
    }
  }
  const all = kind.properties.flatMap(({ name: key, defaultValue }): [string, string][] => {
    const value = given[key] ?? defaultValue;
    return value === undefined || value === "" ? [] : [[key, String(value)]];
  });
  const stored = { name, configName: String(configName), properties: all.map(([key, value]) => ({ key, value })) };
  const shown = presentCustom(stored, customKinds, (text) => text);
  return { configName: shown.configName, properties: Object.fromEntries(all) };
}

/** The protocols of a new application, as its body has them. */
export async function protocolBodies(protocols: Document, work: Work): Promise<Document> {
  const bodies: Record<string, Value> = {};
  const custom: Value[] = [];
  for (const [name, settings] of Object.entries(protocols)) {
    const body = await bodyOf(name, isDocument(settings) ? settings : {}, work, () => true);
    if (isStandard(name)) bodies[name] = body;
    else custom.push(body);
  }
  return { ...bodies, ...(custom.length > 0 && { custom }) };
}

/** The body of a protocol. `sends` says which references are resolved; the service keeps the values of the others. */
async function bodyOf(
  name: string,
  settings: Document,
  work: Work,
  sends: (key: string) => boolean,
): Promise<Document> {
  if (name === "saml") return { manualConfiguration: settings };
  if (name === "oidc") {
    const { clientSecret, ...rest } = settings;
    if (!isReference(clientSecret) || !sends("clientSecret")) return rest;
    return { ...rest, clientSecret: await work.secret(clientSecret) };
  }
  if (isStandard(name)) return settings;
  const { configName = "", properties = {} } = settings;
  const list: Document[] = [];
  for (const [key, value] of Object.entries(isDocument(properties) ? properties : {})) {
    if (!isReference(value)) list.push({ key, value });
    else if (sends(key)) list.push({ key, value: await work.secret(value) });
    else list.push({ key });
  }
  return { name, configName, properties: list };
}

/** The requests that make the protocols of an application as a document says. */
export function protocolSteps(applicationId: string, before: Document, after: Document): readonly Step[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(compare);
  return names.flatMap((name): readonly Step[] => {
    const [old, next] = [before[name], after[name]];
    if (isSame(old, next)) return [];
    const path = `${pathOf(applicationId)}/${encodeURIComponent(isStandard(name) ? segments[name] : name)}` as const;
    const removal = sending("DELETE", path);
    if (!isDocument(next)) return [removal];
    const held = isDocument(old) && isDocument(old.properties) ? old.properties : {};
    const member = fixed[name];
    const isNew = member !== undefined && isDocument(old) && !isSame(old[member], next[member]);
    const put: Step = {
      async run(work) {
        const body = await bodyOf(name, next, work, (key) => held[key] === undefined && !isDocument(old));
        const ifMatch = isDocument(old) && !isNew ? "*" : undefined;
        await work.api.send("PUT", path, { body, dryRun: work.dryRun, ifMatch });
      },
    };
    return isNew ? [removal, { ...put, isLater: true }] : [put];
  });
}
