/** Searches for the entries of a directory's users, by id, by name and by address. */
import { foldName } from "../../kernel/fold.ts";
import { isPossibleId } from "../../kernel/ids.ts";
import type { Lookup } from "../users/identifiers.ts";
import type { Connection, Entry } from "./connection.ts";
import { idIn, nameIn } from "./entry.ts";
import { dnValue } from "./escape.ts";
import type { DirectoryFilters } from "./filter.ts";
import type { DirectorySettings } from "./model.ts";

/** Ids per search. */
const IDS_AT_ONCE = 100;

export type DirectoryEntries = ReturnType<typeof directoryEntries>;

export function directoryEntries(settings: DirectorySettings, connection: Connection, filters: DirectoryFilters) {
  const withIds = async (ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> => {
    const known = [...new Set(ids)].filter(isPossibleId);
    const found = new Map<string, Entry>();
    // In sequence: a directory works through the operations of one connection in turn anyway.
    for (let at = 0; at < known.length; at += IDS_AT_ONCE) {
      const some = known.slice(at, at + IDS_AT_ONCE);
      for (const entry of await connection.search(filters.withIds(some), some.length)) {
        const id = idIn(entry, settings);
        if (id !== undefined) found.set(id, entry);
      }
    }
    return found;
  };
  const withName = (name: string, limit: number) => connection.search(filters.named(name), limit);
  return {
    withIds,
    withId: async (id: string) => (await withIds([id])).get(id),
    /** The entries with a user name, at most `limit`. */
    withName,
    /** The only entry with a user name; `undefined` also where several have it, because the name is ambiguous then. */
    async named(name: string): Promise<Entry | undefined> {
      if (name.includes("\0")) return undefined;
      const found = await withName(name, 2);
      const same = found.filter((entry) => foldName(nameIn(entry, settings) ?? "") === foldName(name));
      return same.length === 1 ? same[0] : undefined;
    },
    /** The entries with an address in the form in which it is compared, at most `limit`. */
    async addressed(address: Lookup, limit: number): Promise<readonly Entry[]> {
      const filter = filters.addressed(address);
      return filter ? connection.search(filter, limit) : [];
    },
    /** The distinguished name of a new entry. */
    dnOf: (name: string) => `${settings.usernameAttribute}=${dnValue(name)},${settings.baseDn}`,
  };
}
