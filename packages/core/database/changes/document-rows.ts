/** From the rows of a resource to its document, and from a document to the rows that it would have. */
import { PRIMARY } from "../../kernel/domain/username.ts";
import { ASSIGNED_ROLE, MEMBER, ROLE_GROUP, ROLE_USER } from "../table/keys.ts";
import { type Item, LAST, type Table, type Value } from "../table/table.ts";
import { type Document, type DocumentObject, isObject, objectOf, Secret } from "./diff.ts";
import { recordedKinds } from "./documents.ts";
import { HISTORY } from "./history-rows.ts";
import { recordedPlaceOf } from "./places.ts";
import type { HistoryPlace, HistoryType } from "./resource-rows.ts";

/** Rows of one partition that are read together. */
const PAIRS_PER_PAGE = 8_000;

/** The sets of members in documents, with the beginnings of the sort keys of their rows. */
const sets = {
  group: [{ name: "members", prefix: MEMBER }],
  role: [
    { name: "groups", prefix: ROLE_GROUP },
    { name: "users", prefix: ROLE_USER },
  ],
  assignments: [
    { name: "groups", prefix: ROLE_GROUP },
    { name: "roles", prefix: ASSIGNED_ROLE },
    { name: "users", prefix: ROLE_USER },
  ],
} as const;

function hasSets(type: HistoryType): type is keyof typeof sets {
  return Object.hasOwn(sets, type);
}

/** The document of a resource, with its members, given its row. At most one round trip for each 7,000 members. */
export async function readDocument(table: Table, { type }: HistoryPlace, row: Item): Promise<Document> {
  const kind = recordedPlaceOf(row)?.kind;
  const recorded = kind && recordedKinds[kind];
  if (!recorded) throw new TypeError(`no document of a row of type ${type}`);
  const document = recorded.documentOf(row);
  if (!hasSets(type)) return document;
  const members = await Promise.all(
    sets[type].map(async ({ name, prefix }) => {
      const items = await table.queryAll({ PK: row.PK, from: prefix, to: `${prefix}${LAST}`, limit: PAIRS_PER_PAGE });
      return [name, Object.fromEntries(items.map(({ SK }) => [SK.slice(prefix.length), {}]))] as const;
    }),
  );
  return { ...document, ...Object.fromEntries(members.filter(([, ids]) => Object.keys(ids).length > 0)) };
}

/** The rows that a resource would have with a document: its own, and those of its members. */
export interface DocumentRows {
  readonly row: Item;
  readonly pairs: readonly Item[];
  /** The partition and the ranges of sort keys that `pairs` are all rows of. */
  readonly ranges: readonly { readonly PK: string; readonly prefix: string }[];
}

/**
 * The rows of a document, where the resource has the row `now`. What documents leave out stays as it is now: secrets
 * are empty. They are for reading only. `names` are the names of members, which the rows of a group repeat.
 */
export function rowsOf(
  { type }: HistoryPlace,
  document: Document,
  now: Item,
  { names, atMs }: { readonly names: ReadonlyMap<string, string>; readonly atMs: number },
): DocumentRows {
  const shown = isObject(document) ? document : {};
  const attributes = attributesOf[type](shown, now) as Readonly<Record<string, Value | undefined>>;
  const ranges = hasSets(type) ? sets[type].map(({ name, prefix }) => ({ name, prefix, PK: now.PK })) : [];
  const pairs = ranges.flatMap(({ name, prefix, PK }) =>
    memberIds(shown, name).flatMap((id): Item[] => {
      if (type !== "group") return [{ PK, SK: `${prefix}${id}` }];
      const shownName = names.get(id);
      return shownName === undefined ? [] : [{ PK, SK: `${prefix}${id}`, name: shownName }];
    }),
  );
  const times = ["modified", "updatedAtMs"].filter((name) => now[name] !== undefined);
  const timed = Object.fromEntries(times.map((name) => [name, atMs]));
  const row = { ...now, ...attributes, ...timed, [HISTORY]: undefined };
  return { row: type === "group" ? { ...row, members: pairs.length } : row, pairs, ranges };
}

/** The ids in a set of members, in the order of their rows. */
export function memberIds(document: Document, name: string): readonly string[] {
  const set = isObject(document) ? document[name] : undefined;
  return isObject(set) ? Object.keys(set).sort() : [];
}

type Attributes = Readonly<Record<string, unknown>>;

