/**
 * What a file says beyond the settings that were made of it, so that an export gives it back. Pure.
 *
 * Three trees meet here: `theirs`, the file that was imported; `base`, the file that this service would have written of the
 * settings it made of it; and `mine`, the file that it writes of the settings as they are now. What `theirs` has and `base`
 * has not is kept with the application. An export lays it over `mine`, where that still is as `base` was: whatever the API
 * changed since then wins.
 */
import { createHash } from "node:crypto";
import { EXACT } from "./exact.ts";
import { federatedAuthenticatorOf } from "./sequence.ts";
import { type Element, textAt } from "./tree.ts";

/** What is kept of one element. */
export interface Kept {
  /** Which of its siblings it is. */
  readonly at: string;
  /** An element that the service does not write, whole. */
  readonly element?: Element;
  /** Another text for the text that the service writes. */
  readonly text?: { readonly base: string; readonly theirs: string };
  /** Attributes that the service does not write, or writes otherwise. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly inside?: readonly Kept[];
  /** A fingerprint of what the service writes in the place that a kept element depends on: see `dependsOn`. */
  readonly base?: string;
}

/** Elements of the settings that do not come back with the file's text: the service decides about them. */
const DECIDED: ReadonlySet<string> = new Set(["IsManagementApp", "state"]);

/** Elements that speak of a sibling, and are worth nothing when that is another. */
const companions: ReadonlyMap<string, string> = new Map([
  ["oauthConsumerSecretExpiryTime", "oauthConsumerSecret"],
  ["additionalOauthConsumerSecrets", "oauthConsumerSecret"],
]);

type Identify = (item: Element, customNames: ReadonlySet<string>) => string;

/** Lists that the settings hold whole, and what tells their items apart. */
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
  ["ProvisioningIdentityProviders", (item) => textAt(item, "IdentityProviderName") ?? ""],
  [
    "ClaimMappings",
    (item) => JSON.stringify([textAt(item, "LocalClaim", "ClaimUri"), textAt(item, "RemoteClaim", "ClaimUri")]),
  ],
  ["RoleMappings", (item) => JSON.stringify([textAt(item, "localRole", "LocalRoleName"), textAt(item, "remoteRole")])],
  ...["scopeValidators", "audiences", "assertionConsumerUrls", "requestedAudiences"].map((name): [string, Identify] => [
    name,
    textIdentity,
  ]),
  ...["requestedRecipients", "idpInitSLOReturnToURLs", "accessTokenClaims"].map((name): [string, Identify] => [
    name,
    textIdentity,
  ]),
]);

/** Elements that hold secrets, or speak of one. */
const SECRETS: ReadonlySet<string> = new Set([
  "oauthConsumerSecret",
  "oauthConsumerSecretExpiryTime",
  "additionalOauthConsumerSecrets",
  "AndroidAttestationServiceCredentials",
]);

/** What `theirs` says beyond `base`; nothing where they agree. */
export function keep(base: Element, theirs: Element, customNames: ReadonlySet<string>, at = ""): Kept | undefined {
  const known = identified(base, customNames);
  const inside = [...identified(theirs, customNames)].flatMap(([identity, child]): Kept[] => {
    if (child.name === EXACT) return [];
    const counterpart = known.get(identity);
    const found = counterpart && keep(counterpart, child, customNames, identity);
    if (counterpart) return found ? [found] : [];
    const needs = dependsOn(base, child.name, known.keys());
    return [{ at: identity, element: child, ...(needs !== undefined && { base: needs }) }];
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

/** What is kept, laid over what the service writes now. */
export function restore(mine: Element, kept: Kept, customNames: ReadonlySet<string>): Element {
  const { text, attributes = {}, inside = [] } = kept;
  const known = identified(mine, customNames);
  const below = new Map(inside.map((each) => [each.at, each]));
  const children = [...known].map(([identity, child]) => {
    const found = below.get(identity);
    return found && !found.element ? restore(child, found, customNames) : child;
  });
  const added = inside.flatMap(({ at, element, base }) =>
    element && !known.has(at) && dependsOn(mine, element.name, known.keys()) === base ? [element] : [],
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

/** The children by what tells them apart; the second of two that are told apart by nothing is the second. */
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
 * What an element that is only in a file depends on in what the service writes: the other items of its list, which are
 * the API's to change, or the sibling it speaks of.
 */
function dependsOn(parent: Element, name: string, items: Iterable<string>): string | undefined {
  const sibling = companions.get(name);
  if (sibling === undefined && !lists.has(parent.name)) return undefined;
  const base = sibling === undefined ? JSON.stringify([...items].sort()) : (textAt(parent, sibling) ?? "");
  return createHash("sha256").update(base).digest("base64url");
}

function isLeaf({ children }: Element): boolean {
  return children.length === 0;
}

/** Which entry an inbound protocol's is: a custom protocol has one whatever its key says. */
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
