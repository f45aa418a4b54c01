/** The handlers of the operations that read changes. */
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { AuditFilter, AuditPage } from "./audit.ts";
import type { DeclaredProtocol } from "./confidential.ts";
import type { auditOperations } from "./contract.ts";
import type { ChangeFeed } from "./feed.ts";
import { presenting } from "./present.ts";
import { RECORDS_DEFAULT } from "./shapes.ts";

/** The dependencies of these handlers. */
export interface AuditStores {
  readonly feed: ChangeFeed;
  readonly customKinds: readonly DeclaredProtocol[];
  /** The records of a tenant that fit a filter. */
  findRecords(
    tenant: string,
    filter: AuditFilter,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<AuditPage>;
}

export const auditHandlers: Handlers<typeof auditOperations, AuditStores> = {
  async listAuditEvents({ query }, { tenant, findRecords, customKinds }) {
    const { limit = RECORDS_DEFAULT, after, since, until, order, ...wanted } = query;
    const filter = { ...wanted, sinceMs: since, untilMs: until, isAscending: order === "asc" };
    const { records, next } = await findRecords(tenant, filter, { limit, after });
    return { records: records.map(presenting(customKinds)), ...(next !== undefined && { next }) };
  },

  async listChanges({ query: { after, limit = RECORDS_DEFAULT } }, { tenant, feed, now, customKinds }) {
    const { records, next } = await feed.read(tenant, after, limit, now);
    return { records: records.map(presenting(customKinds)), next };
  },
};
