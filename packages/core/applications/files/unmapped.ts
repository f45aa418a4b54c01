/**
 * The content of a file that the settings of this service cannot hold, so that an export contains it again. Pure.
 *
 * This is a three-way merge of trees. `theirs` is the imported file. `base` is what this service writes for the
 * settings that it read from that file. `mine` is what it writes for the settings now. The difference between `base`
 * and `theirs` is stored with the application. An export applies it to `mine` wherever `mine` still equals `base`:
 * changes through the API win.
 */
import { createHash } from "node:crypto";
import { EXACT } from "./exact.ts";
import { federatedAuthenticatorOf } from "./sequence.ts";
import { type Element, textAt } from "./tree.ts";

/** The unmapped content of one element. Stored as JSON, so its members cannot be renamed. */
export interface Unmapped {
  /** The identity of the element among its siblings. */
  readonly at: string;
  /** A whole element that the service does not write. */
  readonly element?: Element;
  /** A text that replaces the one that the service writes. */
  readonly text?: { readonly base: string; readonly theirs: string };
  /** Attributes that the service does not write, or writes with another value. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly inside?: readonly Unmapped[];
  /** The fingerprint of the content that `element` depends on: see `dependenciesIn`. */
  readonly base?: string;
}

/** Elements whose text the service decides: the text of the file does not come back. */
const DECIDED: ReadonlySet<string> = new Set(["IsManagementApp", "state", "Id"]);

/** Elements that describe a sibling. They are meaningless after the sibling changed. */
const companions: ReadonlyMap<string, string> = new Map([
  ["oauthConsumerSecretExpiryTime", "oauthConsumerSecret"],
  ["additionalOauthConsumerSecrets", "oauthConsumerSecret"],
]);

type Identify = (item: Element, customNames: ReadonlySet<string>) => string;

/** Lists that the settings hold completely, with the identity of their items. */
const lists: ReadonlyMap<string, Identify> = new Map<string, Identify>([
  ["InboundAuthenticationRequestConfigs", entryIdentity],
  ["Properties", nameIdentity],
  ["AuthenticationSteps", (step) => textAt(step, "StepOrder")?.trim() ?? ""],
  ["LocalAuthenticatorConfigs", nameIdentity],
  [
    "FederatedIdentityProviders",
    (item) => JSON.stringify([textAt(item, "IdentityProviderName") ?? "", federatedAuthenticatorOf(item)]),
  ],
  ["RequestPathAuthenticatorConfigs", nameIdentity],
  // The id of a role differs between servers.
  ["AssociatedRoles", (item) => (textAt(item, "Name") || textAt(item, "Id") || "").toLowerCase()],
  ["ProvisioningIdentityProviders", (item) => textAt(item, "IdentityProviderName") ?? ""],
  [
    "ClaimMappings",
    (item) => JSON.stringify([textAt(item, "LocalClaim", "ClaimUri"), textAt(item, "RemoteClaim", "ClaimUri")]),
  ],
  ["RoleMappings", (item) => JSON.stringify([textAt(item, "localRole", "LocalRoleName"), textAt(item, "remoteRole")])],
  ...[
    ...["scopeValidators", "audiences", "assertionConsumerUrls", "requestedAudiences", "requestedRecipients"],
    ...["idpInitSLOReturnToURLs", "accessTokenClaims"],
  ].map((name): [string, Identify] => [name, textIdentity]),
]);

/** Elements with secrets, or about secrets. */
const SECRETS: ReadonlySet<string> = new Set([
  "oauthConsumerSecret",
  "oauthConsumerSecretExpiryTime",
  "additionalOauthConsumerSecrets",
  "AndroidAttestationServiceCredentials",
]);

