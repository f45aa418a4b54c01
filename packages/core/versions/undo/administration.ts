/** Restores versions of API resources and tenants. */
import { type ApiResourceStores, apiResourceHandlers } from "../../applications/apis/handlers.ts";
import { apiNotFound, checkOwn, checkSize, nameOf, newScopesOf } from "../../applications/apis/rules.ts";
import { type TenantStores, tenantHandlers } from "../../directory/tenants/handlers.ts";
import { newId } from "../../kernel/ids.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Subject } from "../history/history.ts";
import { empty, storesAt } from "../history/reading.ts";
import type { WithHistory } from "../history/source.ts";
import type { administrationUndoOperations } from "./contract-administration.ts";

type Stores = ApiResourceStores & TenantStores;

/** The dependencies of these handlers. */
export type AdministrationUndoStores = WithHistory<Stores>;

export const administrationUndoHandlers: Handlers<typeof administrationUndoOperations, AdministrationUndoStores> = {
  async restoreApiResourceVersion({ params: { version, ...params } }, context) {
    const { tenant, history, apiResources } = context;
    const { apiResourceId: id } = params;
    const subject: Subject = { tenant, type: "api-resource", id };
    const past = await storesAt(history, subject, version, () =>
      apiResourceHandlers.getApiResource({ params, ...empty }, context),
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
    const read = (stores: Stores) => tenantHandlers.getTenant({ params, ...empty }, { ...context, ...stores });
    const { domain } = await read(context);
    const subject: Subject = { tenant: domain, type: "tenant", id: "" };
    const { lifecycleStatus } = await read(await storesAt(context.history, subject, version, () => read(context)));
    return tenantHandlers.updateTenantStatus({ params, ...empty, body: lifecycleStatus }, context);
  },
};
