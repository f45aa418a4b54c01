/**
 * What a SCIM schema is made of (RFC 7643 sections 2 and 7), as data. Validation, `/Schemas`, filters, PATCH and
 * projection all read the same tables; nothing else knows an attribute by name unless the attribute means something to it.
 */

/** The types of RFC 7643 section 2.3. */
export type AttributeType =
  | "string"
  | "boolean"
  | "decimal"
  | "integer"
  | "dateTime"
  | "reference"
  | "complex"
  | "binary";

/** One attribute with all its characteristics (RFC 7643 section 7). */
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
  /** Suggestions: other values are accepted too. */
  readonly canonicalValues?: readonly string[];
  /** Of a `reference`. */
  readonly referenceTypes?: readonly string[];
  /** Of a `complex`, which has at least one; they are complex themselves only in the schema of schemas, which nobody writes. */
  readonly subAttributes?: readonly Attribute[];
  /** The most characters of a string; where it is absent the limit of all strings holds. Not published. */
  readonly lengthMax?: number;
  /** The most elements of a multi-valued attribute; where it is absent the limit of all lists holds. Not published. */
  readonly elementsMax?: number;
  /** Of a string that is a calendar date, `YYYY-MM-DD`. Not published. */
  readonly format?: "date";
  /** True where users may change it of themselves (`/Me`). Not published. */
  readonly selfService?: true;
}

/** A schema: the core one of a resource type, or an extension. */
export interface Schema {
  /** The URN, in its official spelling. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /**
   * Another extension of the same resource type whose attributes old clients write under this URN: they are understood
   * there, and shown where they belong. Not published.
   */
  readonly alsoHolds?: Schema;
}

/** A kind of resource (RFC 7643 section 6). */
export interface ResourceType {
  /** `User` or `Group`: also the value of `meta.resourceType`. */
  readonly name: string;
  readonly description: string;
  /** Below the base of the API, such as `/Users`. */
  readonly endpoint: `/${string}`;
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A resource in canonical form: names spelt as the schemas spell them, values of their types, the attributes of an
 * extension in an object under its URN; no `null`, no empty array, no empty object, no empty string. `schemas` is not a
 * member: it follows from what is there. `id`, `externalId` and `meta` are members beside those of the core schema.
 */
export type Resource = JsonObject;

/** The attributes that every resource has (RFC 7643 section 3.1). They belong to no schema. */
export const commonAttributes: readonly Attribute[] = [
  attribute("schemas", "The URNs of the schemas that the resource uses.", {
    type: "reference",
    referenceTypes: ["uri"],
    multiValued: true,
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
  }),
  attribute("id", "The identifier that the service gave the resource.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  }),
  attribute("externalId", "The identifier that the provisioning client knows the resource by.", { caseExact: true }),
  attribute("meta", "What the service knows about the resource as such.", {
    type: "complex",
    mutability: "readOnly",
    subAttributes: [
      attribute("resourceType", "The name of the resource type.", { caseExact: true, mutability: "readOnly" }),
      attribute("created", "When the resource was made.", { type: "dateTime", mutability: "readOnly" }),
      attribute("lastModified", "When the resource was changed last.", { type: "dateTime", mutability: "readOnly" }),
      attribute("location", "The address of the resource.", {
        type: "reference",
        referenceTypes: ["uri"],
        caseExact: true,
        mutability: "readOnly",
      }),
      attribute("version", "The entity tag of the resource.", { caseExact: true, mutability: "readOnly" }),
    ],
  }),
];

/** Makes an attribute: what is not said is `string`, single, readWrite, returned by default, not unique, not case-exact. */
export function attribute(
  name: string,
  description: string,
  characteristics: Partial<Omit<Attribute, "name" | "description">> = {},
): Attribute {
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
