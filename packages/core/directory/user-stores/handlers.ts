/** The handlers of the operations on user stores. They need no database: deployment.toml declares user stores. */

import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { DirectorySettings } from "../ldap/model.ts";
import type { userStoreOperations } from "./contract.ts";
import { type DeclaredStore, primaryStore, storeIdOf, storesOf } from "./model.ts";
import { storeNotFound, testedDirectories } from "./rules.ts";

/** The dependencies of these handlers. */
export interface DeclaredStores {
  /** Those of all tenants besides PRIMARY. */
  readonly declaredStores: readonly DeclaredStore[];
  /** Signs in to a directory as the service does. */
  canConnect(directory: DirectorySettings): Promise<boolean>;
}

const { presentStores, presentStore } = later(() => import("./present.ts"), "presentStores", "presentStore");

export const userStoreHandlers: Handlers<typeof userStoreOperations, DeclaredStores> = {
  async listUserStores({ query }, { tenant, declaredStores }) {
    const { limit, offset, filter, sort, requiredAttributes = "" } = query;
    if (limit !== undefined || offset !== undefined) {
      throw new Fault("user_store.paging", "All user stores are on one page: leave out limit and offset.");
    }
    if (filter !== undefined) {
      throw new Fault("user_store.filtering", "User stores cannot be filtered: leave out filter.");
    }
    if (sort !== undefined) throw new Fault("user_store.sorting", "User stores cannot be sorted: leave out sort.");
    const requested = requiredAttributes.split(",").flatMap((name) => name.trim() || []);
    return presentStores(tenant, storesOf(declaredStores, tenant), requested);
  },

  async getUserStore({ params }, { tenant, declaredStores }) {
    const stores = [primaryStore, ...storesOf(declaredStores, tenant)];
    const store = stores.find((each) => storeIdOf(each) === params.userStoreId);
    if (!store) throw storeNotFound(params.userStoreId);
    return presentStore(store);
  },

  async testUserStoreConnection({ body }, { tenant, declaredStores, canConnect }) {
    const directories = testedDirectories(storesOf(declaredStores, tenant), body);
    const results = await Promise.all(directories.map(canConnect));
    return { connection: results.length > 0 && results.every((isConnected) => isConnected) };
  },
};
