/** What tools read before they move resources of a tenant: its organization, and its identity providers. */
import { LIMIT_DEFAULTS, limitMeta, wholeNumber } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

/** The organization of the caller: its tenant. */
const OrganizationShown = z
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
const OrganizationList = z
  .object({
    links: z.array(z.object({ rel: z.string(), href: z.string() })),
    organizations: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: "OrganizationList" });

/** A list without elements: federated identity providers are names in applications, and are configured nowhere here. */
const IdentityProviderList = z
  .object({
    totalResults: z.literal(0),
    startIndex: z.int(),
    count: z.literal(0),
    links: z.array(z.object({ rel: z.string(), href: z.string() })),
    identityProviders: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: "IdentityProviderList" });

const organizations = endpointsOf(
  "administration",
  "/api/server/v1/organizations",
  { view: "internal_organization_view" },
  "decision 0104",
);
const identityProviders = endpointsOf(
  "administration",
  "/api/server/v1/identity-providers",
  { view: "internal_idp_view" },
  "decision 0104",
);

export const organizationOperations = {
  getOwnOrganization: operation({
    ...organizations("GET", "/self", "view"),
    summary: "Read the organization of the caller: its tenant",
    success: { status: 200, body: OrganizationShown, etag: "content" },
    failures: [],
  }),
  listOrganizations: operation({
    ...organizations("GET", "", "view"),
    summary: "List the organizations below that of the caller: none, because a tenant has none",
    success: { status: 200, body: OrganizationList, etag: "content" },
    failures: [],
  }),
  listIdentityProviders: operation({
    ...identityProviders("GET", "", "view"),
    summary: "List identity providers: none, because they are names in applications here",
    query: z.object({
      limit: wholeNumber(limitMeta("identity providers", LIMIT_DEFAULTS.administration)),
      offset: wholeNumber({ description: "Identity providers to skip", default: 0, minimum: 0 }),
      filter: z.string().max(1_000).optional().meta({ description: "Accepted: nothing matches it" }),
    }),
    success: { status: 200, body: IdentityProviderList, etag: "content" },
    failures: [400],
  }),
} as const;
