/**
 * The indexes of a user store, and the row that says which of them are complete (decisions 0095 and 0130).
 *
 * Every write of a user keeps the indexes of the attributes that the deployment declares. Lists use an index only where
 * the row says that it is ready. A user store that is new is ready at once; an attribute that is declared later becomes
 * ready by `npm run index`. A container that does not declare an attribute takes it from the row before it writes the
 * first user: from then on the index may lack users.
 */

import { keys } from "../../database/table/keys.ts";
import { loggedIndex } from "../../database/table/logged-index/logged-index.ts";
import { rowCodec, textSet } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { ReadOptions, Step, Table } from "../../database/table/table.ts";
import { early } from "../../database/table/timing.ts";
import type { ValueDirectory } from "../../database/table/value-index/model.ts";
import { type ValueIndex, valueIndex } from "../../database/table/value-index/value-index.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { DeclaredIndexes } from "./declared-indexes.ts";
import { attributeOf } from "./pairs.ts";

/** How long a container trusts what it has read of a row before it writes users. */
export const TRUSTED_MS = 60_000;

/** Which indexes of a user store are complete, and which `npm run index` is about to complete. */
export interface IndexState {
  readonly ready: readonly string[];
  readonly building: readonly string[];
}

const stateRow = rowCodec<IndexState>("state of indexes", { ready: textSet, building: textSet });

/** Opens the index of an attribute on the table of one request. */
export function indexOfValues(table: Table, tenant: string, userStore: string, attribute: string): ValueIndex {
  const own = keys.userValues(tenant, userStore, attribute);
  return attributeOf(attribute)?.kind === "time" ? loggedIndex(table, own) : valueIndex(table, own);
}

/** One round trip. */
export async function readIndexState(table: Table, tenant: string, userStore: string): Promise<IndexState> {
  const item = await table.get(keys.userIndexes(tenant, userStore));
  return item ? stateRow.read(item) : { ready: [], building: [] };
}

/** Those of the declared attributes whose indexes are complete in a user store. One round trip. */
export async function readyAttributes(
  table: Table,
  tenant: string,
  userStore: string,
  { attributes }: DeclaredIndexes,
): Promise<ReadonlySet<string>> {
  const { ready } = await readIndexState(table, tenant, userStore);
  return new Set(ready.filter((name) => attributes.includes(name)));
}

/** Opens the index of an attribute for a list. One round trip. */
export async function openIndex(
  table: Table,
  index: { readonly tenant: string; readonly userStore: string; readonly attribute: string },
  options?: ReadOptions,
): Promise<ValueDirectory> {
  return indexOfValues(table, index.tenant, index.userStore, index.attribute).open(options);
}

/** The steps of a user store that gets its first user: all of its indexes are complete from the beginning. */
export function foundingIndexes(tenant: string, userStore: string, attributes: readonly string[]): readonly Step[] {
  if (attributes.length === 0) return [];
  const put = { ...keys.userIndexes(tenant, userStore), ...stateRow.write({ ready: attributes, building: [] }) };
  return [{ put, when: "any", otherwise: stale }];
}

/**
 * Takes the attributes from the row that the deployment does not declare, unless this container has just looked. One
 * round trip a minute for each user store.
 */
export async function withdrawUndeclared(
  table: Table,
  tenant: string,
  userStore: string,
  { attributes, readMs }: DeclaredIndexes,
): Promise<void> {
  const key = keys.userIndexes(tenant, userStore);
  const nowMs = systemClock.now();
  if (nowMs - (readMs.get(key.PK) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS) return;
  const { ready, building } = await readIndexState(table, tenant, userStore);
  const undeclared = [...ready, ...building].filter((name) => !attributes.includes(name));
  if (undeclared.length > 0) {
    const names = new Set(undeclared);
    await early(table).write({
      change: key,
      take: { ready: names, building: names },
      when: "present",
      otherwise: stale,
    });
    // What a rehearsal writes is never stored.
    if (table.keeps === "for good") return;
  }
  readMs.set(key.PK, nowMs);
}

/** The step that takes attributes from the row. */
export function withdrawingIndexes(tenant: string, userStore: string, attributes: readonly string[]): Step {
  const names = new Set(attributes);
  const key = keys.userIndexes(tenant, userStore);
  return { change: key, take: { ready: names, building: names }, when: "present", otherwise: stale };
}

/** The step that notes which attributes are about to be completed. */
export function beginIndexes(tenant: string, userStore: string, attributes: readonly string[]): Step {
  return {
    change: keys.userIndexes(tenant, userStore),
    add: { building: new Set(attributes) },
    when: "any",
    otherwise: stale,
  };
}

/** The step that makes an attribute ready which is still being built. `withdrawn` is the error where it is not. */
export function completingIndex(
  tenant: string,
  userStore: string,
  attribute: string,
  building: readonly string[],
  withdrawn: () => Error,
): Step {
  const left = building.filter((name) => name !== attribute);
  return {
    change: keys.userIndexes(tenant, userStore),
    add: { ready: new Set([attribute]) },
    ...(left.length > 0 ? { set: { building: new Set(left) } } : { clear: ["building"] }),
    when: { equal: { building: new Set(building) } },
    otherwise: withdrawn,
  };
}
