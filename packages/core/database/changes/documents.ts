/**
 * The documents of resources: what change records compare. They are made from the rows as they are stored, so that a
 * function can record what it writes without the codecs of other functions. Names are those of the API where it shows
 * the value. What is derived from other resources is left out, and so are versions and times.
 */
import { withStore } from "../../kernel/domain/username.ts";
import type { Item, Value } from "../table/table.ts";
import { type Document, type DocumentObject, objectOf, Secret } from "./diff.ts";
import type { ResourceType } from "./model.ts";
import type { PlaceKind } from "./places.ts";
import { subscriberDocument, subscriberName, subscriberType } from "./subscriber-document.ts";

/** How the changes of one kind of row are recorded. */
export interface RecordedKind {
  /** The type of the resource whose row it is. The changes of protocols are in the history of their application. */
  readonly type: ResourceType;
  /** Where rows of one kind are of several types: that of a row. */
  typeOf?(item: Item): ResourceType;
  documentOf(item: Item): DocumentObject;
  nameOf(item: Item): string | undefined;
  /** The id, where the key has none and it is not the domain of the tenant. */
  idOf?(item: Item): string | undefined;
}

/** Members of settings of any kind that are secrets. */
const SECRET_NAME = /(?:secret|password|passphrase|privatekey|apikey|token)$/i;

/** Every kind of row that is a resource, or a part of one that changes by itself. */
export const recordedKinds: Partial<Record<PlaceKind, RecordedKind>> = {
  user: { type: "user", documentOf: userDocument, nameOf: ({ userName, userStore }) => qualified(userStore, userName) },
  group: {
    type: "group",
    documentOf: ({ displayName, userStore, externalId }) => ({
      displayName: qualified(userStore, displayName),
      externalId: plain(externalId),
      // Each member is a change of its own, which needs the set that it is added to.
      members: {},
    }),
    nameOf: ({ displayName, userStore }) => qualified(userStore, displayName),
  },
  role: {
    type: "role",
    documentOf: ({ name, externalId, permissions, every, audience, audienceId }) => ({
      displayName: plain(name),
      externalId: plain(externalId),
      permissions: byName(permissions),
      holdsEveryScope: every === true ? true : undefined,
      audience: { type: plain(audience), value: plain(audienceId) },
      users: {},
      groups: {},
    }),
    nameOf: ({ name }) => textOf(name),
  },
  application: { type: "application", documentOf: applicationDocument, nameOf: (item) => nameIn(item.application) },
  "authorized APIs": {
    type: "authorized-apis",
    documentOf: ({ apis }) => ({ authorizedAPIs: plain(apis ?? []) }),
    nameOf: () => undefined,
  },
  assignments: {
    type: "assignments",
    // Each is a change of its own, as with members of groups.
    documentOf: () => ({ groups: {}, roles: {}, users: {} }),
    nameOf: () => undefined,
  },
  "application template": {
    type: "application-template",
    documentOf: ({ summary, application }) => ({
      ...without(objectOf(plain(summary)), "id"),
      application: hidden(parsed(application)),
    }),
    nameOf: (item) => nameIn(item.summary),
  },
  "resident application": {
    type: "resident-application",
    documentOf: ({ settings }) => ({ provisioningConfigurations: plain(settings) }),
    nameOf: () => undefined,
  },
  "API resource": {
    type: "api-resource",
    documentOf: ({ api }) => without(objectOf(plain(api)), "id"),
    nameOf: (item) => nameIn(item.api),
  },
  "scopes of OpenID Connect": {
    type: "oidc-scopes",
    // An object, so that each scope is a change of its own.
    documentOf: ({ scopes }) => ({
      scopes: Object.fromEntries(
        (Array.isArray(scopes) ? scopes : []).map((one) => {
          const { name, ...scope } = objectOf(plain(one));
          return [String(name), scope];
        }),
      ),
    }),
    nameOf: () => undefined,
  },
  tenant: {
    type: "tenant",
    documentOf: ({ id, active, administrator, unlisted }) => ({
      id: plain(id),
      active: active === true,
      listed: unlisted === true ? false : undefined,
      owner: plain(administrator),
    }),
    nameOf: () => undefined,
    idOf: ({ id }) => textOf(id),
  },
  subscriber: {
    type: "webhook",
    typeOf: subscriberType,
    documentOf: subscriberDocument,
    nameOf: subscriberName,
  },
};

