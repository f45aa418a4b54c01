/** An index of names in memory. */

import type { Entry } from "#core/database/table/name-index/items.ts";
import type { NameReads, Window } from "#core/database/table/name-index/reads.ts";
import { compareKeys } from "#core/database/table/table.ts";
import type { NamedId } from "#core/scim/listing/source.ts";

/** The names of some resources, in their order. */
export const namesInMemory = (all: readonly NamedId[]): NameReads => {
  const byName: readonly Entry[] = all.map(({ id, key }) => ({ id, key })).sort((a, b) => compareKeys(a.key, b.key));
  const inWindow = (list: readonly Entry[], { offset, limit, backwards, most = Number.POSITIVE_INFINITY }: Window) => {
    const ordered = backwards ? list.toReversed() : list;
    return { entries: list.length > most ? [] : ordered.slice(offset, offset + limit), total: list.length };
  };
  const starting = (prefix: string) => byName.filter(({ key }) => key.startsWith(prefix));
  return {
    find: async (key) => byName.find((one) => one.key === key),
    findMany: async (names) => byName.filter(({ key }) => names.includes(key)),
    total: async () => byName.length,
    rank: async (text) => byName.filter(({ key }) => compareKeys(key, text) < 0).length,
    page: async (window) => inWindow(byName, window),
    startsWith: async (prefix, window) => inWindow(starting(prefix), window),
    async startingWith(prefix, window) {
      const { entries, total } = inWindow(starting(prefix), window);
      return { entries, total: Promise.resolve(total) };
    },
    async all(prefix, most) {
      const found = starting(prefix);
      return found.length > most ? undefined : found;
    },
    search: async (isWanted, { prefix = "", ...window }) =>
      inWindow(
        starting(prefix).filter(({ key }) => isWanted(key)),
        window,
      ),
    async after(key, limit, { prefix = "", backwards = false } = {}) {
      const ordered = backwards ? starting(prefix).reverse() : starting(prefix);
      const isBehind = (one: Entry) =>
        key === undefined || (backwards ? compareKeys(one.key, key) < 0 : compareKeys(one.key, key) > 0);
      const behind = ordered.filter(isBehind);
      return { entries: behind.slice(0, limit), more: behind.length > limit };
    },
  };
};
