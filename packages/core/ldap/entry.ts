/**
 * What a user is in a directory. Attributes that it has are its own, whatever was known before; the rest of the user (other
 * attributes, the types of addresses, whether it is active, its groups and roles) is kept beside it: its shadow.
 */
import { isDeepStrictEqual } from "node:util";
import type { User } from "../identities/users/model.ts";
import type { Json, JsonObject, Resource } from "../scim/schema/attribute.ts";
import { isObject } from "../scim/values.ts";
import type { Entry, ValueChange } from "./connection.ts";
import { isNamedBy } from "./escape.ts";
import { type DirectorySettings, listAttributes } from "./model.ts";

const FORMATTED = "name.formatted";
const FAMILY = "name.familyName";
/** What `person` demands (RFC 4519 section 3.12): filled with the user name where nothing is known. */
const demanded: ReadonlySet<string> = new Set(["cn", "sn"]);

/** The times and the number of the change that directories keep of entries (RFC 4512 section 3.4; OpenLDAP's `entryCSN`). */
const CREATED = "createTimestamp";
const MODIFIED = "modifyTimestamp";
const CHANGE = "entryCSN";

const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,](\d{1,6}))?\d*Z/;

type Place = readonly [outer: string, inner: string | undefined];

/** The attributes that entries are read with. */
export function attributesRead({ attributes, usernameAttribute, idAttribute }: DirectorySettings): readonly string[] {
  return [...new Set([idAttribute, usernameAttribute, ...Object.values(attributes), CREATED, MODIFIED, CHANGE])];
}

/** The values of an attribute of an entry. */
export function valuesOf({ values }: Entry, attribute: string): readonly string[] {
  return values.get(attribute.toLowerCase()) ?? [];
}

/** Whatever changes with the password too. */
export function markOf(entry: Entry): string {
  return `${entry.dn}\n${valuesOf(entry, CHANGE)[0] ?? valuesOf(entry, MODIFIED)[0] ?? ""}`;
}

/** The id of the user of an entry; `undefined` where the directory does not tell one that can be a key. */
export function idIn(entry: Entry, { idAttribute }: DirectorySettings): string | undefined {
  const [id] = valuesOf(entry, idAttribute);
  return id !== undefined && isPossibleId(id) ? id : undefined;
}

/** Whether a text can be an id: what callers ask for is not worth a question otherwise. */
export function isPossibleId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{7,63}$/.test(text);
}

/** The user name of an entry: of several, the one that the entry is named by. */
export function nameIn(entry: Entry, { usernameAttribute }: DirectorySettings): string | undefined {
  const names = valuesOf(entry, usernameAttribute);
  if (names.length < 2 || !isNamedBy(entry.dn, usernameAttribute)) return names[0];
  const [first = ""] = entry.dn.split(/(?<!\\),/, 1);
  const named = first.slice(usernameAttribute.length + 1).toLowerCase();
  return names.find((name) => name.toLowerCase() === named) ?? names[0];
}

/** The user of an entry, with its shadow where it has one. */
export function userOf(
  entry: Entry,
  id: string,
  shadow: User | undefined,
  settings: DirectorySettings,
): User | undefined {
  const userName = nameIn(entry, settings);
  if (userName === undefined) return undefined;
  const createdMs = msOf(entry, CREATED);
  return {
    id,
    userName,
    userStore: settings.domain,
    active: shadow?.active ?? true,
    hasPassword: false,
    createdMs,
    modifiedMs: Math.max(createdMs, msOf(entry, MODIFIED), shadow?.modifiedMs ?? 0),
    version: changeOf(entry) + (shadow?.version ?? 0),
    profile: profileOf(entry, shadow?.profile ?? {}, settings),
    groupIds: shadow?.groupIds ?? [],
    roleIds: shadow?.roleIds ?? [],
  };
}

function msOf(entry: Entry, attribute: string): number {
  return Math.floor(microsecondsOf(valuesOf(entry, attribute)[0]) / 1_000);
}

/** Grows with every change of the entry. */
function changeOf(entry: Entry): number {
  return microsecondsOf(valuesOf(entry, CHANGE)[0] ?? valuesOf(entry, MODIFIED)[0]);
}

/** Microseconds since 1970 of a generalized time (RFC 4517 section 3.3.13), with which a CSN begins too; 0 for anything else. */
function microsecondsOf(text: string | undefined): number {
  const [, year, month, day, hour, minute, second, fraction = ""] = GENERALIZED.exec(text ?? "") ?? [];
  if (second === undefined) return 0;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return ms * 1_000 + Number(fraction.padEnd(6, "0"));
}

/** What an entry and its shadow say together. */
function profileOf(entry: Entry, rest: Resource, settings: DirectorySettings): Resource {
  const userName = nameIn(entry, settings);
  let profile = rest;
  for (const [name, attribute] of Object.entries(settings.attributes)) {
    const values = valuesOf(entry, attribute);
    if (listAttributes.includes(name)) {
      const list = listed(values, elementsOf(rest, name));
      profile = withValue(profile, name, list.length > 0 ? list : undefined);
    } else if (name !== FORMATTED) {
      const [value] = values;
      const isFilled = demanded.has(attribute.toLowerCase()) && value === userName;
      profile = withValue(profile, name, isFilled ? undefined : value);
    }
  }
  const attribute = settings.attributes[FORMATTED];
  if (attribute === undefined) return profile;
  const [value] = valuesOf(entry, attribute);
  const isDerived = value === (derivedName(profile) ?? userName);
  return withValue(profile, FORMATTED, isDerived ? undefined : value);
}

