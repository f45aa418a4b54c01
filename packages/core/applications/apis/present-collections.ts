/** The representation of collections of APIs. Pure; loaded with the first request for them. */
import type * as z from "zod";
import type { ApiResource, Scope } from "../../kernel/domain/api-resource.ts";
import { systemApis } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { matches, parseFilter } from "../../kernel/filter/filter.ts";
import { apiSelfOf, presentScopes } from "./present.ts";
import type { ApiCollectionList, ApiCollectionShown } from "./shapes.ts";

const SYSTEM_COLLECTION = "tenants";

/** By name: the display name, and the APIs by their identifiers. */
const table: Readonly<Record<string, readonly [displayName: string, ...identifiers: string[]]>> = {
  applications: ["Applications", "/api/server/v1/applications", "/api/server/v1/applications/owner"],
  api_resources: ["API Resources", "/api/server/v1/api-resources"],
  attributes: ["Attributes", "/api/server/v1/claim-dialects"],
  userstores: ["User Stores", "/api/server/v1/userstores"],
  identity_providers: ["Identity Providers", "/api/server/v1/identity-providers"],
  organizations: ["Organizations", "/api/server/v1/organizations"],
  users: ["Users", "/scim2/Users", "/scim2/Me"],
  sessions: ["Sessions", "/api/users/v1"],
  groups: ["Groups", "/scim2/Groups"],
  roles: ["Roles", "/scim2/Roles"],
  bulk_operations: ["Bulk Operations", "/scim2/Bulk"],
  webhooks: ["Webhooks", "/api/server/v1/webhooks", "/api/server/v1/webhooks/metadata"],
  audit: ["Changes", "/api/server/v1/audit-events"],
  access: ["Access", "/api/server/v1/access"],
  shared_signals: ["Shared Signals", "/ssf"],
  token_introspection: ["Token Introspection", "/oauth2/introspect"],
  [SYSTEM_COLLECTION]: ["Tenants", "/api/server/v1/tenants"],
};

/** All collections. */
const collections: readonly Collection[] = Object.entries(table).map(([name, [displayName, ...identifiers]]) => ({
  id: Buffer.from(name, "utf8").toString("base64url"),
  name,
  displayName,
  type: name === SYSTEM_COLLECTION ? "system" : "tenant",
  apis: systemApis.filter(({ identifier }) => identifiers.includes(identifier)),
}));

/** What a scope of a collection is for. `write` is all but `read`. */
type Purpose = "read" | "create" | "update" | "delete";

/** APIs about one subject. */
interface Collection {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  /** `tenant`: administration of one tenant. `system`: administration of the deployment. */
  readonly type: "tenant" | "system";
  readonly apis: readonly ApiResource[];
}

type Shown = z.input<typeof ApiCollectionShown>;
type Apis = Shown["apiResources"];

const vocabulary = {
  attributes: ["name", "type"],
  names: ["name"],
  unknownAttribute: "filter.attribute",
  example: "name co app",
} as const;

/** The collections that a query selects. Throws `api_resource.filter_invalid` and `api_resource.attribute_unknown`. */
export async function presentCollections(
  tenant: string,
  { filter, attributes = "" }: { readonly filter?: string | undefined; readonly attributes?: string | undefined },
): Promise<z.input<typeof ApiCollectionList>> {
  const requested = attributes.split(",").filter((name) => name !== "");
  const unknown = requested.find((name) => name !== "apiResources");
  if (unknown !== undefined) {
    throw new Fault(
      "api_resource.attribute_unknown",
      `Invalid attribute name '${unknown.slice(0, 50)}' provided as required attribute; use apiResources.`,
    );
  }
  const found = collections.filter(testOf(filter));
  return {
    totalResults: found.length,
    apiResourceCollections: found.map((collection) => ({
      ...summaryOf(collection),
      ...(requested.length > 0 && { apiResources: apisOf(tenant, collection) }),
      self: `/t/${tenant}/api/server/v1/meta/api-resource-collections/${collection.id}`,
    })),
  };
}

/** The collection with an id. Throws `api_resource.collection_not_found`. */
export async function presentCollection(tenant: string, id: string): Promise<Shown> {
  const collection = collections.find((each) => each.id === id);
  if (!collection) {
    throw new Fault(
      "api_resource.collection_not_found",
      `Unable to find the API resource collection with the id: ${id.slice(0, 100)}.`,
    );
  }
  return { ...summaryOf(collection), apiResources: apisOf(tenant, collection) };
}

function testOf(filter: string | undefined): (collection: Collection) => boolean {
  if (!filter?.trim()) return () => true;
  try {
    const parsed = parseFilter(filter, vocabulary);
    return ({ name, type }) => matches(parsed, { name, type });
  } catch (error) {
    if (error instanceof Fault) throw new Fault("api_resource.filter_invalid", error.description, { cause: error });
    throw error;
  }
}

function summaryOf({ id, name, displayName, type }: Collection) {
  return { id, name, displayName, type };
}

function apisOf(tenant: string, { apis }: Collection): Apis {
  const those = (test: (scope: Scope) => boolean): Apis["read"] =>
    apis.flatMap(({ id, name, identifier, type, description, scopes }) => {
      const chosen = scopes.filter(test);
      if (chosen.length === 0) return [];
      const self = apiSelfOf(tenant, id);
      return [
        {
          id,
          name,
          ...(description !== undefined && { description }),
          identifier,
          type,
          scopes: presentScopes(chosen),
          self,
        },
      ];
    });
  return {
    read: those((scope) => purposeOf(scope) === "read"),
    write: those((scope) => purposeOf(scope) !== "read"),
    create: those((scope) => purposeOf(scope) === "create"),
    update: those((scope) => purposeOf(scope) === "update"),
    delete: those((scope) => purposeOf(scope) === "delete"),
  };
}

/** What a scope of this service is for, by its name. */
function purposeOf({ name }: Scope): Purpose {
  if (/_(?:view|list|introspect)$|\.read$|^internal_list_/.test(name)) return "read";
  if (/_create$|^internal_create_/.test(name)) return "create";
  return name.endsWith("_delete") ? "delete" : "update";
}
