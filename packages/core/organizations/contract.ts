/** What tools read before they move resources of a tenant: its organization, and its identity providers. */
import { endpointsOf } from "../operation/endpoints.ts";
import { operation } from "../operation/operation.ts";
import { LIMIT_DEFAULTS, limitMeta, wholeNumber } from "../platform/management-api.ts";
import * as z from "../platform/zod.ts";
import { IdentityProviderList, OrganizationList, OrganizationShown } from "./shapes.ts";

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
