/**
 * A user as a directory entry and a directory record. The directory is the source of the attributes that it holds. The
 * directory record, a row of the table, stores the rest: other attributes, the types of addresses, `active`, groups,
 * roles.
 */
import { isDeepStrictEqual } from "node:util";
import { trimName } from "../../kernel/fold.ts";
import { isPossibleId } from "../../kernel/ids.ts";
import { memberOf, withMember } from "../../scim/protocol/resource.ts";
import type { Json, JsonObject, Resource } from "../../scim/protocol/schema/attribute.ts";
import { isObject } from "../../scim/protocol/values.ts";
import type { User } from "../users/model.ts";
import type { Entry, ValueChange } from "./connection.ts";
import { isNamedBy, rdnsOf } from "./escape.ts";
import { type DirectorySettings, listAttributes } from "./model.ts";

const FORMATTED = "name.formatted";
/**
 * Required by the object class `person` (RFC 4519 section 3.12). Without a value of its own each holds the user name.
 */
const required: ReadonlySet<string> = new Set(["cn", "sn"]);

/** Operational attributes (RFC 4512 section 3.4; `entryCSN` is OpenLDAP's change number). */
const CREATED = "createTimestamp";
const MODIFIED = "modifyTimestamp";
const CHANGE = "entryCSN";

const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,](\d{1,6}))?\d*Z/;

/** The attributes that reads of entries return. */
export function attributesRead({ attributes, usernameAttribute, idAttribute }: DirectorySettings): readonly string[] {
  return [...new Set([idAttribute, usernameAttribute, ...Object.values(attributes), CREATED, MODIFIED, CHANGE])];
}

/** Differs after every change of an entry, also of its password. */
export function markOf(entry: Entry): string {
  return `${entry.dn}\n${valuesOf(entry, CHANGE)[0] ?? valuesOf(entry, MODIFIED)[0] ?? ""}`;
}

/** The user id of an entry; `undefined` where its text cannot be an id. */
export function idIn(entry: Entry, { idAttribute }: DirectorySettings): string | undefined {
  const [id] = valuesOf(entry, idAttribute);
  return id !== undefined && isPossibleId(id) ? id : undefined;
}

/** The user name of an entry. Of several, the one in its distinguished name. */
export function nameIn(entry: Entry, { usernameAttribute }: DirectorySettings): string | undefined {
  // Blanks at the ends are not part of a directory string (RFC 4518 section 2.6.1).
  const names = valuesOf(entry, usernameAttribute)
    .map(trimName)
    .filter((name) => name !== "");
  if (names.length < 2 || !isNamedBy(entry.dn, usernameAttribute)) return names[0];
  const [rdn] = rdnsOf(entry.dn);
  const named = rdn.slice(usernameAttribute.length + 1).toLowerCase();
  return names.find((name) => name.toLowerCase() === named) ?? names[0];
}

/** The user of an entry and its directory record; `undefined` for an entry without a user name. */
export function userOf(
  entry: Entry,
  id: string,
  record: User | undefined,
  settings: DirectorySettings,
): User | undefined {
  const userName = nameIn(entry, settings);
  if (userName === undefined) return undefined;
  const createdMs = msOf(entry, CREATED);
  return {
    id,
    userName,
    userStore: settings.domain,
    active: record?.active ?? true,
    hasPassword: false,
    createdMs,
    modifiedMs: Math.max(createdMs, msOf(entry, MODIFIED), record?.modifiedMs ?? 0),
    version: microsecondsOf(valuesOf(entry, CHANGE)[0] ?? valuesOf(entry, MODIFIED)[0]) + (record?.version ?? 0),
    profile: profileOf(entry, record?.profile ?? {}, settings),
    groupIds: record?.groupIds ?? [],
    roleIds: record?.roleIds ?? [],
    unproven: record?.unproven,
    indexed: [],
  };
}

function valuesOf({ values }: Entry, attribute: string): readonly string[] {
  return values.get(attribute.toLowerCase()) ?? [];
}

function msOf(entry: Entry, attribute: string): number {
  return Math.floor(microsecondsOf(valuesOf(entry, attribute)[0]) / 1_000);
}

/**
 * Microseconds since 1970 of a generalized time (RFC 4517 section 3.3.13), with which a CSN begins too; otherwise 0.
 */
function microsecondsOf(text: string | undefined): number {
  const [, year, month, day, hour, minute, second, fraction = ""] = GENERALIZED.exec(text ?? "") ?? [];
  if (second === undefined) return 0;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return ms * 1_000 + Number(fraction.padEnd(6, "0"));
}

function profileOf(entry: Entry, recorded: Resource, settings: DirectorySettings): Resource {
  const userName = nameIn(entry, settings);
  let profile = recorded;
  for (const [name, attribute] of Object.entries(settings.attributes)) {
    const values = valuesOf(entry, attribute);
    if (listAttributes.includes(name)) {
      const list = listed(values, elementsOf(recorded, name));
      profile = withValue(profile, name, list.length > 0 ? list : undefined);
    } else if (name !== FORMATTED) {
      const [value] = values;
      const isFilled = required.has(attribute.toLowerCase()) && value === userName;
      profile = withValue(profile, name, isFilled ? undefined : value);
    }
  }
  const attribute = settings.attributes[FORMATTED];
  if (attribute === undefined) return profile;
  const [value] = valuesOf(entry, attribute);
  const isDerived = value === (derivedName(profile) ?? userName);
  return withValue(profile, FORMATTED, isDerived ? undefined : value);
}

