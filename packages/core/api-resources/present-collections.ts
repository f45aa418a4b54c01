/** The representation of collections of APIs. Pure; loaded with the first request for them. */
import type * as z from "zod";
import type { Scope } from "../domain/api-resource.ts";
import { Fault } from "../platform/faults.ts";
import { matches, parseFilter } from "../platform/filter/filter.ts";
import { type Collection, collections, purposeOf } from "./collections.ts";
import { apiSelfOf, presentScopes } from "./present.ts";
import type { ApiCollectionList, ApiCollectionShown } from "./shapes.ts";

type Shown = z.input<typeof ApiCollectionShown>;
type Apis = Shown["apiResources"];

const vocabulary = {
  attributes: ["name", "type"],
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
