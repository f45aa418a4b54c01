/** API resources with their scopes, and tenants. */
import { apiResourceOperations } from "#core/api-resources/contract.ts";
import { type ApiResourceStores, apiResourceHandlers } from "#core/api-resources/handlers.ts";
import { apiResourceStore } from "#core/api-resources/store.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { lambda } from "#core/http/lambda.ts";
import { userStore } from "#core/identities/users/store.ts";
import { openTable } from "#core/table/dynamo.ts";
import { bootstrapTenant } from "#core/tenants/bootstrap.ts";
import { tenantOperations } from "#core/tenants/contract.ts";
import { type TenantStores, tenantHandlers } from "#core/tenants/handlers.ts";
import { baseUrl, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));

export const operations = { ...apiResourceOperations, ...tenantOperations };

export const handler = lambda<typeof operations, ApiResourceStores & TenantStores>({
  service: "administration",
  operations,
  handlers: { ...apiResourceHandlers, ...tenantHandlers },
  baseUrl: baseUrl(),
  stores: (meter) => {
    const table = open(meter);
    return {
      apiResources: apiResourceStore(table),
      tenants: tenantStore(table),
      users: userStore(table),
      create: (domain, administrator, nowMs) => bootstrapTenant(table, domain, administrator, nowMs),
    };
  },
});