/**
 * The values of the directory as elements, each with the parts that the record stores for it, in the record's order.
 */
function listed(values: readonly string[], recorded: readonly JsonObject[]): Json[] {
  const inOrder = [
    ...recorded.flatMap(({ value }) => values.filter((text) => isSameText(value, text))),
    ...values.filter((text) => !recorded.some(({ value }) => isSameText(value, text))),
  ];
  return [...new Set(inOrder)].map((text) => ({
    ...(recorded.find(({ value }) => isSameText(value, text)) ?? {}),
    value: text,
  }));
}

function isSameText(a: Json | undefined, b: string): boolean {
  return typeof a === "string" && a.toLowerCase() === b.toLowerCase();
}

/** The part of a profile that the directory record stores: what the directory does not hold. */
export function recordProfile(profile: Resource, { attributes }: DirectorySettings): Resource {
  return Object.keys(attributes).reduce((rest, name) => {
    const hasOtherParts = elementsOf(rest, name).some((element) => Object.keys(element).length !== 1);
    return listAttributes.includes(name) && hasOtherParts ? rest : withValue(rest, name, undefined);
  }, profile);
}

/** The values of a user's entry, by attribute of the directory. An empty list: no value. */
export function entryValues(
  { userName, profile }: Pick<User, "userName" | "profile">,
  { attributes }: DirectorySettings,
): ReadonlyMap<string, readonly string[]> {
  const entry = new Map<string, readonly string[]>();
  for (const [name, attribute] of Object.entries(attributes)) {
    if (listAttributes.includes(name)) {
      const values = elementsOf(profile, name).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      entry.set(attribute, [...new Map(values.map((value) => [value.toLowerCase(), value])).values()]);
      continue;
    }
    const given = textIn(profile, name) ?? (name === FORMATTED ? derivedName(profile) : undefined);
    const value = given ?? (required.has(attribute.toLowerCase()) ? userName : undefined);
    entry.set(attribute, value === undefined ? [] : [value]);
  }
  for (const attribute of required) {
    if (![...entry.keys()].some((each) => each.toLowerCase() === attribute)) entry.set(attribute, [userName]);
  }
  return entry;
}

/**
 * The changes of an entry between two states of a user. A change removes old values by value, so that the directory
 * refuses it after a concurrent change. An attribute that does not change keeps all its values.
 */
export function valueChanges(before: User, after: User, entry: Entry, settings: DirectorySettings): ValueChange[] {
  const [oldValues, newValues] = [entryValues(before, settings), entryValues(after, settings)];
  return [...newValues].flatMap(([attribute, values]): ValueChange[] => {
    const old = oldValues.get(attribute) ?? [];
    if (isDeepStrictEqual([...old].sort(), [...values].sort())) return [];
    const current = valuesOf(entry, attribute);
    const removed = current.filter((value) => old.includes(value) && !values.includes(value));
    const added = values.filter((value) => !current.includes(value));
    return [
      ...(removed.length > 0 ? [{ operation: "delete", attribute, values: removed } as const] : []),
      ...(added.length > 0 ? [{ operation: "add", attribute, values: added } as const] : []),
    ];
  });
}

/** The changes that undo `changes`. */
export function inverse(changes: readonly ValueChange[]): ValueChange[] {
  return changes
    .map((change): ValueChange => ({ ...change, operation: change.operation === "add" ? "delete" : "add" }))
    .reverse();
}

function elementsOf(resource: Resource, name: string): readonly JsonObject[] {
  const list = resource[name];
  return Array.isArray(list) ? list.filter((one): one is JsonObject => isObject(one)) : [];
}

/** A resource with an attribute set, or without it. Removes an object that becomes empty. */
function withValue(resource: Resource, name: string, value: Json | undefined): Resource {
  const [outer, inner] = pathOf(name);
  if (inner === undefined) return withMember(resource, outer, value);
  const object = memberOf(resource, outer);
  const after = withMember(isObject(object) ? object : {}, inner, value);
  return withMember(resource, outer, Object.keys(after).length > 0 ? after : undefined);
}

/** The formatted name of a user without one: given and family name. */
function derivedName(resource: Resource): string | undefined {
  const parts = ["name.givenName", "name.familyName"].flatMap((name) => textIn(resource, name) ?? []);
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function textIn(resource: Resource, name: string): string | undefined {
  const [outer, inner] = pathOf(name);
  const value = inner === undefined ? memberOf(resource, outer) : memberOf(memberOf(resource, outer), inner);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The member of a resource, and the member of that one: of `name`, or of an extension. */
function pathOf(name: string): readonly [outer: string, inner: string | undefined] {
  const at = name.startsWith("urn:") ? name.lastIndexOf(":") : name.indexOf(".");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}