/** Values of the directory as a list, each with what is known of it here. */
function listed(values: readonly string[], known: readonly JsonObject[]): Json[] {
  const inOrder = [
    ...known.flatMap(({ value }) => values.filter((text) => sameText(value, text))),
    ...values.filter((text) => !known.some(({ value }) => sameText(value, text))),
  ];
  return [...new Set(inOrder)].map((text) => ({
    ...(known.find(({ value }) => sameText(value, text)) ?? {}),
    value: text,
  }));
}

function sameText(a: Json | undefined, b: string): boolean {
  return typeof a === "string" && a.toLowerCase() === b.toLowerCase();
}

/** What a directory does not hold of a profile. */
export function restOf(profile: Resource, { attributes }: DirectorySettings): Resource {
  let rest = profile;
  for (const name of Object.keys(attributes)) {
    if (!listAttributes.includes(name)) {
      rest = withValue(rest, name, undefined);
      continue;
    }
    // A list is kept where its elements say more than their values.
    const isPlain = elementsOf(rest, name).every((element) => Object.keys(element).length === 1);
    if (isPlain) rest = withValue(rest, name, undefined);
  }
  return rest;
}

/** The values that the directory shall have of a user, by its attributes. */
export function wishedValues(
  { userName, profile }: Pick<User, "userName" | "profile">,
  { attributes }: DirectorySettings,
): ReadonlyMap<string, readonly string[]> {
  const wished = new Map<string, readonly string[]>();
  for (const [name, attribute] of Object.entries(attributes)) {
    if (listAttributes.includes(name)) {
      const values = elementsOf(profile, name).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      wished.set(attribute, [...new Map(values.map((value) => [value.toLowerCase(), value])).values()]);
      continue;
    }
    const given = textIn(profile, name) ?? (name === FORMATTED ? derivedName(profile) : undefined);
    const value = given ?? (demanded.has(attribute.toLowerCase()) ? userName : undefined);
    wished.set(attribute, value === undefined ? [] : [value]);
  }
  for (const attribute of demanded) {
    if (![...wished.keys()].some((each) => each.toLowerCase() === attribute)) wished.set(attribute, [userName]);
  }
  return wished;
}

/**
 * The changes between two states of a user. Old values are removed by what they were, so that a directory where somebody
 * else was faster refuses them. An attribute that does not change here is left alone, with all the values it has.
 */
export function valueChanges(before: User, after: User, entry: Entry, settings: DirectorySettings): ValueChange[] {
  const [was, wished] = [wishedValues(before, settings), wishedValues(after, settings)];
  return [...wished].flatMap(([attribute, values]): ValueChange[] => {
    const old = was.get(attribute) ?? [];
    if (isDeepStrictEqual([...old].sort(), [...values].sort())) return [];
    const there = valuesOf(entry, attribute);
    const removed = there.filter((value) => old.includes(value) && !values.includes(value));
    const added = values.filter((value) => !there.includes(value));
    return [
      ...(removed.length > 0 ? [{ operation: "delete", attribute, values: removed } as const] : []),
      ...(added.length > 0 ? [{ operation: "add", attribute, values: added } as const] : []),
    ];
  });
}

/** The changes that take changes back. */
export function opposite(changes: readonly ValueChange[]): ValueChange[] {
  return changes
    .map((change): ValueChange => ({ ...change, operation: change.operation === "add" ? "delete" : "add" }))
    .reverse();
}

function elementsOf(resource: Resource, name: string): readonly JsonObject[] {
  const list = resource[name];
  return Array.isArray(list) ? list.filter((one): one is JsonObject => isObject(one)) : [];
}

/** A resource with an attribute, or without it; an object that nothing is left in goes too. */
function withValue(resource: Resource, name: string, value: Json | undefined): Resource {
  const [outer, inner] = placeOf(name);
  const before = Object.hasOwn(resource, outer) ? resource[outer] : undefined;
  const object = isObject(before) ? (before as JsonObject) : {};
  const rest = inner === undefined ? {} : Object.fromEntries(Object.entries(object).filter(([key]) => key !== inner));
  const after = inner === undefined ? value : { ...rest, ...(value !== undefined && { [inner]: value }) };
  const isGone = after === undefined || (isObject(after) && Object.keys(after).length === 0);
  const others = Object.fromEntries(Object.entries(resource).filter(([key]) => key !== outer));
  return isGone ? others : { ...others, [outer]: after as Json };
}

/** The name that is shown where nobody gave one: the given and the family name. */
function derivedName(resource: Resource): string | undefined {
  const parts = ["name.givenName", FAMILY].flatMap((name) => textIn(resource, name) ?? []);
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function textIn(resource: Resource, name: string): string | undefined {
  const value = read(resource, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function read(resource: Resource, name: string): Json | undefined {
  const [outer, inner] = placeOf(name);
  const value = Object.hasOwn(resource, outer) ? resource[outer] : undefined;
  return inner === undefined ? value : memberOf(value, inner);
}

/** Where an attribute stands in a resource: beside others, or in `name` or an extension. */
function placeOf(name: string): Place {
  const at = name.startsWith("urn:") ? name.lastIndexOf(":") : name.indexOf(".");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}
