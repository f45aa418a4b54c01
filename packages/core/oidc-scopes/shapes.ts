/** The shapes of the scopes of OpenID Connect, as in WSO2's OIDC Scope Management API v1. */

import { withoutNulls } from "../platform/management-api.ts";
import * as z from "../platform/zod.ts";

/** The name of a scope, which is also its id. */
export const OidcScopeName = z.string().min(1).max(255);

const settings = {
  displayName: z.string().max(255).optional().meta({ description: "Must not be blank" }),
  description: z.string().max(1_024).optional(),
  claims: z
    .array(z.string().min(1).max(255))
    .max(200)
    .meta({ description: "Names of claims as ID tokens have them, such as `given_name`" }),
};

/** Body of create. rules.ts refuses missing and blank names, with codes of its own. */
export const NewOidcScope = z.preprocess(
  withoutNulls,
  z
    .object({ name: z.string().max(255).optional().meta({ description: "Must not be blank" }), ...settings })
    .meta({ id: "NewOidcScope", required: ["name", "displayName", "claims"] }),
);

/** Body of update. */
export const OidcScopeUpdate = z.preprocess(
  withoutNulls,
  z
    .object({
      name: z.string().max(255).optional().meta({ description: "The name in the path, which never changes" }),
      ...settings,
    })
    .meta({ id: "OidcScopeUpdate", required: ["displayName", "claims"] }),
);

export const OidcScopeShown = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string().optional(),
    claims: z.array(z.string()),
  })
  .meta({ id: "OidcScope" });
