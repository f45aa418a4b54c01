/** The items of a group beside those of its members. */
import { keys } from "../../table/keys.ts";
import { stale } from "../../table/stale.ts";
import type { Item, Step } from "../../table/table.ts";
import type { Group, Tally } from "./model.ts";

/** The item of a group, also for a loader into an empty table. */
export function groupItem(tenant: string, group: Group): Item {
  return {
    ...keys.group(tenant, group.id),
    id: group.id,
    displayName: group.displayName,
    userStore: group.userStore,
    externalId: group.externalId,
    created: group.createdMs,
    modified: group.modifiedMs,
    ver: group.version,
    members: group.memberCount,
    memberSum: group.memberSum,
    ...(group.roleIds.length > 0 && { roles: new Set(group.roleIds) }),
  };
}

/**
 * The item of a group that is still being made: it counts its members, who join in several transactions, but is not there
 * for readers until the last of them takes the mark away together with the claim of the name.
 */
export function unfinishedItem(tenant: string, group: Group): Item {
  return {
    ...groupItem(tenant, group),
    unfinished: true,
  };
}

/** The step that finishes it. */
export function finishing(tenant: string, id: string, joining: Tally): Step {
  return {
    change: keys.group(tenant, id),
    clear: ["unfinished"],
    add: { members: joining.memberCount, memberSum: joining.memberSum },
    when: { equal: { unfinished: true } },
    otherwise: stale,
  };
}

/** Reads the item of a group; `undefined` for one that is not there for readers. */
export function groupOf(item: Item | undefined): Group | undefined {
  return item && item.unfinished !== true
    ? {
        id: item.id as string,
        displayName: item.displayName as string,
        userStore: item.userStore as string,
        ...(typeof item.externalId === "string" && { externalId: item.externalId }),
        createdMs: item.created as number,
        modifiedMs: item.modified as number,
        version: item.ver as number,
        memberCount: item.members as number,
        memberSum: item.memberSum as number,
        roleIds: item.roles instanceof Set ? [...item.roles].sort() : [],
      }
    : undefined;
}

/** The steps between the lookup items of two states of a group. */
export function externalIdSteps(
  tenant: string,
  id: string,
  before: string | undefined,
  after: string | undefined,
): Step[] {
  return before === after
    ? []
    : [
        ...(before === undefined
          ? []
          : [{ remove: lookupKey(tenant, before, id), when: "present", otherwise: stale } as const]),
        ...(after === undefined
          ? []
          : [{ put: { ...lookupKey(tenant, after, id) }, when: "absent", otherwise: stale } as const]),
      ];
}

function lookupKey(tenant: string, externalId: string, id: string) {
  return keys.lookup(tenant, "groupExternalId", externalId, id);
}
