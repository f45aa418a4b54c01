/** Which field of a file becomes which attribute, for each format; and from a record to a SCIM user. */

import { UsageError } from "../client.ts";
import fieldsByFormat from "./fields.json" with { type: "json" };
import { Refusal, type SourceName, type SourceRecord } from "./sources.ts";

/** Attributes by field; `-` for a field that is left out. Names of fields count in any letter case. */
type Fields = Readonly<Record<string, string>>;

const presets: Readonly<Record<SourceName, Fields>> = fieldsByFormat;

/** Formats in which a field without a mapping is listed at the end. In the others it is refused: it may be misspelt. */
const lenient: ReadonlySet<SourceName> = new Set(["ldif", "keycloak", "okta", "auth0", "wso2"]);

/** How WSO2 Identity Server hashed passwords, with the beginning of the text of such a hash. */
const wso2Hashes = {
  sha256: `$sha256$pf=${base64("{PASSWORD}{SALT}")}$`,
  sha1: `$sha1$pf=${base64("{PASSWORD}{SALT}")}$`,
  sha512: `$sha512$pf=${base64("{PASSWORD}{SALT}")}$`,
  pbkdf2: "$pbkdf2-sha256$i=10000,l=32$",
} as const;
export type Wso2Hash = keyof typeof wso2Hashes;
export const wso2HashNames = Object.keys(wso2Hashes) as readonly Wso2Hash[];

/** What becomes of the records of a file. */
export interface Mapping {
  /**
   * The user of a record; `undefined` for a record that is no person. Throws `Refusal` with the reason, and
   * `UsageError` for a field that nothing maps.
   */
  userOf(record: SourceRecord): ScimUser | undefined;
  /** Fields that were left out because nothing says what they are, in the order in which they were found. */
  readonly leftOut: ReadonlySet<string>;
}

/**
 * Builds the mapping of a format with the choices of the command line, which win. Throws `UsageError` for an attribute
 * that does not exist.
 */
export function mappingOf(source: SourceName, chosen: Fields, hash: Wso2Hash): Mapping {
  const fields = new Map<string, string>();
  for (const [name, attribute] of [...Object.entries(presets[source]), ...Object.entries(chosen)]) {
    if (attribute !== "-" && !setterOf(attribute)) {
      throw new UsageError(`--map ${name}=${attribute}: "${attribute}" is not one of ${ATTRIBUTES}.`);
    }
    fields.set(name.toLowerCase(), attribute);
  }
  const leftOut = new Set<string>();
  const attributeOf = (name: string): string | undefined => {
    const known = fields.get(name.toLowerCase());
    if (known !== undefined) return known;
    return !lenient.has(source) && setterOf(name) ? name : undefined;
  };
  const userOf = (record: SourceRecord): ScimUser | undefined => {
    if (record.resource) return { ...record.resource };
    const unknown = [...record.fields.keys()].filter((name) => attributeOf(name) === undefined);
    if (unknown.length > 0 && !lenient.has(source)) throw new UsageError(unmapped(record, unknown));
    for (const name of unknown) leftOut.add(name);
    const user: ScimUser = {};
    for (const [name, values] of record.fields) setterOf(attributeOf(name) ?? "-")?.(user, values);
    complete(user, source, record, hash);
    // An LDAP directory has units and groups too.
    if (source === "ldif" && user.userName === undefined) return undefined;
    if (user.userName === undefined) throw new Refusal("the record has no userName");
    return user;
  };
  return { userOf, leftOut };
}

function unmapped({ place }: SourceRecord, names: readonly string[]): string {
  const options = names.map((name) => `--map '${name}=<attribute>'`).join(" ");
  return `${place}: these fields are not mapped: ${names.join(", ")}. Add ${options}.\nAttributes: ${ATTRIBUTES}.`;
}

/** What a format has in several fields, or under another name. */
function complete(user: ScimUser, source: SourceName, { fields }: SourceRecord, hash: Wso2Hash): void {
  if (source === "auth0" && user.userName === undefined) {
    const [email] = fields.get("email") ?? [];
    if (email !== undefined) user.userName = email;
  }
  if (source !== "wso2") return;
  const column = (wanted: string) => [...fields].find(([name]) => name.toUpperCase() === wanted)?.[1][0];
  const [stored, salt] = [column("UM_USER_PASSWORD"), column("UM_SALT_VALUE")];
  // The text of the salt is what was hashed, not the bytes behind it.
  if (stored !== undefined) user.password = `${wso2Hashes[hash]}${base64(salt ?? "")}$${stored}`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** A SCIM user that is being made. */
export type ScimUser = Record<string, unknown>;

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const plain: ReadonlySet<string> = new Set([
  ...["userName", "externalId", "displayName", "nickName", "profileUrl", "title", "userType", "preferredLanguage"],
  ...["locale", "timezone", "password", "active"],
]);
const nameParts: ReadonlySet<string> = new Set([
  ...["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"],
]);
const lists: ReadonlySet<string> = new Set(["emails", "phoneNumbers", "ims", "photos", "entitlements"]);
const addressParts: ReadonlySet<string> = new Set([
  ...["formatted", "streetAddress", "locality", "region", "postalCode", "country"],
]);
const enterpriseParts: ReadonlySet<string> = new Set([
  ...["employeeNumber", "costCenter", "organization", "division", "department", "manager"],
]);
const truths: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, "1": true, active: true, enabled: true },
  ...{ false: false, no: false, "0": false, inactive: false, disabled: false },
  // The statuses of Okta.
  ...{ staged: false, provisioned: false, deprovisioned: false, suspended: false },
  ...{ recovery: true, locked_out: true, password_expired: true },
};

