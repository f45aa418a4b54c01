/** The tenants of which work waits for another attempt: one row each, in a partition of the kind of work. */
import { number, rowCodec } from "../database/table/row.ts";
import { isStale, stale, whileStale } from "../database/table/stale.ts";
import { type Key, LAST, type Table } from "../database/table/table.ts";

/** A tenant of which some work waits for another attempt, and when the first of it is due. */
export interface WaitingTenant {
  readonly tenant: string;
  readonly dueMs: number;
}

const TENANTS_PER_PAGE = 1_000;
const MS_DIGITS = 15;

const tenants = rowCodec<{ readonly dueMs: number }>("tenant with work that waits", { dueMs: number });

/** A time as the beginning of a sort key. */
export function timeKey(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, "0");
}

/** The tenants of one kind of work. */
export function waitingIn(keyOf: (tenant: string) => Key) {
  return {
    /** All of them. One round trip. */
    async waitingTenants(table: Table): Promise<WaitingTenant[]> {
      const items = await table.queryAll({ PK: keyOf("").PK, to: LAST, limit: TENANTS_PER_PAGE });
      return items.map((item) => ({ tenant: item.SK, ...tenants.read(item) }));
    },

    /** Notes that work of a tenant waits, unless an earlier time is noted already that is still to come. */
    noteWaiting(table: Table, { tenant, dueMs }: WaitingTenant, nowMs: number): Promise<void> {
      const key = keyOf(tenant);
      return whileStale(async () => {
        const item = await table.get(key);
        const before = item && tenants.read(item).dueMs;
        if (before === dueMs || (before !== undefined && before > nowMs && before < dueMs)) return;
        const when = before === undefined ? "absent" : { equal: { dueMs: before } };
        await table.write({ put: { ...key, ...tenants.write({ dueMs }) }, when, otherwise: stale });
      });
    },

    /** Takes a tenant without work off the list. Another time that was noted meanwhile stays. */
    async forgetWaiting(table: Table, { tenant, dueMs }: WaitingTenant): Promise<void> {
      try {
        await table.write({ remove: keyOf(tenant), when: { equal: { dueMs } }, otherwise: stale });
      } catch (error) {
        if (!isStale(error)) throw error;
      }
    },
  };
}
