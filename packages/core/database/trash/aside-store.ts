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

export interface DeletedPage {
  readonly found: readonly Deleted[];
  /** The entry (`entryOf`) after which the next page begins; absent at the end. */
  readonly next?: string;
}

/** The deleted resources of all tenants. */
export type AsideStore = ReturnType<typeof asideStore>;

/** Opens the store on the table of one request. */
export function asideStore(table: Table) {
  return {
    /**
     * Deleted resources of some types that can be restored, the latest first. A page may be short, also empty, and
     * still have a `next`: rows whose time is over are removed up to two days late. One round trip.
     */
    async list(tenant: string, { types, limit, after, nowMs }: DeletedRange): Promise<DeletedPage> {
      const pages = await Promise.all(
        types.map(async (type) => {
          const PK = keys.asideEntries(tenant, type);
          const start = after === undefined ? {} : { after: keys.asideEntry(tenant, type, after) };
          const page = await table.query({ PK, limit: limit + 1, backwards: true, ...start });
          return { deleted: page.items.map((item) => toDeleted(type, item)), reached: page.next?.SK };
        }),
      );
      const all = pages.flatMap(({ deleted }) => deleted).sort((a, b) => descending(entryOf(a), entryOf(b)));
      // What one type returned before the end of another one's page may have a gap before it.
      const [reached] = pages.flatMap((page) => page.reached ?? []).sort(descending);
      const whole = reached === undefined ? all : all.filter((deleted) => entryOf(deleted) >= reached);
      const rows = whole.slice(0, limit);
      const last = rows.at(-1);
      const hasMore = reached !== undefined || rows.length < whole.length;
      return {
        // `deleted_days` can be changed: an older one may be alive after one that has expired.
        found: rows.filter((deleted) => isAlive(deleted, nowMs)),
        ...(hasMore && last && { next: entryOf(last) }),
      };
    },

    /** The deleted resource with an id that can be restored, or is half restored. One round trip. */
    async find(tenant: string, id: string, nowMs: number): Promise<Aside | undefined> {
      const asked = deletedTypes.map((type) => ({ type, id }));
      return (await readAsides(table, tenant, asked, nowMs))[0];
    },

    /** Removes one for good, with its password if it is a user. Throws the error of `absent`. Two round trips. */
    async remove(tenant: string, aside: Aside, absent: () => Error): Promise<void> {
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

    /** Removes one for good in whatever state it is: of a half-restored one what is left. Two round trips. */
    async purge(tenant: string, aside: Aside): Promise<void> {
      await table.write(...forgetting(tenant, aside));
      await forgetMembers(table, tenant, aside);
    },
  };
}

function descending(a: string, b: string): number {
  return a < b ? 1 : -1;
}
