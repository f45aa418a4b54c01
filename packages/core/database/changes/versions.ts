/**
 * Resources as they were (decision 0083): the current document, with the changes since then taken back, the latest
 * first.
 */
import { Fault } from "../../kernel/faults.ts";
import type { Item, Table } from "../table/table.ts";
import { type Chain, chainOf, readChains } from "./chains.ts";
import { changeIdOf, digestOfResource, isChangeId, timeOfChange } from "./change-id.ts";
import type { Document } from "./diff.ts";
import { readDocument } from "./document-rows.ts";
import { historyOf } from "./history-rows.ts";
import { pastBefore, pastOf } from "./past.ts";
import { withParts } from "./record-rows.ts";
import { type HistoryPlace, type HistoryType, historyKeys, historyPlace } from "./resource-rows.ts";

/** A resource as it was after a change. */
export interface ResourceVersion {
  /** A secret that has not changed since is a `Secret`; one that has is `SECRET`. */
  readonly document: Document;
  /** The current row; absent where the resource was removed. */
  readonly row: Item | undefined;
  readonly atMs: number;
}

const ATTEMPTS = 5;

/** The document of `versionAt`. */
export async function documentAt(
  table: Table,
  tenant: string,
  type: HistoryType,
  id: string,
  version: string,
): Promise<Document | undefined> {
  return (await versionAt(table, tenant, historyPlace(type, id), version))?.document;
}

/**
 * A resource as it was after the change with the id `version`, whether it exists now or not; `undefined` where the id
 * is none of its changes, the record is no longer kept, or the change removed it. Throws `service.unavailable` where a
 * change of many members is being made. Three round trips, and two more for each 16 changes since then.
 */
export async function versionAt(
  table: Table,
  tenant: string,
  place: HistoryPlace,
  version: string,
): Promise<ResourceVersion | undefined> {
  const isOwn =
    isChangeId(version) && version === changeIdOf(timeOfChange(version), digestOfResource(place.type, place.id));
  if (!isOwn) return undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [rowKey] = historyKeys(tenant, place);
    const row = await table.get(rowKey);
    // The rows of its members are those in the middle of a bulk.
    if (row?.bulk !== undefined) break;
    const document = row && (await readDocument(table, place, row));
    const found = await takenBack(table, tenant, place, { row, document, version });
    if (found !== "changed") return found;
  }
  throw new Fault("service.unavailable", "The resource is being changed. Try again.");
}

interface Current {
  readonly row: Item | undefined;
  readonly document: Document;
  readonly version: string;
}

/** Takes changes back up to a version. `"changed"` where the resource changed while its rows were read. */
async function takenBack(
  table: Table,
  tenant: string,
  place: HistoryPlace,
  { row, document: current, version }: Current,
): Promise<ResourceVersion | undefined | "changed"> {
  let chains: readonly Chain[] = [chainOf(place)];
  let past = pastOf(current);
  for (let isFirst = true; chains.length > 0; isFirst = false) {
    const page = await readChains(table, tenant, chains);
    const [now] = page.resources;
    if (isFirst && historyOf(now).join() !== historyOf(row).join()) return "changed";
    for (const read of page.rows) {
      if (read.record.id === version) {
        const { document } = past;
        return document === undefined ? undefined : { document, row, atMs: read.record.atMs };
      }
      if (read.record.id < version) return undefined;
      past = pastBefore(past, await withParts(table, read));
    }
    chains = page.chains;
  }
  return undefined;
}
