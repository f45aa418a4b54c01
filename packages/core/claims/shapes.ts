/** The shapes of claims, as in WSO2's Claim Management API v1. */

import * as z from "../platform/zod.ts";

export const DialectShown = z
  .object({
    id: z.string().meta({ description: "`local`, or the URI in Base64url" }),
    dialectURI: z.string(),
    link: z.object({ href: z.string(), rel: z.literal("claims") }),
  })
  .meta({ id: "ClaimDialect" });

const Property = z.object({ key: z.string(), value: z.string() }).meta({ id: "ClaimProperty" });

export const LocalClaimShown = z
  .object({
    id: z.string().meta({ description: "The URI in Base64url" }),
    claimURI: z.string(),
    dialectURI: z.string(),
    displayName: z.string(),
    description: z.string(),
    displayOrder: z.int(),
    readOnly: z.boolean(),
    required: z.boolean(),
    supportedByDefault: z.boolean(),
    multiValued: z.boolean(),
    dataType: z.enum(["string", "boolean", "integer"]),
    uniquenessScope: z.enum(["NONE", "WITHIN_USERSTORE", "ACROSS_USERSTORES"]),
    subAttributes: z.array(z.string()),
    canonicalValues: z.array(z.object({ label: z.string(), value: z.string() })),
    attributeMapping: z.array(z.object({ mappedAttribute: z.string(), userstore: z.string() })),
    properties: z.array(Property),
  })
  .meta({ id: "LocalClaim" });

export const ExternalClaimShown = z
  .object({
    id: z.string().meta({ description: "The URI in Base64url" }),
    claimURI: z.string(),
    claimDialectURI: z.string(),
    mappedLocalClaimURI: z.string(),
    properties: z.array(Property),
  })
  .meta({ id: "ExternalClaim" });
