/** The rows of a group: its own row and its lookup row. Its members are a relation of their own. */
import { keys } from "../../database/table/keys.ts";
import { as, number, optional, rowCodec, text, textSet } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step } from "../../database/table/table.ts";
import { bulkField } from "../memberships/bulk-rows.ts";
import type { Group } from "./model.ts";

const groupRow = rowCodec<Group>("group", {
  id: text,
  displayName: text,
  userStore: text,
  externalId: optional(text),
  createdMs: as("created", number),
  modifiedMs: as("modified", number),
  version: as("ver", number),
  memberCount: as("members", number),
  memberSum: number,
  roleIds: as("roles", textSet),
  bulk: bulkField,
});

/** The row of a group, also for a loader into an empty table. */
export function groupItem(tenant: string, group: Group): Item {
  return { ...keys.group(tenant, group.id), ...groupRow.write(group) };
}

/** Reads the row of a group. */
export function groupOf(item: Item | undefined): Group | undefined {
  return item && groupRow.read(item);
}

/** The steps between the lookup rows of two states of a group. */
export function externalIdSteps(
  tenant: string,
  id: string,
  before: string | undefined,
  after: string | undefined,
): Step[] {
  if (before === after) return [];
  const steps: Step[] = [];
  if (before !== undefined) steps.push({ remove: lookupKey(tenant, before, id), when: "present", otherwise: stale });
  if (after !== undefined) steps.push({ put: { ...lookupKey(tenant, after, id) }, when: "absent", otherwise: stale });
  return steps;
}

/** The key of a group's lookup row. */
export function lookupKey(tenant: string, externalId: string, id: string) {
  return keys.lookup(tenant, "groupExternalId", externalId, id);
}
