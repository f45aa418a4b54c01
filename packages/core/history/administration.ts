/** The handlers of the histories of API resources and tenants. */
import { type ApiResourceStores, apiResourceHandlers } from "../api-resources/handlers.ts";
import type { Handlers } from "../operation/operation.ts";
import { later } from "../platform/later.ts";
import { type TenantStores, tenantHandlers } from "../tenants/handlers.ts";
import type { administrationHistoryOperations } from "./contract-administration.ts";
import type { Subject } from "./history.ts";
import type { HistorySource } from "./source.ts";

type Stores = ApiResourceStores & TenantStores;

/** The dependencies of these handlers. */
export interface AdministrationHistoryStores extends Stores {
  readonly history: HistorySource<Stores>;
}

const [readHistory, storesAt] = later(() => import("./history.ts"), "readHistory", "storesAt");
const empty = { query: undefined, headers: undefined, body: undefined } as const;

type Operations = typeof administrationHistoryOperations;

export const administrationHistoryHandlers: Handlers<Operations, AdministrationHistoryStores> = {
  listApiResourceHistory: ({ params, query }, context) =>
    readHistory(context, api(context.tenant, params.apiResourceId), query, () =>
      apiResourceHandlers.getApiResource({ params, ...empty }, context),
    ),

  async getApiResourceVersion({ params: { version, ...params } }, context) {
    const read = (stores: Stores) =>
      apiResourceHandlers.getApiResource({ params, ...empty }, { ...context, ...stores });
    const place = api(context.tenant, params.apiResourceId);
    return read(await storesAt(context.history, place, version, () => read(context)));
  },

  async listTenantHistory({ params, query }, context) {
    const read = () => tenantHandlers.getTenant({ params, ...empty }, context);
    const { domain } = await read();
    return readHistory(context, tenantOf(domain), query, read);
  },

  async getTenantVersion({ params: { version, ...params } }, context) {
    const read = (stores: Stores) => tenantHandlers.getTenant({ params, ...empty }, { ...context, ...stores });
    const { domain } = await read(context);
    return read(await storesAt(context.history, tenantOf(domain), version, () => read(context)));
  },
};

function api(tenant: string, id: string): Subject {
  return { tenant, type: "api-resource", id };
}

/** The changes of a tenant are in its own records. */
function tenantOf(tenant: string): Subject {
  return { tenant, type: "tenant", id: "" };
}
