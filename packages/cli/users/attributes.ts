/** From text values to the attributes of a SCIM user. */
import { Refusal } from "./record.ts";

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
export const ATTRIBUTES =
  "userName, externalId, displayName, nickName, profileUrl, title, userType, preferredLanguage, locale, timezone, " +
  "password, active, name.<part>, emails[.<type>], phoneNumbers[.<type>], ims[.<type>], photos[.<type>], " +
  "entitlements[.<type>], addresses[.<type>].<part>, enterprise.<attribute>, <schema URN>:<attribute>, or - for nothing";

/** Sets an attribute from the values of a field. Throws `Refusal` for a value that the attribute cannot have. */
type Setter = (user: ScimUser, values: readonly string[]) => void;

/** How an attribute is set; `undefined` for a name that is not one of `ATTRIBUTES`. */
export function setterOf(attribute: string): Setter | undefined {
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