/** The type of the resource of a row. */
export function typeIn({ type, typeOf }: RecordedKind, item: Item | undefined): ResourceType {
  return (item && typeOf?.(item)) ?? type;
}

function userDocument({ userName, userStore, active, profile }: Item): DocumentObject {
  return { userName: qualified(userStore, userName), active: active === true, ...objectOf(parsed(profile)) };
}

function applicationDocument(item: Item): DocumentObject {
  const { id: _, inbound, kept, ...settings } = objectOf(plain(item.application));
  const { oidc, custom, ...others } = objectOf(inbound);
  return {
    ...settings,
    inboundProtocolConfiguration: {
      ...others,
      ...(oidc !== undefined && { oidc: clientDocument(objectOf(oidc)) }),
      // Always there, so that each custom protocol is a change of its own.
      custom: mapped(objectOf(custom), customDocument),
    },
    // Sealed content of an imported file.
    importedContent: typeof kept === "string" ? new Secret(kept) : undefined,
  };
}

function clientDocument({ sealedSecret, formerSecrets, ...client }: DocumentObject): DocumentObject {
  return {
    ...client,
    clientSecret: secretOf(sealedSecret),
    formerSecrets: Array.isArray(formerSecrets)
      ? formerSecrets.map((one) => {
          const { sealedSecret: sealed, ...facts } = objectOf(one);
          return { ...facts, clientSecret: secretOf(sealed) };
        })
      : undefined,
  };
}

function customDocument(settings: Document): Document {
  const { properties, ...rest } = objectOf(settings);
  const shown = (Array.isArray(properties) ? properties : []).map((one) => {
    const { value, isSealed, ...named } = objectOf(one);
    return { ...named, value: isSealed === true ? secretOf(value) : value };
  });
  return { ...rest, properties: shown };
}

/** A document in which every member whose name says that it is a secret is one. */
function hidden(document: Document): Document {
  if (Array.isArray(document)) return document.map(hidden);
  if (typeof document !== "object" || document === null || document instanceof Secret) return document;
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      typeof value === "string" && SECRET_NAME.test(name) ? new Secret(value) : hidden(value),
    ]),
  );
}

function secretOf(stored: Document): Secret | undefined {
  return typeof stored === "string" && stored !== "" ? new Secret(stored) : undefined;
}

/** A set of texts as an object, in which each is a member of its own. */
function byName(stored: Value | undefined): DocumentObject {
  const names = stored instanceof Set ? [...(stored as ReadonlySet<string>)].sort() : [];
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function mapped(object: DocumentObject, change: (value: Document) => Document): DocumentObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function without(object: DocumentObject, name: string): DocumentObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
}

function nameIn(stored: Value | undefined): string | undefined {
  return textOf(objectOf(plain(stored)).name);
}

function qualified(userStore: Value | undefined, name: Value | undefined): string {
  return withStore(String(userStore), String(name));
}

function textOf(value: Value | Document): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parsed(stored: Value | undefined): Document {
  return typeof stored === "string" ? (JSON.parse(stored) as Document) : undefined;
}

/** A stored value as a document: sets of texts are lists in their order, and bytes do not occur. */
function plain(stored: Value | undefined): Document {
  if (stored instanceof Set) return [...(stored as ReadonlySet<string>)].sort();
  if (Array.isArray(stored)) return stored.map(plain);
  if (typeof stored !== "object" || stored === null) return stored as Document;
  const members = Object.entries(stored).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, plain(value)]));
}
