/**
 * What the service tells of itself (RFC 7643 sections 5 to 7, RFC 7644 section 4, RFC 9865; reference scim.md sections 4.4
 * to 4.6): its configuration, its resource types and its schemas. Plain data, the same for everybody, and without nulls.
 */
import type { Attribute, JsonObject, ResourceType, Schema } from "./schema/attribute.ts";
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from "./schema/protocol.ts";
import { schemasOfTypes } from "./schema/resource-types.ts";

/** What one request may ask for, as it is advertised and held. */
export interface Limits {
  readonly bulkOperationsMax: number;
  readonly bulkBytesMax: number;
  /** The resources of one page; more are never answered at once. */
  readonly pageSizeMax: number;
  readonly pageSizeDefault: number;
  readonly cursorTimeoutSeconds: number;
}

/** The limits of the service (decision D12, reference sections 4.3, 4.4 and 5). */
export const limits: Limits = {
  bulkOperationsMax: 1_000,
  bulkBytesMax: 1_048_576,
  pageSizeMax: 200,
  pageSizeDefault: 100,
  cursorTimeoutSeconds: 3_600,
};

const supported = { supported: true } as const;

const authenticationSchemes = [
  {
    type: "oauthbearertoken",
    name: "OAuth Bearer Token",
    description: "An OAuth 2.0 access token in the Authorization header",
    specUri: "https://www.rfc-editor.org/info/rfc6750",
    primary: true,
  },
  {
    type: "httpbasic",
    name: "HTTP Basic",
    description: "User name and password in the Authorization header",
    specUri: "https://www.rfc-editor.org/info/rfc7617",
    primary: false,
  },
] as const;

/** Where to find what is told: the base of the API, such as `https://host/scim2`, without a slash at its end. */
export interface Place {
  readonly base: string;
}

/** The configuration of the service. */
export function serviceProviderConfig({
  base,
  bulkOperationsMax,
  bulkBytesMax,
  pageSizeMax,
  pageSizeDefault,
  cursorTimeoutSeconds,
}: Place & Limits): JsonObject {
  return {
    schemas: [serviceProviderConfigSchema.id],
    patch: supported,
    bulk: { ...supported, maxOperations: bulkOperationsMax, maxPayloadSize: bulkBytesMax },
    filter: { ...supported, maxResults: pageSizeMax },
    changePassword: supported,
    sort: supported,
    etag: supported,
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: pageSizeDefault,
      maxPageSize: pageSizeMax,
      cursorTimeout: cursorTimeoutSeconds,
    },
    authenticationSchemes,
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

/** The resource types, in the order given. */
export function resourceTypeResources(base: string, types: readonly ResourceType[]): readonly JsonObject[] {
  return types.map((type) => resourceTypeOf(base, type));
}

function resourceTypeOf(base: string, { name, description, endpoint, schema, extensions }: ResourceType): JsonObject {
  return {
    schemas: [resourceTypeSchema.id],
    id: name,
    name,
    description,
    endpoint,
    schema: schema.id,
    // No extension is required of a resource.
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  };
}

/** The schemas of the resource types, each once, and those of the protocol. */
export function schemaResources(base: string, types: readonly ResourceType[]): readonly JsonObject[] {
  return schemasOfTypes(types).map((schema) => schemaOf(base, schema));
}

function schemaOf(base: string, { id, name, description, attributes }: Schema): JsonObject {
  return {
    schemas: [schemaSchema.id],
    id,
    name,
    description,
    attributes: attributes.map(attributeOf),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  };
}

/** What is published of an attribute: all its characteristics, and none of the service's own notes on it. */
function attributeOf(attribute: Attribute): JsonObject {
  return {
    name: attribute.name,
    type: attribute.type,
    multiValued: attribute.multiValued,
    description: attribute.description,
    required: attribute.required,
    ...(attribute.canonicalValues && { canonicalValues: attribute.canonicalValues }),
    caseExact: attribute.caseExact,
    mutability: attribute.mutability,
    returned: attribute.returned,
    uniqueness: attribute.uniqueness,
    ...(attribute.referenceTypes && { referenceTypes: attribute.referenceTypes }),
    ...(attribute.subAttributes && { subAttributes: attribute.subAttributes.map(attributeOf) }),
  };
}

/** The one of these resources that has an id, whatever its case: ids of schemas are URNs, which ignore it. */
export function resourceWithId(resources: readonly JsonObject[], id: string): JsonObject | undefined {
  return resources.find(
    (resource) => typeof resource.id === "string" && resource.id.toLowerCase() === id.toLowerCase(),
  );
}
