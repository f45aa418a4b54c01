/**
 * How authorized APIs are kept: all of an application's in one item of its own partition. So they are read in one round trip,
 * change one after the other, and go with the application in one transaction. What an API or a scope is called is not kept here:
 * one that is gone is no longer shown.
 */
import { notFound } from "../applications/rules.ts";
import { keys } from "../table/keys.ts";
import { stale, whileStale } from "../table/stale.ts";
import type { Item, Step, Table } from "../table/table.ts";
import type { Authorization } from "./model.ts";

/** What shall be, and the steps that hold in place what it was decided on. */
export interface AuthorizationChange {
  readonly after: readonly Authorization[];
  readonly holding: readonly Step[];
}

/** The authorized APIs of all applications. */
export interface AuthorizedApiStore {
  /** Those of one application, in the order in which they were authorized. One round trip. */
  of(tenant: string, applicationId: string): Promise<readonly Authorization[]>;
  /**
   * Changes them: `change` is given what is there and answers what shall be (nothing is written for `undefined`), and is called
   * again when another writer was faster. Throws `application.not_found` and what `change` throws. Two round trips.
   */
  update(
    tenant: string,
    applicationId: string,
    change: (before: readonly Authorization[]) => Promise<AuthorizationChange | undefined>,
  ): Promise<void>;
}

const toAuthorizations = (item: Item | undefined): readonly Authorization[] =>
  (item?.apis as unknown as readonly Authorization[] | undefined) ?? [];

/** The condition that an item which was read is still the same, or still absent. */
const unchanged = (found: Item | undefined): Step["when"] =>
  found ? { equal: { ver: found.ver as number } } : "absent";

/** The step that takes the authorizations away with their application, given their item as it was read, if it was there. */
export const removingAuthorizedApis = (tenant: string, applicationId: string, found: Item | undefined): Step => {
  const key = keys.authorizedApis(tenant, applicationId);
  return { ...(found ? { remove: key } : { check: key }), when: unchanged(found), otherwise: stale };
};

/** Opens the store on the table of one request. */
export const authorizedApiStore = (table: Table): AuthorizedApiStore => ({
  of: async (tenant, applicationId) => toAuthorizations(await table.get(keys.authorizedApis(tenant, applicationId))),

  update: (tenant, applicationId, change) =>
    whileStale(async () => {
      const key = keys.authorizedApis(tenant, applicationId);
      const found = await table.get(key);
      const changed = await change(toAuthorizations(found));
      if (!changed) return;
      await table.write(
        {
          check: keys.application(tenant, applicationId),
          when: "present",
          otherwise: () => notFound(applicationId, tenant),
        },
        ...changed.holding,
        {
          // Kept when it is empty too: its version tells whoever read an older one.
          put: {
            ...key,
            ver: ((found?.ver as number | undefined) ?? 0) + 1,
            apis: changed.after as unknown as Item["apis"],
          },
          when: unchanged(found),
          otherwise: stale,
        },
      );
    }),
});
