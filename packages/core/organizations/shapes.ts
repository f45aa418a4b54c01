/** The shapes of organizations and identity providers, as in WSO2's management APIs. */
import * as z from "../platform/zod.ts";

/** The organization of the caller: its tenant. */
export const OrganizationShown = z
  .object({
    id: z.string().meta({ description: "The value of the audience of roles of the organization" }),
    name: z.string(),
    orgHandle: z.string().meta({ description: "The domain of the tenant" }),
    status: z.enum(["ACTIVE"]),
    version: z.string(),
    created: z.string().meta({ format: "date-time" }),
    lastModified: z.string().meta({ format: "date-time" }),
    type: z.enum(["TENANT"]),
    hasChildren: z.boolean().meta({ description: "False: a tenant has no organizations below it" }),
  })
  .meta({ id: "OrganizationShown" });

/** The organizations below a tenant: none. */
export const OrganizationList = z
  .object({
    links: z.array(z.object({ rel: z.string(), href: z.string() })),
    organizations: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: "OrganizationList" });

/** A list without elements: federated identity providers are names in applications, and are configured nowhere here. */
export const IdentityProviderList = z
  .object({
    totalResults: z.literal(0),
    startIndex: z.int(),
    count: z.literal(0),
    links: z.array(z.object({ rel: z.string(), href: z.string() })),
    identityProviders: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: "IdentityProviderList" });
