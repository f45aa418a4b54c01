/** The histories of API resources and tenants. */
import { apiResourceOperations } from "../../applications/apis/contract.ts";
import { tenantOperations } from "../../directory/tenants/contract.ts";
import { historyOf } from "./contract-parts.ts";

const api = historyOf(apiResourceOperations.getApiResource, {
  list: "List the changes of an API resource and its scopes, newest first",
  at: "Read an API resource as it was after a change",
});
const tenant = historyOf(tenantOperations.getTenant, {
  list: "List the changes of a tenant, newest first",
  at: "Read a tenant as it was after a change",
});

export const administrationHistoryOperations = {
  listApiResourceHistory: api.list,
  getApiResourceVersion: api.at,
  listTenantHistory: tenant.list,
  getTenantVersion: tenant.at,
} as const;
