/** The core schema of users (RFC 7643 section 4.1). */
import { type Attribute, attribute, type Characteristics, list, type Schema } from "./attribute.ts";

/** The maximum of characters of a certificate. */
const CERTIFICATE_MAX = 16_384;

/** The maximum of characters of a photo, whose value may be a `data:` URI: 110 kB in base64. */
const PHOTO_MAX = 150_000;

const own = { selfService: true } as const;
const guarded = { guarded: true } as const;

const nameParts: readonly Attribute[] = [
  attribute("formatted", "The full name with all its parts, for display."),
  attribute("familyName", "The family name, or last name in most Western languages."),
  attribute("givenName", "The given name, or first name in most Western languages."),
  attribute("middleName", "The middle names."),
  attribute("honorificPrefix", "The title before the name, such as Dr."),
  attribute("honorificSuffix", "The suffix after the name, such as Jr."),
];

const addressParts: readonly Attribute[] = [
  attribute("formatted", "The full address, as on an envelope."),
  attribute("streetAddress", "Street, house number, apartment or post box."),
  attribute("locality", "The city or town."),
  attribute("region", "The state, province or region."),
  attribute("postalCode", "The postal code."),
  attribute("country", "The country."),
  attribute("type", "The purpose of the address.", { canonicalValues: ["work", "home", "other"] }),
  attribute("primary", "Whether this is the preferred address. At most one is.", { type: "boolean" }),
];

const groupParts: readonly Attribute[] = [
  readOnly("value", "The id of the group.", { caseExact: true }),
  readOnly("$ref", "The URL of the group.", { type: "reference", referenceTypes: ["Group"], caseExact: true }),
  readOnly("display", "The name of the group.", { isName: true }),
  readOnly("type", "direct: of the group itself; indirect: of a nested group.", {
    canonicalValues: ["direct", "indirect"],
  }),
];

/** The parts of a role in RFC 7643. */
const roleParts: readonly Attribute[] = [
  attribute("value", "The role.", { isName: true }),
  ...labels("role").map((part) => (part.name === "display" ? { ...part, isName: true as const } : part)),
];

/** The same with upstream's own parts. */
const wso2RoleParts: readonly Attribute[] = [
  ...roleParts,
  readOnly("$ref", "The URL of a role that this service assigned.", {
    type: "reference",
    referenceTypes: ["uri"],
    caseExact: true,
  }),
  readOnly("audienceValue", "The id of the audience of the role."),
  readOnly("audienceDisplay", "The name of the audience of the role."),
  readOnly("audienceType", "organization or application."),
];

const external = { type: "reference", referenceTypes: ["external"], caseExact: true } as const;

/** What users have once, besides name and password. */
const singleAttributes: readonly Attribute[] = [
  attribute("name", "The parts of the user's name.", {
    type: "complex",
    subAttributes: nameParts,
    ...own,
  }),
  attribute("displayName", "The name shown to other people.", own),
  attribute("nickName", "The casual name of the user.", own),
  attribute("profileUrl", "The URL of a page about the user.", { ...external, ...own }),
  attribute("title", "The user's title, such as Vice President.", own),
  attribute("userType", "The relation between the organization and the user, such as Employee or Contractor."),
  attribute("preferredLanguage", "The languages the user prefers, as in an Accept-Language header.", own),
  attribute("locale", "The format of numbers, dates and currency, such as en-US.", own),
  attribute("timezone", "The user's time zone, such as Europe/Zurich.", own),
  attribute("active", "Whether the user can sign in.", { type: "boolean" }),
];

/** What users have several of, besides roles and certificates. */
const listAttributes: readonly Attribute[] = [
  list(
    "emails",
    "E-mail addresses.",
    [attribute("value", "The e-mail address."), ...labels("e-mail address", ["work", "home", "other"])],
    { ...own, ...guarded },
  ),
  list(
    "phoneNumbers",
    "Telephone numbers.",
    [
      attribute("value", "The telephone number."),
      ...labels("telephone number", ["work", "home", "mobile", "fax", "pager", "other"]),
    ],
    { ...own, ...guarded },
  ),
  list(
    "ims",
    "Addresses for instant messages.",
    [
      attribute("value", "The address for instant messages."),
      ...labels("address", ["aim", "gtalk", "icq", "xmpp", "msn", "skype", "qq", "yahoo"]),
    ],
    own,
  ),
  list(
    "photos",
    "Photos of the user.",
    [
      attribute("value", "The URL of the photo, which may be a data: URI.", { ...external, lengthMax: PHOTO_MAX }),
      ...labels("photo", ["photo", "thumbnail"]),
    ],
    own,
  ),
  list("addresses", "Postal addresses.", addressParts, own),
  list("groups", "The groups of the user. To change them, change the groups.", groupParts, {
    mutability: "readOnly",
  }),
  list("entitlements", "The entitlements of the user.", [
    attribute("value", "The entitlement."),
    ...labels("entitlement"),
  ]),
];

/** The schema of each profile: the password of new users is required in `wso2`, and roles have further parts there. */
export const userSchemas = {
  wso2: schemaOf({ passwordRequired: true, roles: wso2RoleParts }),
  rfc7644: schemaOf({ passwordRequired: false, roles: roleParts }),
} as const;

/** What differs between the profiles. */
interface Differences {
  readonly passwordRequired: boolean;
  readonly roles: readonly Attribute[];
}

function readOnly(name: string, description: string, more: Characteristics = {}): Attribute {
  return attribute(name, description, { mutability: "readOnly", ...more });
}

function schemaOf(differences: Differences): Schema {
  return {
    id: "urn:ietf:params:scim:schemas:core:2.0:User",
    name: "User",
    description: "User Account",
    attributes: attributesOf(differences),
  };
}

function attributesOf({ passwordRequired, roles }: Differences): readonly Attribute[] {
  return [
    attribute("userName", "The name the user signs in with. Unique in its user store, regardless of case.", {
      required: true,
      uniqueness: "server",
      isName: true,
      ...guarded,
    }),
    ...singleAttributes,
    attribute("password", "The password. It is never returned.", {
      required: passwordRequired,
      mutability: "writeOnly",
      returned: "never",
      ...own,
      ...guarded,
    }),
    ...listAttributes,
    list("roles", "Roles that this service assigned, then roles that a client stored.", roles),
    list("x509Certificates", "Certificates issued to the user.", [
      attribute("value", "The certificate: DER in base64.", {
        type: "binary",
        caseExact: true,
        lengthMax: CERTIFICATE_MAX,
      }),
      ...labels("certificate"),
    ]),
  ];
}

/** The sub-attributes of most multi-valued attributes, besides `value`. */
function labels(what: string, types?: readonly string[]): readonly Attribute[] {
  return [
    attribute("display", `The display name of the ${what}.`),
    attribute("type", `The purpose of the ${what}.`, types && { canonicalValues: types }),
    attribute("primary", `Whether this is the preferred ${what}. At most one is.`, { type: "boolean" }),
  ];
}
