/** The handlers of the operations that read changes. */
import type { Handlers } from "../operation/operation.ts";
import type { AuditFilter, AuditPage } from "./audit.ts";
import type { auditOperations } from "./contract.ts";
import type { ChangeFeed } from "./feed.ts";
import { presentRecord } from "./present.ts";
import { RECORDS_DEFAULT } from "./shapes.ts";

/** The dependencies of these handlers. */
export interface AuditStores {
  readonly feed: ChangeFeed;
  /** The records of a tenant that fit a filter. */
  findRecords(
    tenant: string,
    filter: AuditFilter,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<AuditPage>;
}

export const auditHandlers: Handlers<typeof auditOperations, AuditStores> = {
  async listAuditEvents({ query }, { tenant, findRecords }) {
    const { limit = RECORDS_DEFAULT, after, since, until, order, ...wanted } = query;
    const filter = { ...wanted, sinceMs: since, untilMs: until, isAscending: order === "asc" };
    const { records, next } = await findRecords(tenant, filter, { limit, after });
    return { records: records.map(presentRecord), ...(next !== undefined && { next }) };
  },

  async listChanges({ query: { after, limit = RECORDS_DEFAULT } }, { tenant, feed, now }) {
    const { records, next } = await feed.read(tenant, after, limit, now);
    return { records: records.map(presentRecord), next };
  },
};
