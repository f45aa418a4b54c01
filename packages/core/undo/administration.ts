/** Restores versions of API resources and tenants. */
import { type ApiResourceStores, apiResourceHandlers } from "../api-resources/handlers.ts";
import { apiNotFound, checkOwn, checkSize, nameOf, newScopesOf } from "../api-resources/rules.ts";
import type { Subject } from "../history/history.ts";
import type { HistorySource } from "../history/source.ts";
import type { Handlers } from "../operation/operation.ts";
import { newId } from "../platform/ids.ts";
import { later } from "../platform/later.ts";
import { type TenantStores, tenantHandlers } from "../tenants/handlers.ts";
import type { administrationUndoOperations } from "./contract-administration.ts";

type Stores = ApiResourceStores & TenantStores;

/** The dependencies of these handlers. */
export interface AdministrationUndoStores extends Stores {
  readonly history: HistorySource<Stores>;
}

const [storesAt] = later(() => import("../history/history.ts"), "storesAt");
const empty = { query: undefined, headers: undefined } as const;

export const administrationUndoHandlers: Handlers<typeof administrationUndoOperations, AdministrationUndoStores> = {
  async restoreApiResourceVersion({ params: { version, ...params } }, context) {
    const { tenant, history, apiResources } = context;
    const { apiResourceId: id } = params;
    const subject: Subject = { tenant, type: "api-resource", id };
    const past = await storesAt(history, subject, version, () =>
      apiResourceHandlers.getApiResource({ params, ...empty, body: undefined }, context),
    );
    const was = await past.apiResources.find(tenant, id);
    if (!was) throw apiNotFound(id);
    checkOwn(was);
    // By the rules of today; the ids of the scopes are those that they had, so that authorizations name them again.
    newScopesOf(was.scopes, newId);
    await apiResources.update(tenant, id, ({ identifier, type, requiresAuthorization }) =>
      checkSize({ ...was, identifier, type, requiresAuthorization, name: nameOf(was.name) }),
    );
    return undefined;
  },

  async restoreTenantVersion({ params: { version, ...params } }, context) {
    const read = (stores: Stores) =>
      tenantHandlers.getTenant({ params, ...empty, body: undefined }, { ...context, ...stores });
    const { domain } = await read(context);
    const subject: Subject = { tenant: domain, type: "tenant", id: "" };
    const { lifecycleStatus } = await read(await storesAt(context.history, subject, version, () => read(context)));
    return tenantHandlers.updateTenantStatus({ params, ...empty, body: lifecycleStatus }, context);
  },
};
