/** Reads histories: the changes of a resource, and the resource as it was after one of them (decision 0083). */
import { type HistoryPage, resourceHistory } from "../../database/changes/audit.ts";
import { idInCallersTenant } from "../../database/changes/change-id.ts";
import type { DeclaredProtocol } from "../../database/changes/confidential.ts";
import { memberIds, rowsOf } from "../../database/changes/document-rows.ts";
import type { ChangeRecord } from "../../database/changes/model.ts";
import { presenting } from "../../database/changes/present.ts";
import { recordKey, toRecord } from "../../database/changes/record-rows.ts";
import type { HistoryPlace } from "../../database/changes/resource-rows.ts";
import { RECORDS_DEFAULT } from "../../database/changes/shapes.ts";
import { versionAt } from "../../database/changes/versions.ts";
import type { Table } from "../../database/table/table.ts";
import { groupMembers } from "../../directory/memberships/membership.ts";
import { Fault } from "../../kernel/faults.ts";
import { overlaid } from "./overlay.ts";
import type { HistorySource } from "./source.ts";

/** A resource and its tenant. */
export interface Subject extends HistoryPlace {
  readonly tenant: string;
  /** The protocol of an application; absent for the whole application. */
  readonly protocol?: string;
  /** The tenant of the caller, where it is another one: its own records name those of its people who made changes. */
  readonly callersTenant?: string;
}

/** The scope of the list of all changes. */
const VIEW_CHANGES = "internal_audit_view";

/** Reads the resource as it is now: throws the fault of its type where it does not exist, or may not be read. */
export type ReadNow = () => Promise<unknown>;

/**
 * A page of the changes of a resource, newest first, with names and addresses of callers for those who may read all
 * changes. Throws what `readNow` throws, and `request.invalid`.
 */
export async function readHistory(
  {
    history: { table },
    scopes,
    customKinds = [],
  }: {
    readonly history: HistorySource<unknown>;
    readonly scopes: ReadonlySet<string>;
    /** The custom protocols that applications and templates may have settings of. */
    readonly customKinds?: readonly DeclaredProtocol[];
  },
  subject: Subject,
  { limit = RECORDS_DEFAULT, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
  readNow: ReadNow,
) {
  const { tenant, protocol, callersTenant, ...place } = subject;
  const page: HistoryPage | undefined = await resourceHistory(table, tenant, { ...place, protocol }, { limit, after });
  if (!page || after !== undefined) await readNow();
  const { records, next } = page ?? { records: [] };
  const named = callersTenant === undefined ? records : await withActors(table, callersTenant, records);
  const shown = named.map(presenting(customKinds));
  return {
    records: scopes.has(VIEW_CHANGES) ? shown : shown.map(withoutCaller),
    ...(next !== undefined && { next }),
  };
}

/** Records with the actors that the second records of the same changes have in another tenant. One round trip. */
async function withActors(table: Table, tenant: string, records: readonly ChangeRecord[]): Promise<ChangeRecord[]> {
  const items =
    records.length > 0
      ? await table.getMany(records.map((one) => recordKey(tenant, idInCallersTenant(one.id, one.tenant))))
      : [];
  return records.map((record, at) => {
    const item = items[at];
    if (!item || record.tenant === tenant) return record;
    const { actor, sourceIp } = toRecord(tenant, item).record;
    return { ...record, actor, sourceIp };
  });
}

/** Who may read a resource need not learn the names and addresses of those who changed it: ids tell them apart. */
function withoutCaller({
  sourceIp: _,
  actor: { name: __, ...actor },
  ...record
}: ReturnType<ReturnType<typeof presenting>>) {
  return { ...record, actor };
}

/**
 * The stores of the function as they were for one resource after a change. Throws what `readNow` throws,
 * `history.version_unknown`, and `service.unavailable`.
 */
export async function storesAt<Stores>(
  { table, storesOn }: HistorySource<Stores>,
  { tenant, callersTenant: _, ...place }: Subject,
  version: string,
  readNow: ReadNow,
): Promise<Stores> {
  const found = await versionAt(table, tenant, place, version);
  if (!found?.row) {
    await readNow();
    throw new Fault(
      "history.version_unknown",
      `The resource has no version ${version}. Its history lists all of them.`,
    );
  }
  const { document, row, atMs } = found;
  const members = place.type === "group" ? memberIds(document, "members") : [];
  const current = members.length > 0 ? await groupMembers.current(table, tenant, members, 0) : [];
  const names = new Map(current.flatMap((member) => (member ? [[member.userId, member.name] as const] : [])));
  return storesOn(overlaid(table, rowsOf(place, document, row, { names, atMs })));
}
