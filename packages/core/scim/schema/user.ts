/** The core schema of users (RFC 7643 section 4.1; reference scim.md section 7.2). */
import { type Attribute, attribute, type Schema } from "./attribute.ts";

type Characteristics = Parameters<typeof attribute>[2];

/** Photos and certificates, which may be whole in the value, are longer than other texts (reference section 7.1). */
const LONG = 16_384;

const own = { selfService: true } as const;

const nameParts: readonly Attribute[] = [
  attribute("formatted", "The full name as it is shown, with all its parts."),
  attribute("familyName", "The family name, or last name in most Western languages."),
  attribute("givenName", "The given name, or first name in most Western languages."),
  attribute("middleName", "The middle names."),
  attribute("honorificPrefix", "What is written before the name, such as a title."),
  attribute("honorificSuffix", "What is written behind the name, such as a generation."),
];

const addressParts: readonly Attribute[] = [
  attribute("formatted", "The whole address as it is written on an envelope; it may have several lines."),
  attribute("streetAddress", "Street, house number, apartment or post box."),
  attribute("locality", "The city or town."),
  attribute("region", "The state, province or region."),
  attribute("postalCode", "The postal code."),
  attribute("country", "The country."),
  attribute("type", "What the address is for.", { canonicalValues: ["work", "home", "other"] }),
  attribute("primary", "Whether this is the preferred address; at most one is.", { type: "boolean" }),
];

const groupParts: readonly Attribute[] = [
  readOnly("value", "The id of the group.", { caseExact: true }),
  readOnly("$ref", "The address of the group.", { type: "reference", referenceTypes: ["Group"], caseExact: true }),
  readOnly("display", "The name of the group."),
  readOnly("type", "Whether the user is a member of the group itself or of a group in it.", {
    canonicalValues: ["direct", "indirect"],
  }),
];

const roleParts: readonly Attribute[] = [
  attribute("value", "The role."),
  ...labels("role"),
  readOnly("$ref", "The address of a role that this service assigned.", {
    type: "reference",
    referenceTypes: ["uri"],
    caseExact: true,
  }),
  readOnly("audienceValue", "The id of what the role holds for."),
  readOnly("audienceDisplay", "The name of what the role holds for."),
  readOnly("audienceType", "The kind of what the role holds for, such as an organization or an application."),
];

const external = { type: "reference", referenceTypes: ["external"], caseExact: true } as const;

/** The schema where a new user must have a password, and where it need not. They differ in nothing else. */
export const userSchemas = { passwordRequired: schemaOf(true), passwordOptional: schemaOf(false) } as const;

function readOnly(name: string, description: string, more: Characteristics = {}): Attribute {
  return attribute(name, description, { mutability: "readOnly", ...more });
}

function schemaOf(passwordRequired: boolean): Schema {
  return {
    id: "urn:ietf:params:scim:schemas:core:2.0:User",
    name: "User",
    description: "User Account",
    attributes: attributesOf(passwordRequired),
  };
}

/** The attributes; whether a password is required when a user is made is the deployment's choice (decision D2). */
function attributesOf(passwordRequired: boolean): readonly Attribute[] {
  return [
    attribute(
      "userName",
      "The name the user signs in with. Unique in its user store, whatever the case of its letters.",
      {
        required: true,
        uniqueness: "server",
      },
    ),
    attribute("name", "The parts of the user's name. None is derived from another.", {
      type: "complex",
      subAttributes: nameParts,
      ...own,
    }),
    attribute("displayName", "The name shown to other people.", own),
    attribute("nickName", "What the user is called casually.", own),
    attribute("profileUrl", "The address of a page about the user.", { ...external, ...own }),
    attribute("title", "The user's title, such as Vice President.", own),
    attribute("userType", "The relation between the organization and the user, such as Employee or Contractor."),
    attribute("preferredLanguage", "The languages the user prefers, as in an Accept-Language header.", own),
    attribute("locale", "How numbers, dates and currency are written for the user, such as en-US.", own),
    attribute("timezone", "The user's time zone, such as Europe/Zurich.", own),
    attribute("active", "Whether the user may sign in. A user that is not active stays visible.", { type: "boolean" }),
    attribute("password", "The password, in clear text. It is never shown.", {
      required: passwordRequired,
      mutability: "writeOnly",
      returned: "never",
      ...own,
    }),
    list(
      "emails",
      "E-mail addresses.",
      [attribute("value", "The e-mail address."), ...labels("e-mail address", ["work", "home", "other"])],
      own,
    ),
    list(
      "phoneNumbers",
      "Telephone numbers.",
      [
        attribute("value", "The telephone number."),
        ...labels("telephone number", ["work", "home", "mobile", "fax", "pager", "other"]),
      ],
      own,
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
        attribute("value", "The address of the photo.", { ...external, lengthMax: LONG }),
        ...labels("photo", ["photo", "thumbnail"]),
      ],
      own,
    ),
    list("addresses", "Postal addresses.", addressParts, own),
    list("groups", "The groups the user is in. Groups are changed where they are.", groupParts, {
      mutability: "readOnly",
    }),
    list("entitlements", "What the user is entitled to.", [
      attribute("value", "The entitlement."),
      ...labels("entitlement"),
    ]),
    list(
      "roles",
      "The roles of the user: first those this service assigned, then those a client keeps here.",
      roleParts,
    ),
    list("x509Certificates", "Certificates issued to the user.", [
      attribute("value", "The certificate: DER in base64.", { type: "binary", caseExact: true, lengthMax: LONG }),
      ...labels("certificate"),
    ]),
  ];
}

function list(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  more: Characteristics = {},
): Attribute {
  return attribute(name, description, { type: "complex", multiValued: true, subAttributes, ...more });
}

/** What most multi-valued attributes have beside their value. */
function labels(what: string, types?: readonly string[]): readonly Attribute[] {
  return [
    attribute("display", `A name for the ${what}, for people to read.`),
    attribute("type", `What the ${what} is for.`, types && { canonicalValues: types }),
    attribute("primary", `Whether this is the preferred ${what}; at most one is.`, { type: "boolean" }),
  ];
}
