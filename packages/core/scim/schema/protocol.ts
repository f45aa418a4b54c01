/**
 * The schemas of the protocol's own resources: ResourceType, Schema and ServiceProviderConfig (RFC 7643 sections 5 to 7,
 * RFC 9865 for pagination). Nobody writes such resources; the schemas are there for clients to read.
 */
import { type Attribute, attribute, type Schema } from "./attribute.ts";

type Characteristics = Parameters<typeof attribute>[2];

const uri = { type: "reference", referenceTypes: ["uri"], caseExact: true } as const;
const external = { type: "reference", referenceTypes: ["external"], caseExact: true } as const;
const exact = { caseExact: true } as const;
const flag = { type: "boolean" } as const;

/** What kinds of resources there are. */
export const resourceTypeSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  name: "ResourceType",
  description: "A kind of resource and the schemas it uses",
  attributes: [
    shown("id", "The identifier of the resource type, which is its name.", exact),
    always("name", "The name of the resource type.", exact),
    shown("description", "What resources of this type are."),
    always("endpoint", "Where resources of this type are, below the base of the API.", uri),
    always("schema", "The URN of the core schema.", uri),
    complex(
      "schemaExtensions",
      "The extensions of the core schema.",
      [
        always("schema", "The URN of the extension.", uri),
        always("required", "Whether every resource must use the extension.", flag),
      ],
      { multiValued: true },
    ),
  ],
};

const characteristics: readonly Attribute[] = [
  always("name", "The name of the attribute.", exact),
  always("type", "The type of its values.", {
    ...exact,
    canonicalValues: ["string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary"],
  }),
  always("multiValued", "Whether it has a list of values.", flag),
  shown("description", "What the attribute means."),
  shown("required", "Whether a resource must have it.", flag),
  shown("canonicalValues", "Suggested values.", { ...exact, multiValued: true }),
  shown("caseExact", "Whether the case of letters counts when its values are compared.", flag),
  shown("mutability", "Whether and when it can be written.", {
    ...exact,
    canonicalValues: ["readOnly", "readWrite", "immutable", "writeOnly"],
  }),
  shown("returned", "When it is part of an answer.", {
    ...exact,
    canonicalValues: ["always", "never", "default", "request"],
  }),
  shown("uniqueness", "Among what its values are unique.", {
    ...exact,
    canonicalValues: ["none", "server", "global"],
  }),
  shown("referenceTypes", "What a reference may lead to.", { ...exact, multiValued: true }),
];

/** How attributes are described. */
export const schemaSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Schema",
  name: "Schema",
  description: "The attributes of a resource or an extension",
  attributes: [
    always("id", "The URN of the schema.", exact),
    always("name", "The name of the schema, for people to read."),
    shown("description", "What the schema describes."),
    complex(
      "attributes",
      "The attributes.",
      [
        ...characteristics,
        shown("subAttributes", "The attributes of a complex attribute.", {
          type: "complex",
          multiValued: true,
          subAttributes: characteristics,
        }),
      ],
      { multiValued: true },
    ),
  ],
};

const supported = always("supported", "Whether it is supported.", flag);

/** What the service can do. */
export const serviceProviderConfigSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  name: "ServiceProviderConfig",
  description: "What the service can do",
  attributes: [
    shown("documentationUri", "The address of the documentation.", external),
    complex("patch", "Changes with PATCH.", [supported]),
    complex("bulk", "Several operations in one request.", [
      supported,
      always("maxOperations", "The most operations of one request.", { type: "integer" }),
      always("maxPayloadSize", "The most bytes of one request.", { type: "integer" }),
    ]),
    complex("filter", "Filters of lists.", [
      supported,
      always("maxResults", "The most resources of one answer.", { type: "integer" }),
    ]),
    complex("changePassword", "Changes of the password.", [supported]),
    complex("sort", "Sorting of lists.", [supported]),
    complex("etag", "Versions of resources and conditional requests.", [supported]),
    complex(
      "authenticationSchemes",
      "How clients may authenticate.",
      [
        always("type", "The scheme.", {
          canonicalValues: ["oauth", "oauth2", "oauthbearertoken", "httpbasic", "httpdigest"],
        }),
        always("name", "The usual name of the scheme."),
        always("description", "What the scheme is."),
        shown("specUri", "The address of its specification.", external),
        shown("documentationUri", "The address of its documentation.", external),
        shown("primary", "Whether it is the preferred scheme.", flag),
      ],
      { multiValued: true },
    ),
    shown("pagination", "How long lists are read in pages.", {
      type: "complex",
      subAttributes: [
        always("cursor", "Whether pages can be read by cursor.", flag),
        always("index", "Whether pages can be read by index.", flag),
        shown("defaultPaginationMethod", "What happens where a request names neither.", {
          canonicalValues: ["cursor", "index"],
        }),
        shown("defaultPageSize", "The resources of a page where a request names no number.", { type: "integer" }),
        shown("maxPageSize", "The most resources of a page.", { type: "integer" }),
        shown("cursorTimeout", "The seconds for which a cursor holds.", { type: "integer" }),
      ],
    }),
  ],
};

/** The schemas of the protocol. */
export const protocolSchemas: readonly Schema[] = [resourceTypeSchema, schemaSchema, serviceProviderConfigSchema];

function complex(name: string, description: string, subAttributes: readonly Attribute[], more: Characteristics = {}) {
  return always(name, description, { type: "complex", subAttributes, ...more });
}

function always(name: string, description: string, more: Characteristics = {}): Attribute {
  return shown(name, description, { required: true, ...more });
}

function shown(name: string, description: string, more: Characteristics = {}): Attribute {
  return attribute(name, description, { mutability: "readOnly", ...more });
}
