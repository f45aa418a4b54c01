/** Which field of a file becomes which attribute, for each format; and from a record to a SCIM user. */
import { UsageError } from "../caller.ts";
import { ATTRIBUTES, type ScimUser, setterOf } from "./attributes.ts";
import { Refusal, type SourceRecord } from "./record.ts";
import type { SourceName } from "./sources.ts";

/** Attributes by field; `-` for a field that is left out. Names of fields count in any letter case. */
type Fields = Readonly<Record<string, string>>;

const person: Fields = {
  uid: "userName",
  version: "-",
  dn: "-",
  cn: "displayName",
  sn: "name.familyName",
  givenName: "name.givenName",
  initials: "name.middleName",
  mail: "emails",
  telephoneNumber: "phoneNumbers.work",
  homePhone: "phoneNumbers.home",
  mobile: "phoneNumbers.mobile",
  facsimileTelephoneNumber: "phoneNumbers.fax",
  title: "title",
  preferredLanguage: "preferredLanguage",
  employeeNumber: "enterprise.employeeNumber",
  employeeType: "userType",
  departmentNumber: "enterprise.department",
  o: "enterprise.organization",
  street: "addresses.work.streetAddress",
  l: "addresses.work.locality",
  st: "addresses.work.region",
  postalCode: "addresses.work.postalCode",
  userPassword: "password",
};

const presets: Readonly<Record<SourceName, Fields>> = {
  csv: {},
  jsonl: {},
  scim: {},
  ldif: person,
  keycloak: {
    id: "externalId",
    username: "userName",
    email: "emails",
    firstName: "name.givenName",
    lastName: "name.familyName",
    enabled: "active",
    password: "password",
  },
  okta: {
    login: "userName",
    firstName: "name.givenName",
    lastName: "name.familyName",
    middleName: "name.middleName",
    honorificPrefix: "name.honorificPrefix",
    honorificSuffix: "name.honorificSuffix",
    email: "emails.work",
    secondEmail: "emails.other",
    title: "title",
    displayName: "displayName",
    nickName: "nickName",
    profileUrl: "profileUrl",
    mobilePhone: "phoneNumbers.mobile",
    primaryPhone: "phoneNumbers.work",
    streetAddress: "addresses.work.streetAddress",
    city: "addresses.work.locality",
    state: "addresses.work.region",
    zipCode: "addresses.work.postalCode",
    countryCode: "addresses.work.country",
    preferredLanguage: "preferredLanguage",
    locale: "locale",
    timezone: "timezone",
    userType: "userType",
    employeeNumber: "enterprise.employeeNumber",
    costCenter: "enterprise.costCenter",
    organization: "enterprise.organization",
    division: "enterprise.division",
    department: "enterprise.department",
    status: "active",
  },
  auth0: {
    user_id: "externalId",
    "_id.$oid": "externalId",
    username: "userName",
    email: "emails",
    name: "displayName",
    nickname: "nickName",
    given_name: "name.givenName",
    family_name: "name.familyName",
    phone_number: "phoneNumbers",
    picture: "photos",
    passwordHash: "password",
  },
  wso2: {
    UM_USER_ID: "externalId",
    UM_USER_NAME: "userName",
    UM_USER_PASSWORD: "-",
    UM_SALT_VALUE: "-",
    mail: "emails",
    givenName: "name.givenName",
    sn: "name.familyName",
    displayName: "displayName",
    telephoneNumber: "phoneNumbers.work",
    mobile: "phoneNumbers.mobile",
  },
};

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
  return `${place}: nothing says what these fields are: ${names.join(", ")}. Add ${options}.\nAttributes: ${ATTRIBUTES}.`;
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
