/** The rows of indexes, for a loader into an empty table. */
import { type ApplicationEntry, applicationKind } from "#core/applications/registry/application-rows.ts";
import { completing, recordOf } from "#core/applications/registry/index-rows.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { foundingIndexes } from "#core/identities/users/index-rows.ts";
import type { User } from "#core/identities/users/model.ts";
import { attributeOf, pairsOf } from "#core/identities/users/pairs.ts";
import { compareText } from "#core/platform/text-order.ts";
import { keys } from "#core/table/keys.ts";
import { loggedLayout } from "#core/table/logged-index/inspect.ts";
import type { Item } from "#core/table/table.ts";
import { recordText } from "#core/table/value-index/columns.ts";
import { columnLayout, layout } from "#core/table/value-index/layout.ts";
import { pairOf, pairText } from "#core/table/value-index/pair.ts";

/** Where users are, and which of their attributes have an index. */
export interface IndexedUsers {
  readonly tenant: string;
  readonly userStore: string;
  readonly attributes: readonly string[];
  /** Called for each attribute. */
  readonly users: () => Iterable<User>;
}

/** The rows of complete indexes. */
export function* indexItems({ tenant, userStore, attributes, users }: IndexedUsers): Generator<Item, void> {
  for (const step of foundingIndexes(tenant, userStore, attributes)) if ("put" in step) yield step.put;
  for (const name of attributes) {
    const attribute = attributeOf(name);
    if (!attribute) throw new Error(`${name} cannot have an index`);
    const texts: string[] = [];
    let several = 0;
    for (const user of users()) {
      const pairs = pairsOf(attribute, user);
      if (pairs.length > 1) several += 1;
      for (const pair of pairs) texts.push(pairText(pair));
    }
    texts.sort(compareText);
    const own = keys.userValues(tenant, userStore, name);
    const pairs = texts.map(pairOf);
    yield* attribute.kind === "time" ? loggedLayout(own, pairs) : layout(own, pairs, several);
  }
}

/** The rows of the complete index of the applications of a tenant. */
export function applicationIndexItems(tenant: string, applications: readonly Application[]): Iterable<Item> {
  return recordItems(
    tenant,
    applications.map((one) => applicationKind.entryOf(one, 1)),
  );
}

/** The same by their entries. */
export function* recordItems(tenant: string, entries: readonly ApplicationEntry[]): Generator<Item, void> {
  const texts = entries.map((entry) => recordText(recordOf(entry)));
  const state = completing(tenant, true);
  if ("put" in state) yield state.put;
  yield* columnLayout(keys.applicationColumns(tenant), texts.sort(compareText));
}