/** The attributes of each type of row, from documents: the opposite of documents.ts. */
const attributesOf: Readonly<Record<HistoryType, (document: DocumentObject, now: Item) => Attributes>> = {
  user: ({ userName, active, password: _, ...profile }, now) => ({
    userName: ownName(userName, now),
    active,
    profile: JSON.stringify(visible(profile)),
  }),
  group: ({ displayName, externalId }, now) => ({ displayName: ownName(displayName, now), externalId }),
  role: ({ displayName, externalId, permissions, holdsEveryScope, audience }) => ({
    name: displayName,
    externalId,
    permissions:
      isObject(permissions) && Object.keys(permissions).length > 0 ? new Set(Object.keys(permissions)) : undefined,
    every: holdsEveryScope,
    audience: isObject(audience) ? audience.type : undefined,
    audienceId: isObject(audience) ? audience.value : undefined,
  }),
  application: ({ inboundProtocolConfiguration, importedContent: _, ...settings }, now) => ({
    application: {
      id: idIn(now.application),
      ...objectOf(visible(settings)),
      inbound: inboundOf(inboundProtocolConfiguration),
    },
  }),
  "authorized-apis": ({ authorizedAPIs }) => ({ apis: visible(authorizedAPIs) }),
  assignments: (document) => ({
    counts: Object.fromEntries(
      sets.assignments.map(({ name }) => [name, Object.keys(objectOf(document[name])).length]),
    ),
    named: undefined,
  }),
  "application-template": ({ application, ...summary }, now) => ({
    summary: { id: idIn(now.summary), ...objectOf(visible(summary)) },
    application: JSON.stringify(visible(application)),
  }),
  "resident-application": ({ provisioningConfigurations }) => ({ settings: visible(provisioningConfigurations) }),
  "api-resource": (api, now) => ({ api: { id: idIn(now.api), ...objectOf(visible(api)) } }),
  "oidc-scopes": ({ scopes }) => ({
    scopes: Object.entries(objectOf(scopes)).map(([name, scope]) => ({ name, ...objectOf(scope) })),
  }),
  tenant: ({ active, owner, listed }) => ({
    active,
    administrator: owner,
    unlisted: listed === false ? true : undefined,
  }),
  webhook: ({
    name,
    endpoint,
    eventProfile: profile,
    channelsSubscribed: channels,
    status,
    owner,
    scopes,
    secret,
  }) => ({
    isActive: status === "ACTIVE",
    // Whether there was a secret shows; none is in a record.
    settings: JSON.stringify({
      ...{ name, endpoint, profile, channels, owner, scopes },
      ...(secret !== undefined && { sealedSecret: "" }),
    }),
  }),
  "event-stream": ({
    owner,
    description,
    events_requested: requested,
    delivery,
    status,
    reason,
    excludedSubjects,
  }) => ({
    isActive: status === "enabled",
    settings: JSON.stringify({
      ...{ owner, description, requested, status, reason },
      delivery: { method: objectOf(delivery).method, url: objectOf(delivery).endpoint_url },
      excluded: Object.keys(objectOf(excludedSubjects)),
    }),
  }),
};

/** The protocols of an application, with empty secrets. */
function inboundOf(document: Document): DocumentObject {
  const { oidc, custom, ...others } = objectOf(document);
  return {
    ...objectOf(visible(others)),
    ...(oidc !== undefined && { oidc: clientOf(objectOf(oidc)) }),
    ...(custom !== undefined && {
      custom: Object.fromEntries(
        Object.entries(objectOf(custom)).map(([name, each]) => [name, customOf(objectOf(each))]),
      ),
    }),
  };
}

function clientOf({ clientSecret: _, formerSecrets, ...client }: DocumentObject): DocumentObject {
  return {
    ...objectOf(visible(client)),
    sealedSecret: "",
    ...(Array.isArray(formerSecrets) && {
      formerSecrets: formerSecrets.map((one: Document) => ({ ...objectOf(visible(one)), sealedSecret: "" })),
    }),
  };
}

function customOf({ properties, ...settings }: DocumentObject): DocumentObject {
  const list: readonly Document[] = Array.isArray(properties) ? properties : [];
  return {
    ...settings,
    properties: list.map((one) => {
      const property = objectOf(one);
      return isSecret(property.value) ? { ...property, value: "", isSealed: true } : property;
    }),
  };
}

/** A document without the members that are secrets. */
function visible(document: Document): Document {
  if (Array.isArray(document)) return document.filter((one: Document) => !isSecret(one)).map(visible);
  if (!isObject(document)) return document;
  const members = Object.entries(document).filter(([, value]) => !isSecret(value));
  return Object.fromEntries(members.map(([name, value]) => [name, visible(value)]));
}

function isSecret(value: Document): boolean {
  if (value instanceof Secret) return true;
  return isObject(value) && value.secret === true && Object.keys(value).length === 1;
}

function idIn(stored: Value | undefined): Document {
  return objectOf(stored as Document).id;
}

/** A name without its user store, which never changes. */
function ownName(name: Document, { userStore }: Item): string {
  return String(name).slice(userStore === PRIMARY ? 0 : `${String(userStore)}/`.length);
}
