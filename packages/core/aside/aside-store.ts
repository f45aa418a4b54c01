/** Reads the deleted resources that can be restored, and removes them for good (decision 0084). */
import { keys } from "../table/keys.ts";
import { stale } from "../table/stale.ts";
import type { Table } from "../table/table.ts";
import {
  type Aside,
  entryOf,
  forgetMembers,
  forgetting,
  forgettingCredentials,
  readAsides,
  toDeleted,
} from "./aside-rows.ts";
import { type Deleted, type DeletedType, deletedTypes, isAlive } from "./model.ts";

/** A page of deleted resources. */
export interface DeletedRange {
  readonly types: readonly DeletedType[];
  readonly limit: number;
  /** Continue after the resource with this entry (`entryOf`). */
  readonly after: string | undefined;
  readonly nowMs: number;
}

/** The deleted resources of all tenants. */
export interface AsideStore {
  /** Deleted resources of some types, the latest first, and whether there may be more. One round trip. */
  list(tenant: string, range: DeletedRange): Promise<{ readonly found: readonly Deleted[]; readonly more: boolean }>;
  /** The deleted resource with an id that can be restored, or is half restored. One round trip. */
  find(tenant: string, id: string, nowMs: number): Promise<Aside | undefined>;
  /** Removes one for good, with its password if it is a user. Throws the error of `absent`. Two round trips. */
  remove(tenant: string, aside: Aside, absent: () => Error): Promise<void>;
  /** Removes one for good in whatever state it is: of a half-restored one what is left. Two round trips. */
  purge(tenant: string, aside: Aside): Promise<void>;
}

/** Opens the store on the table of one request. */
export function asideStore(table: Table): AsideStore {
  return {
    async list(tenant, { types, limit, after, nowMs }) {
      const pages = await Promise.all(
        types.map(async (type) => {
          const PK = keys.asideEntries(tenant, type);
          const start = after === undefined ? {} : { after: keys.asideEntry(tenant, type, after) };
          const page = await table.query({ PK, limit: limit + 1, backwards: true, ...start });
          return { found: page.items.map((item) => toDeleted(type, item)), hasMore: page.next !== undefined };
        }),
      );
      const all = pages
        .flatMap(({ found }) => found)
        .sort((a, b) => (entryOf(a) < entryOf(b) ? 1 : -1))
        .slice(0, limit + 1);
      // The oldest come last: after one that has expired, all have.
      const found = all.filter((deleted) => isAlive(deleted, nowMs));
      return { found: found.slice(0, limit), more: found.length > limit };
    },

    async find(tenant, id, nowMs) {
      const asked = deletedTypes.map((type) => ({ type, id }));
      return (await readAsides(table, tenant, asked, nowMs))[0];
    },

    async remove(tenant, aside, absent) {
      const { type, id, deletedMs } = aside;
      await table.write(
        {
          remove: keys.aside(tenant, type, id),
          when: { equal: { deleted: deletedMs }, lacking: ["left"] },
          otherwise: absent,
        },
        { remove: keys.asideEntry(tenant, type, entryOf(aside)), when: "any", otherwise: stale },
        ...(type === "user" ? forgettingCredentials(tenant, id) : []),
      );
      await forgetMembers(table, tenant, aside);
    },

    async purge(tenant, aside) {
      await table.write(...forgetting(tenant, aside));
      await forgetMembers(table, tenant, aside);
    },
  };
}
