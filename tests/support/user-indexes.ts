/** Compares the indexes of a user store with its users. */

import { keys } from "#core/database/table/keys.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import { pairText } from "#core/database/table/value-index/pair.ts";
import { heldPairs } from "#core/directory/users/pairs.ts";
import { toUser } from "#core/directory/users/rows.ts";
import { indexedAttribute } from "#core/scim/protocol/indexed.ts";
import { checkIndex, checkLogged, type IndexCheck } from "#tests/support/value-index.ts";

/** Where the users of a store are, and the attributes that have an index. */
export interface IndexedStore {
  readonly tenant: string;
  readonly userStore: string;
  readonly attributes: readonly string[];
}

/** What is wrong with the indexes of a store, in sentences. `rows`: those of its users. No one may write meanwhile. */
export const indexProblems = async (
  table: Table,
  { tenant, userStore, attributes }: IndexedStore,
  rows: readonly Item[],
): Promise<readonly string[]> => {
  const users = rows.map(toUser).filter((user) => user.userStore === userStore);
  const problems = attributes.map(async (name) => {
    const attribute = indexedAttribute(name);
    if (!attribute) return [`${name} cannot have an index`];
    const held = users.map((user) => heldPairs(attribute, user));
    const check = await checkAttribute(table, { tenant, userStore, name });
    const several = held.filter((pairs) => pairs.length > 1).length;
    return [
      ...check.problems,
      ...unlike(check.pairs.map(pairText), held.flat().map(pairText)),
      ...(check.several === several ? [] : [`counts ${check.several} users with several values, not ${several}`]),
    ].map((problem) => `index of ${name}: ${problem}`);
  });
  return (await Promise.all(problems)).flat();
};

/** Reads the index of an attribute, and checks that its rows belong together. */
export const checkAttribute = (
  table: Table,
  { tenant, userStore, name }: { readonly tenant: string; readonly userStore: string; readonly name: string },
): Promise<IndexCheck> => {
  const own = keys.userValues(tenant, userStore, name);
  return indexedAttribute(name)?.kind === "time" ? checkLogged(table, own) : checkIndex(table, own);
};

const unlike = (found: readonly string[], expected: readonly string[]): readonly string[] => {
  const [has, should] = [new Set(found), new Set(expected)];
  return [
    ...(has.size === found.length ? [] : ["a pair is there twice"]),
    ...found.filter((one) => !should.has(one)).map((one) => `${JSON.stringify(one)} must not be there`),
    ...expected.filter((one) => !has.has(one)).map((one) => `${JSON.stringify(one)} is missing`),
  ];
};
