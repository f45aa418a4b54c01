/** The handlers of organizations and identity providers. */

import type { Handlers } from "../../kernel/operation/operation.ts";
import type { TenantStore } from "../tenant-store.ts";
import type { organizationOperations } from "./contract.ts";

/** The dependencies of these handlers. */
export interface OrganizationStores {
  readonly tenants: Pick<TenantStore, "find">;
}

export const organizationHandlers: Handlers<typeof organizationOperations, OrganizationStores> = {
  async getOwnOrganization(_, { tenant, tenants }) {
    const found = await tenants.find(tenant);
    if (!found) throw new Error(`the tenant of the caller does not exist: ${tenant}`);
    const created = new Date(found.createdMs).toISOString();
    return {
      id: found.domain,
      name: found.domain,
      orgHandle: found.domain,
      status: "ACTIVE",
      version: "v1.0.0",
      created,
      lastModified: created,
      type: "TENANT",
      hasChildren: false,
    };
  },

  listOrganizations: async () => ({ links: [], organizations: [] }),

  listIdentityProviders: async ({ query }) => ({
    totalResults: 0,
    startIndex: (query.offset ?? 0) + 1,
    count: 0,
    links: [],
    identityProviders: [],
  }),
};
