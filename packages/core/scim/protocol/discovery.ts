/**
 * Discovery (RFC 7643 sections 5 to 7, RFC 7644 section 4, RFC 9865, RFC 9967 section 3): the configuration of the
 * service, its resource types and its schemas. The same for every caller, without nulls.
 */
import { scimEvents } from "./events.ts";
import type { Attribute, JsonObject, ResourceType, Schema } from "./schema/attribute.ts";
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from "./schema/protocol.ts";
import { schemasOfTypes } from "./schema/resource-types.ts";

/** The limits of one request. They are published and enforced. */
export interface Limits {
  readonly bulkOperationsMax: number;
  readonly bulkBytesMax: number;
  /** Resources of one page; larger requests get this many. */
  readonly pageSizeMax: number;
  readonly pageSizeDefault: number;
  readonly cursorTimeoutSeconds: number;
}

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

/** `base`: the URL of the API, such as `https://host/scim2`, without a trailing slash. */
export interface BaseUrl {
  readonly base: string;
}

export function serviceProviderConfig({
  base,
  bulkOperationsMax,
  bulkBytesMax,
  pageSizeMax,
  pageSizeDefault,
  cursorTimeoutSeconds,
  showsEvents,
}: BaseUrl & Limits & { readonly showsEvents: boolean }): JsonObject {
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
    // RFC 9967. Clients that know the members of RFC 7643 alone refuse the whole configuration.
    ...(showsEvents && { securityEvents: { asyncRequest: "none", eventUris: Object.values(scimEvents) } }),
    authenticationSchemes,
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

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
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  };
}

/** The schemas of the resource types, each once, and those of the discovery resources. */
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

/** The characteristics of RFC 7643 section 7, without our internal ones. */
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

/** Ids are case-insensitive, as the URNs of schemas are. */
export function resourceWithId(resources: readonly JsonObject[], id: string): JsonObject | undefined {
  return resources.find(
    (resource) => typeof resource.id === "string" && resource.id.toLowerCase() === id.toLowerCase(),
  );
}
