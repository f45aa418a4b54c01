/**
 * The applications that people find in portals (`discoverableByEndUsers`, decision 0193): one row each, in one range of
 * the tenant, with what portals show. The row changes with its application, in the same transaction.
 */
import { keys } from "../../database/table/keys.ts";
import { flag, list, optional, rowCodec, text } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import { canBeId } from "../../kernel/ids.ts";
import type { Application } from "./model.ts";

const ROWS_PER_PAGE = 1_000;

/** An application as portals show it. */
export interface Discoverable {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly imageUrl: string | undefined;
  readonly accessUrl: string;
  /** The ids of the groups whose members find it; absent: everyone. */
  readonly groupIds: readonly string[] | undefined;
  /** Only those who are assigned have access (decision 0170). */
  readonly needsAssignment: boolean;
}

const codec = rowCodec<Omit<Discoverable, "id">>("discoverable application", {
  name: text,
  description: optional(text),
  imageUrl: optional(text),
  accessUrl: text,
  groupIds: optional(list(text)),
  needsAssignment: flag,
});

/** All discoverable applications of a tenant, in no order. One round trip for each megabyte. */
export async function discoverableIn(table: Table, tenant: string): Promise<readonly Discoverable[]> {
  const found = await table.queryAll({ PK: keys.discoverable(tenant, "").PK, limit: ROWS_PER_PAGE });
  return found.map((item) => ({ id: item.SK, ...codec.read(item) }));
}

/** The discoverable application with an id; `undefined` if there is none. One round trip. */
export async function findDiscoverable(table: Table, tenant: string, id: string): Promise<Discoverable | undefined> {
  const found = canBeId(id) ? await table.get(keys.discoverable(tenant, id)) : undefined;
  return found && { id, ...codec.read(found) };
}

/** The row of an application; empty if portals do not show it. */
export function discoverableItems(tenant: string, application: Application | undefined): readonly Item[] {
  const shown = application && shownOf(application);
  return application && shown ? [{ ...keys.discoverable(tenant, application.id), ...codec.write(shown) }] : [];
}

/** The step on the row between two states of an application, each of which is absent before it exists and after it. */
export function discoverableSteps(
  tenant: string,
  before: Application | undefined,
  after: Application | undefined,
): readonly Step[] {
  const [old, next] = [discoverableItems(tenant, before), discoverableItems(tenant, after)];
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  // The application itself is the condition: its version is checked in the same transaction.
  return next.length > 0
    ? next.map((put) => ({ put, when: "any", otherwise: stale }))
    : old.map(({ PK, SK }) => ({ remove: { PK, SK }, when: "any", otherwise: stale }));
}

function shownOf({
  name,
  description,
  imageUrl,
  accessUrl,
  applicationEnabled,
  advancedConfigurations: { discoverableByEndUsers, discoverableGroups, enableAuthorization },
}: Application): Omit<Discoverable, "id"> | undefined {
  if (!discoverableByEndUsers || !accessUrl || !applicationEnabled) return undefined;
  const groupIds = (discoverableGroups ?? []).flatMap(({ groups }) => groups.map(({ id }) => id));
  return {
    name,
    description,
    imageUrl,
    accessUrl,
    groupIds: groupIds.length > 0 ? [...new Set(groupIds)] : undefined,
    needsAssignment: enableAuthorization ?? false,
  };
}
