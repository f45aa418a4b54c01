/**
 * The schemas of the discovery resources: ResourceType, Schema and ServiceProviderConfig (RFC 7643 sections 5 to 7, RFC
 * 9865 for pagination, RFC 9967 for events). These resources are read-only; clients read the schemas only.
 */
import { type Attribute, attribute, type Characteristics, type Schema } from "./attribute.ts";

const uri = { type: "reference", referenceTypes: ["uri"], caseExact: true } as const;
const external = { type: "reference", referenceTypes: ["external"], caseExact: true } as const;
const exact = { caseExact: true } as const;
const flag = { type: "boolean" } as const;

export const resourceTypeSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  name: "ResourceType",
  description: "A type of resources and its schemas",
  attributes: [
    shown("id", "The id of the resource type, which is its name.", exact),
    always("name", "The name of the resource type.", exact),
    shown("description", "A description of the resource type."),
    always("endpoint", "The path of the resources, relative to the base URL.", uri),
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
  always("type", "The type of the values.", {
    ...exact,
    canonicalValues: ["string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary"],
  }),
  always("multiValued", "Whether it has a list of values.", flag),
  shown("description", "A description of the attribute."),
  shown("required", "Whether it is required.", flag),
  shown("canonicalValues", "Suggested values.", { ...exact, multiValued: true }),
  shown("caseExact", "Whether comparisons of values are case-sensitive.", flag),
  shown("mutability", "Whether and when it can be written.", {
    ...exact,
    canonicalValues: ["readOnly", "readWrite", "immutable", "writeOnly"],
  }),
  shown("returned", "When it is part of a response.", {
    ...exact,
    canonicalValues: ["always", "never", "default", "request"],
  }),
  shown("uniqueness", "The scope in which values are unique.", {
    ...exact,
    canonicalValues: ["none", "server", "global"],
  }),
  shown("referenceTypes", "The types of resources of a reference.", { ...exact, multiValued: true }),
];

export const schemaSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Schema",
  name: "Schema",
  description: "The attributes of a resource or an extension",
  attributes: [
    always("id", "The URN of the schema.", exact),
    always("name", "The display name of the schema."),
    shown("description", "A description of the schema."),
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

const supported = always("supported", "Whether the service supports it.", flag);

export const serviceProviderConfigSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  name: "ServiceProviderConfig",
  description: "The capabilities of the service",
  attributes: [
    shown("documentationUri", "The URL of the documentation.", external),
    complex("patch", "Changes of resources with PATCH.", [supported]),
    complex("bulk", "Several operations in one request.", [
      supported,
      always("maxOperations", "The maximum of operations of one request.", { type: "integer" }),
      always("maxPayloadSize", "The maximum of bytes of one request.", { type: "integer" }),
    ]),
    complex("filter", "Filters of lists.", [
      supported,
      always("maxResults", "The maximum of resources of one response.", { type: "integer" }),
    ]),
    complex("changePassword", "Password changes.", [supported]),
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
        always("description", "A description of the scheme."),
        shown("specUri", "The URL of the specification.", external),
        shown("documentationUri", "The URL of the documentation.", external),
        shown("primary", "Whether it is the preferred scheme.", flag),
      ],
      { multiValued: true },
    ),
    shown("pagination", "Paging of long lists.", {
      type: "complex",
      subAttributes: [
        always("cursor", "Whether pages can be read by cursor.", flag),
        always("index", "Whether pages can be read by index.", flag),
        shown("defaultPaginationMethod", "The default method.", {
          canonicalValues: ["cursor", "index"],
        }),
        shown("defaultPageSize", "The default size of a page.", { type: "integer" }),
        shown("maxPageSize", "The maximum size of a page.", { type: "integer" }),
        shown("cursorTimeout", "The seconds until a cursor expires.", { type: "integer" }),
      ],
    }),
    shown("securityEvents", "Events about resources.", {
      type: "complex",
      subAttributes: [
        always("asyncRequest", "Whether requests can be executed asynchronously.", {
          canonicalValues: ["none", "request", "long"],
        }),
        always("eventUris", "The types of events that the service sends.", { ...uri, multiValued: true }),
      ],
    }),
  ],
};

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
