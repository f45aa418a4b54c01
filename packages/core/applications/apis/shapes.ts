/** The shapes of API resources, as in WSO2's API Resource Management API. */

import { PageLinks, withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";

/** The id of an API resource: opaque text that fits a key. */
export const ApiResourceId = z.string().min(1).max(255);

const NewScope = z
  .object({ name: named(255), displayName: named(255).optional(), description: text(1024).optional() })
  .meta({ id: "NewScope" });
/** rules.ts refuses a long list, with a message of its own. */
const NewScopes = z.array(NewScope).max(1_000);

/** Body of create. rules.ts refuses blank and reserved names, with codes of its own. */
export const NewApiResource = z.preprocess(
  withoutNulls,
  z
    .object({
      name: named(255).optional(),
      identifier: named(255).optional(),
      description: text(1024).optional(),
      requiresAuthorization: z.boolean().optional(),
      scopes: NewScopes.optional(),
    })
    .meta({ id: "NewApiResource", required: ["name", "identifier"] }),
);

/** Body of PATCH. Absent members stay as they are. */
export const ApiResourcePatch = z.preprocess(
  withoutNulls,
  z
    .object({
      name: named(255).optional(),
      description: text(1024).optional(),
      addedScopes: NewScopes.optional(),
      removedScopes: z.array(text(255)).optional().meta({ description: "Not supported here: returns 501" }),
    })
    .meta({ id: "ApiResourcePatch" }),
);

export const ScopeReplacement = z.preprocess(withoutNulls, NewScopes);

export const ScopePatch = z.preprocess(
  withoutNulls,
  z.object({ displayName: named(255).optional(), description: text(1024).optional() }).meta({ id: "ScopePatch" }),
);

export const ScopeShown = z
  .object({ id: z.string(), name: z.string(), displayName: z.string(), description: z.string().optional() })
  .meta({ id: "Scope" });

const summary = {
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  type: z.enum(["BUSINESS", "TENANT", "SYSTEM"]),
  requiresAuthorization: z.boolean(),
  self: z.string(),
};

export const ApiResourceShown = z
  .object({
    ...summary,
    description: z.string().optional(),
    scopes: z.array(ScopeShown),
    properties: z.array(z.object({ name: z.string(), value: z.string() })),
  })
  .meta({ id: "ApiResource" });

export const ApiResourceList = z
  .object({
    totalResults: z.int(),
    links: PageLinks,
    apiResources: z.array(
      z
        .object({ ...summary, properties: z.array(z.object({ name: z.string(), value: z.string() })).optional() })
        .meta({ id: "ApiResourceListItem" }),
    ),
  })
  .meta({ id: "ApiResourceList" });

const CollectedApi = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    identifier: z.string(),
    type: z.enum(["BUSINESS", "TENANT", "SYSTEM"]),
    scopes: z.array(ScopeShown),
    self: z.string(),
  })
  .meta({ id: "CollectedApiResource" });

const CollectedApis = z
  .object({
    read: z.array(CollectedApi),
    write: z.array(CollectedApi).meta({ description: "All scopes that are not in `read`" }),
    create: z.array(CollectedApi),
    update: z.array(CollectedApi),
    delete: z.array(CollectedApi),
  })
  .meta({ id: "CollectedApiResources", description: "Each API with those of its scopes that have this purpose" });

const collection = { id: z.string(), name: z.string(), displayName: z.string(), type: z.enum(["tenant", "system"]) };

export const ApiCollectionShown = z
  .object({ ...collection, apiResources: CollectedApis })
  .meta({ id: "ApiResourceCollection" });

export const ApiCollectionList = z
  .object({
    totalResults: z.int(),
    apiResourceCollections: z.array(
      z
        .object({ ...collection, apiResources: CollectedApis.optional(), self: z.string() })
        .meta({ id: "ApiResourceCollectionListItem" }),
    ),
  })
  .meta({ id: "ApiResourceCollectionList" });

/** A name, without white space at its ends (decision 0151). */
function named(most: number) {
  return z.string().trim().max(most);
}

function text(most: number) {
  return z.string().max(most);
}