/** The content of `theirs` that `base` lacks; `undefined` if there is none. */
export function unmappedOf(
  base: Element,
  theirs: Element,
  customNames: ReadonlySet<string>,
  at = "",
): Unmapped | undefined {
  const known = identified(base, customNames);
  const dependencyOf = dependenciesIn(base, known);
  const inside = [...identified(theirs, customNames)].flatMap(([identity, child]): Unmapped[] => {
    if (child.name === EXACT) return [];
    const counterpart = known.get(identity);
    const found = counterpart && unmappedOf(counterpart, child, customNames, identity);
    if (counterpart) return found ? [found] : [];
    const dependency = dependencyOf(child.name);
    return [{ at: identity, element: child, ...(dependency !== undefined && { base: dependency }) }];
  });
  const attributes = Object.entries(theirs.attributes).filter(
    ([name, value]) => !Object.hasOwn(base.attributes, name) || base.attributes[name] !== value,
  );
  const hasText = isLeaf(base) && base.text !== theirs.text && !DECIDED.has(base.name);
  if (inside.length === 0 && attributes.length === 0 && !hasText) return undefined;
  return {
    at,
    ...(hasText && { text: { base: base.text, theirs: theirs.text } }),
    ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
    ...(inside.length > 0 && { inside }),
  };
}

/** `mine` with the unmapped content of an imported file. */
export function restore(mine: Element, unmapped: Unmapped, customNames: ReadonlySet<string>): Element {
  const { text, attributes = {}, inside = [] } = unmapped;
  const known = identified(mine, customNames);
  const dependencyOf = dependenciesIn(mine, known);
  const below = new Map(inside.map((each) => [each.at, each]));
  const children = [...known].map(([identity, child]) => {
    const found = below.get(identity);
    return found && !found.element ? restore(child, found, customNames) : child;
  });
  const added = inside.flatMap(({ at, element, base }) =>
    element && !known.has(at) && dependencyOf(element.name) === base ? [element] : [],
  );
  return {
    ...mine,
    attributes: { ...mine.attributes, ...attributes },
    text: text && isLeaf(mine) && text.base === mine.text ? text.theirs : mine.text,
    children: [...children, ...added],
  };
}

/** The tree without client secrets, credentials and confidential properties. */
export function withoutSecrets(from: Element): Element {
  return {
    ...from,
    children: from.children.filter((child) => !isSecret(child)).map(withoutSecrets),
  };
}

function isSecret(child: Element): boolean {
  return (
    SECRETS.has(child.name) ||
    (child.name === "Property" &&
      (textAt(child, "IsConfidential")?.trim().toLowerCase() === "true" || SECRETS.has(textAt(child, "Name") ?? "")))
  );
}

/** The children by their identity. A number distinguishes children of one identity. */
function identified(parent: Element, customNames: ReadonlySet<string>): ReadonlyMap<string, Element> {
  const identify = lists.get(parent.name);
  const counts = new Map<string, number>();
  return new Map(
    parent.children.map((child) => {
      const identity = `${child.name} ${identify ? identify(child, customNames) : ""}`;
      const count = (counts.get(identity) ?? 0) + 1;
      counts.set(identity, count);
      return [`${identity} ${count}`, child];
    }),
  );
}

/**
 * Finds the fingerprint of the written content that an unmapped element depends on: the items of its list, or the
 * sibling that it describes. `undefined` if it depends on nothing. Each fingerprint is computed once: a file may have
 * tens of thousands of unmapped elements in one list.
 */
function dependenciesIn(parent: Element, known: ReadonlyMap<string, Element>): (name: string) => string | undefined {
  const found = new Map<string | undefined, string>();
  return (name) => {
    const sibling = companions.get(name);
    if (sibling === undefined && !lists.has(parent.name)) return undefined;
    const fingerprint =
      found.get(sibling) ??
      fingerprintOf(sibling === undefined ? JSON.stringify([...known.keys()].sort()) : (textAt(parent, sibling) ?? ""));
    found.set(sibling, fingerprint);
    return fingerprint;
  };
}

function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function isLeaf({ children }: Element): boolean {
  return children.length === 0;
}

/** The identity of the entry of an inbound protocol. A custom protocol has one entry, whatever its key is. */
function entryIdentity(entry: Element, customNames: ReadonlySet<string>): string {
  const type = textAt(entry, "InboundAuthType")?.trim() ?? "";
  return customNames.has(type) ? type : JSON.stringify([type, textAt(entry, "InboundAuthKey") ?? ""]);
}

function nameIdentity(item: Element): string {
  return textAt(item, "Name") ?? "";
}

function textIdentity({ text }: Element): string {
  return text;
}
