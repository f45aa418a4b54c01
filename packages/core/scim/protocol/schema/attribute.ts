/**
 * SCIM schemas as data (RFC 7643 sections 2 and 7). Validation, `/Schemas`, filters, PATCH and projection all read
 * these tables.
 */

/** RFC 7643 section 2.3. */
export type AttributeType =
  | "string"
  | "boolean"
  | "decimal"
  | "integer"
  | "dateTime"
  | "reference"
  | "complex"
  | "binary";

/** An attribute with its characteristics (RFC 7643 section 7). */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  readonly returned: "always" | "never" | "default" | "request";
  readonly uniqueness: "none" | "server" | "global";
  /** Suggested values. Other values are accepted too. */
  readonly canonicalValues?: readonly string[];
  /** Of a `reference`. */
  readonly referenceTypes?: readonly string[];
  /** At least one for a `complex` attribute. Complex themselves only in the schema of schemas, which is read-only. */
  readonly subAttributes?: readonly Attribute[];
  /** The maximum of characters, where it differs from that of other strings. Not published. */
  readonly lengthMax?: number;
  /** The maximum of elements, where it differs from that of other lists. Not published. */
  readonly elementsMax?: number;
  /** For a string that is a calendar date, `YYYY-MM-DD`. Not published. */
  readonly format?: "date";
  /** For the name of a user, group or role, which has no white space at its ends. Not published. */
  readonly isName?: true;
  /** Users may change it at `/Me`. Not published. */
  readonly selfService?: true;
  /**
   * How the user signs in, is reached, or gets the account back. Users change theirs with a fresh proof alone (decision
   * 0145). Not published.
   */
  readonly guarded?: true;
}

/** The characteristics of an attribute that differ from the defaults. */
export type Characteristics = Partial<Omit<Attribute, "name" | "description">>;

/** The core schema of a resource type, or an extension. */
export interface Schema {
  /** The URN. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /**
   * Another extension of the resource type. Older clients write its attributes under this URN; they are accepted there,
   * and shown under their own URN. Not published.
   */
  readonly alsoHolds?: Schema;
}

/** RFC 7643 section 6. */
export interface ResourceType {
  /** `User` for example. Also the value of `meta.resourceType`. */
  readonly name: string;
  readonly description: string;
  /** Below the base of the API, such as `/Users`. */
  readonly endpoint: `/${string}`;
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A resource in canonical form: names in the spelling of the schemas, values of the declared types, the attributes of
 * an extension in an object under its URN. It has no `null`, empty array, empty object or empty string, and no
 * `schemas`, which is derived. `id`, `externalId` and `meta` are members next to the attributes of the core schema.
 */
export type Resource = JsonObject;

/** The attributes that every resource has (RFC 7643 section 3.1). They belong to no schema. */
export const commonAttributes: readonly Attribute[] = [
  attribute("schemas", "The URNs of the schemas of the resource.", {
    type: "reference",
    referenceTypes: ["uri"],
    multiValued: true,
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
  }),
  attribute("id", "The id that the service assigned to the resource.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  }),
  attribute("externalId", "The id of the resource at the provisioning client.", { caseExact: true }),
  attribute("meta", "Metadata of the resource.", {
    type: "complex",
    mutability: "readOnly",
    subAttributes: [
      attribute("resourceType", "The name of the resource type.", { caseExact: true, mutability: "readOnly" }),
      attribute("created", "When the resource was created.", { type: "dateTime", mutability: "readOnly" }),
      attribute("lastModified", "When the resource was last changed.", { type: "dateTime", mutability: "readOnly" }),
      attribute("location", "The URL of the resource.", {
        type: "reference",
        referenceTypes: ["uri"],
        caseExact: true,
        mutability: "readOnly",
      }),
      attribute("version", "The entity tag of the resource.", { caseExact: true, mutability: "readOnly" }),
    ],
  }),
];

/**
 * Ends the description of an attribute that no user ever has: it is declared for tools of WSO2 Identity Server, which
 * name it in requests (decision 0161).
 */
export const VALUELESS = "This service gives it no value.";

/** The defaults: `string`, single-valued, readWrite, returned by default, not unique, not case-exact. */
export function attribute(name: string, description: string, characteristics: Characteristics = {}): Attribute {
  return {
    name,
    type: "string",
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...characteristics,
  };
}

/** A multi-valued complex attribute. */
export function list(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  characteristics: Characteristics = {},
): Attribute {
  return attribute(name, description, { type: "complex", multiValued: true, subAttributes, ...characteristics });
}
