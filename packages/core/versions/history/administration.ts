/** The handlers of the histories of API resources and tenants. */
import { type ApiResourceStores, apiResourceHandlers } from "../../applications/apis/handlers.ts";
import { type TenantStores, tenantHandlers } from "../../directory/tenants/handlers.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { administrationHistoryOperations } from "./contract-administration.ts";
import type { Subject } from "./history.ts";
import { empty, historyHandlers, readHistory, storesAt } from "./reading.ts";
import type { WithHistory } from "./source.ts";

type Stores = ApiResourceStores & TenantStores;
type Operations = typeof administrationHistoryOperations;

/** The dependencies of these handlers. */
export type AdministrationHistoryStores = WithHistory<Stores>;

const api = historyHandlers(
  "api-resource",
  ({ apiResourceId }) => apiResourceId,
  (params: { readonly apiResourceId: string }, context: RequestContext & Stores) =>
    apiResourceHandlers.getApiResource({ params, ...empty }, context),
);

export const administrationHistoryHandlers: Handlers<Operations, AdministrationHistoryStores> = {
  listApiResourceHistory: api.list,
  getApiResourceVersion: api.at,

  async listTenantHistory({ params, query }, context) {
    const read = () => tenantHandlers.getTenant({ params, ...empty }, context);
    const { domain } = await read();
    return readHistory(context, { ...tenantOf(domain), callersTenant: context.tenant }, query, read);
  },

  async getTenantVersion({ params: { version, ...params } }, context) {
    const read = (stores: Stores) => tenantHandlers.getTenant({ params, ...empty }, { ...context, ...stores });
    const { domain } = await read(context);
    return read(await storesAt(context.history, tenantOf(domain), version, () => read(context)));
  },
};

/** The changes of a tenant are in its own records. */
function tenantOf(tenant: string): Subject {
  return { tenant, type: "tenant", id: "" };
}