/** What a column can be mapped to, for messages. */
const ATTRIBUTES =
  "userName, externalId, displayName, nickName, profileUrl, title, userType, preferredLanguage, locale, timezone, " +
  "password, active, name.<part>, emails[.<type>], phoneNumbers[.<type>], ims[.<type>], photos[.<type>], " +
  "entitlements[.<type>], addresses[.<type>].<part>, enterprise.<attribute>, <schema URN>:<attribute>, or - for nothing";

/** Sets an attribute from the values of a field. Throws `Refusal` for a value that the attribute cannot have. */
type Setter = (user: ScimUser, values: readonly string[]) => void;

/** How an attribute is set; `undefined` for a name that is not one of `ATTRIBUTES`. */
function setterOf(attribute: string): Setter | undefined {
  if (attribute.startsWith("urn:")) return inSchema(attribute);
  const [first = "", second = "", third, ...more] = attribute.split(".");
  if (more.length > 0) return undefined;
  if (plain.has(attribute)) return (user, values) => assign(user, attribute, valueFor(attribute, values));
  if (first === "name" && nameParts.has(second) && third === undefined) return inObject("name", second);
  if (first === "enterprise" && enterpriseParts.has(second) && third === undefined) return inEnterprise(second);
  if (lists.has(first) && third === undefined) return inList(first, second);
  if (first !== "addresses") return undefined;
  const [type, part] = third === undefined ? ["", second] : [second, third];
  return addressParts.has(part) ? inAddress(type, part) : undefined;
}

function inSchema(attribute: string): Setter | undefined {
  const colon = attribute.lastIndexOf(":");
  const [urn, path] = [attribute.slice(0, colon), attribute.slice(colon + 1)];
  return path === "" || !urn.startsWith("urn:") ? undefined : inObject(urn, path);
}

function inObject(object: string, part: string): Setter {
  return (user, values) => assign(objectIn(user, object), part, single(part, values));
}

function inEnterprise(part: string): Setter {
  return (user, values) => {
    const value = single(part, values);
    assign(objectIn(user, ENTERPRISE), part, part === "manager" ? { value } : value);
  };
}

/** The first value of a list is its primary one. */
function inList(list: string, type: string): Setter {
  return (user, values) => {
    const before = (user[list] as object[] | undefined) ?? [];
    const added = values.map((value, at) => ({
      value,
      ...(type !== "" && { type }),
      ...(before.length === 0 && at === 0 && { primary: true }),
    }));
    user[list] = [...before, ...added];
  };
}

function inAddress(type: string, part: string): Setter {
  return (user, values) => {
    const addresses = (user.addresses as Record<string, unknown>[] | undefined) ?? [];
    const found = addresses.find((each) => (each.type ?? "") === type);
    const address = found ?? (type === "" ? {} : { type });
    assign(address, part, values.join("\n"));
    user.addresses = found ? addresses : [...addresses, address];
  };
}

function valueFor(attribute: string, values: readonly string[]): string | boolean {
  const value = single(attribute, values);
  if (attribute !== "active") return value;
  const is = truths[value.toLowerCase()];
  if (is === undefined) throw new Refusal('active: expected "true" or "false"');
  return is;
}

function single(attribute: string, [value = "", ...more]: readonly string[]): string {
  if (more.length > 0) throw new Refusal(`${attribute}: the record has ${more.length + 1} values, expected one`);
  return value;
}

/** Sets a member once: two fields for one attribute are a mistake of the mapping. */
function assign(object: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(object, name) && object[name] !== value) {
    throw new Refusal(`${name}: two fields of the record set it`);
  }
  object[name] = value;
}

function objectIn(user: ScimUser, name: string): Record<string, unknown> {
  const object = (user[name] as Record<string, unknown> | undefined) ?? {};
  user[name] = object;
  return object;
}
