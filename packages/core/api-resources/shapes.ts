/** The shapes of API resources, as WSO2's API Resource Management API shows them. */
import * as z from "zod";
import { PageLinks, withoutNulls } from "../platform/management-api.ts";

/** The id of an API resource: opaque, so anything that fits a key may be asked for. */
export const ApiResourceId = z.string().min(1).max(255);

const NewScope = z
  .object({ name: text(255), displayName: text(255).optional(), description: text(1024).optional() })
  .meta({ id: "NewScope" });
/** A longer list is refused by its length, with a sentence of its own (rules.ts). */
const NewScopes = z.array(NewScope).max(1_000);

/** Body of create. Whether names are blank or reserved is judged in rules.ts, with upstream's codes. */
export const NewApiResource = z.preprocess(
  withoutNulls,
  z
    .object({
      name: text(255).optional(),
      identifier: text(255).optional(),
      description: text(1024).optional(),
      requiresAuthorization: z.boolean().optional(),
      scopes: NewScopes.optional(),
    })
    .meta({ id: "NewApiResource" }),
);

/** Body of PATCH. What is absent stays as it is. */
export const ApiResourcePatch = z.preprocess(
  withoutNulls,
  z
    .object({
      name: text(255).optional(),
      description: text(1024).optional(),
      addedScopes: NewScopes.optional(),
      removedScopes: z.array(text(255)).optional().meta({ description: "Not supported here: answers 501" }),
    })
    .meta({ id: "ApiResourcePatch" }),
);

/** Body of the replacement of all scopes. */
export const ScopeReplacement = z.preprocess(withoutNulls, NewScopes);

/** Body of the change of one scope. */
export const ScopePatch = z.preprocess(
  withoutNulls,
  z.object({ displayName: text(255).optional(), description: text(1024).optional() }).meta({ id: "ScopePatch" }),
);

/** A scope as it is read. */
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

/** An API resource as it is read. */
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

function text(most: number) {
  return z.string().max(most);
}
