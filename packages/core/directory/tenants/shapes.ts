/** The shapes of tenants, as in WSO2's Tenant Management API v1. */

import { PageLinks, withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";

const Creation = z
  .object({
    domain: z
      .string()
      .trim()
      .max(255)
      .meta({ description: "Lower-case letters, digits, dots and hyphens, with at least one dot" }),
    owners: z
      .array(
        z.object({
          username: z.string().min(1).max(255),
          password: z.string().max(1_024).optional().meta({ writeOnly: true }),
          email: z.string().max(1_024).optional(),
          firstname: z.string().max(1_024).optional(),
          lastname: z.string().max(1_024).optional(),
          provisioningMethod: z
            .enum(["inline-password", "invite-via-email", "ask-password"])
            .default("inline-password")
            .meta({ description: "Only `inline-password` is supported: owners of tenants get no invitations" }),
          additionalClaims: z
            .array(z.object({ claim: z.string().max(1_024), value: z.string().max(1_024) }))
            .max(100)
            .optional()
            .meta({
              description: "Accepted and ignored. Use SCIM to set further attributes of the owner",
            }),
        }),
      )
      .min(1)
      .max(1),
  })
  .meta({ id: "NewTenant" });

export const NewTenant = z.preprocess(withoutNulls, Creation);

export const LifecycleStatus = z.object({ activated: z.boolean() }).meta({ id: "TenantLifecycleStatus" });

export const Owner = z.object({ id: z.string(), username: z.string() }).meta({ id: "TenantOwner" });

/** A claim of a user with its value. */
const OwnerClaim = z
  .object({ claim: z.string().min(1).max(1_024), value: z.string().max(1_024) })
  .meta({ id: "TenantOwnerClaim" });

export const OwnerDetails = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string().optional(),
    firstname: z.string().optional(),
    lastname: z.string().optional(),
    additionalClaims: z.array(OwnerClaim).meta({ description: "Those of the claims asked for that have a value" }),
  })
  .meta({ id: "TenantOwnerDetails" });

/** Body of the update of an owner. owner.ts refuses missing members, with a code of its own. */
export const OwnerUpdate = z.preprocess(
  withoutNulls,
  z
    .object({
      email: z.string().max(1_024).optional(),
      firstname: z.string().max(1_024).optional(),
      lastname: z.string().max(1_024).optional(),
      password: z.string().max(1_024).optional().meta({ writeOnly: true }),
      additionalClaims: z.array(OwnerClaim).max(100).optional(),
    })
    .meta({ id: "TenantOwnerUpdate", required: ["email", "firstname", "lastname"] }),
);

export const TenantShown = z
  .object({
    id: z.string(),
    domain: z.string(),
    owners: z.array(Owner),
    createdDate: z.string().meta({ format: "date-time" }),
    lifecycleStatus: LifecycleStatus,
  })
  .meta({ id: "Tenant" });

export const TenantList = z
  .object({
    totalResults: z.int(),
    startIndex: z.int(),
    count: z.int(),
    links: PageLinks,
    tenants: z.array(TenantShown),
  })
  .meta({ id: "TenantList" });
