/** The rows of resources, where their histories begin (decision 0083). */
import { keys } from "../table/keys.ts";
import type { Item, Key } from "../table/table.ts";
import { changeIdOf, digestOfResource } from "./change-id.ts";
import { historyOf, removedKey } from "./history-rows.ts";
import type { ResourceType } from "./model.ts";

/** The types of resources that have histories. The changes of a protocol are in the history of its application. */
export type HistoryType = Exclude<ResourceType, "inbound-protocol">;

/** A resource that has a history. */
export interface HistoryPlace {
  readonly type: HistoryType;
  readonly id: string;
}

const rowKeys: Readonly<Record<HistoryType, (tenant: string, id: string) => Key>> = {
  application: keys.application,
  "authorized-apis": keys.authorizedApis,
  assignments: keys.assignments,
  "application-template": keys.template,
  "resident-application": (tenant) => keys.residentApplication(tenant),
  "api-resource": keys.apiResource,
  user: keys.user,
  group: keys.group,
  role: keys.role,
  tenant: (tenant) => keys.tenant(tenant),
  // Both are subscribers: their rows have one form of keys.
  webhook: keys.subscriber,
  "event-stream": keys.subscriber,
  "oidc-scopes": (tenant) => keys.oidcScopes(tenant),
};

/** All types of resources with a history of their own. */
export const historyTypes = Object.keys(rowKeys) as readonly HistoryType[];

/** The resource of a type and an id, as its records name it. */
export function historyPlace(type: HistoryType, id: string): HistoryPlace {
  return { type, id: isSingle(type) ? "" : id };
}

/** Whether a tenant has one resource of a type, which has no id. */
export function isSingle(type: HistoryType): boolean {
  return type === "resident-application" || type === "oidc-scopes" || type === "tenant";
}

/** The key of the row of a resource. */
export function resourceRow(tenant: string, type: HistoryType, id: string): Key {
  return rowKeys[type](tenant, id);
}

/** The row of a resource, and the row that is left of it where it was removed. */
export function historyKeys(tenant: string, { type, id }: HistoryPlace): readonly [Key, Key] {
  return [resourceRow(tenant, type, id), removedKey(tenant, type, id)];
}

/** The ids of the changes of a resource at some times, newest first. */
export function idsAt({ type, id }: HistoryPlace, timesMs: readonly number[]): string[] {
  const digest = digestOfResource(type, id);
  return timesMs.map((atMs) => changeIdOf(atMs, digest)).reverse();
}

/** The ids of the latest changes in a row, newest first. */
export function latestIds(place: HistoryPlace, row: Item | undefined): string[] {
  return idsAt(place, historyOf(row));
}
