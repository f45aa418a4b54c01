/**
 * The names of groups as users show them. A container remembers the names that it has read; an item that counts the changes
 * of names, read beside whatever is read anyway, tells whether they still hold. So a rename shows at once everywhere, and a
 * warm container pays no round trip of its own for names (decision 0014).
 */
import { elapsed } from "../../platform/clock.ts";
import { keys } from "../../table/keys.ts";
import { stale } from "../../table/stale.ts";
import type { Step, Table } from "../../table/table.ts";

/** A name that was read, `undefined` for one that was not there. Times are in milliseconds of a clock that never jumps. */
interface ReadName {
  readonly name: string | undefined;
  /** When it was read first as it is. */
  readonly sinceMs: number;
  /** When it was read last. */
  readonly readMs: number;
}

/** What one container remembers of one tenant. */
interface Remembered {
  /** What counted the changes of names when they were read. */
  readonly version: number;
  /** When the container met that version. */
  readonly metMs: number;
  /** By id. */
  readonly names: Map<string, ReadName>;
}

/** What one container remembers. Make one when a function starts. */
export interface NameMemory {
  /** What is remembered of a tenant at a version; what was read at another one is forgotten. */
  of(tenant: string, version: number): Remembered;
}

const NAMES_MAX = 50_000;
const TENANTS_MAX = 100;
/** The version may show the change of a name an instant before the name does: names count from so long after it was met. */
const SETTLED_MS = 1_000;
/** Users know a large group before it is there (store.ts, `add`). What is missing for so long is gone. */
const GONE_MS = 60_000;

/** Reads names by id, as far as the things exist. */
export type ReadNames = (tenant: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** The names of groups and roles that users show. */
export interface NameStore {
  /** Says which names hold. Read it beside the users. One round trip. */
  version(tenant: string): Promise<number>;
  /** The names behind some ids, as far as the things exist. No round trip where they are remembered, one otherwise. */
  find(tenant: string, version: number, ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
}

/** Opens the memory of one container. `clock` gives milliseconds that never jump. */
export function newNameMemory(clock = elapsed): NameMemory {
  const tenants = new Map<string, Remembered>();
  return {
    of(tenant, version) {
      const known = tenants.get(tenant);
      if (known && known.version === version && known.names.size < NAMES_MAX) return known;
      const fresh: Remembered = { version, metMs: clock(), names: new Map() };
      // A reader whose version is older than what is known reads for itself and leaves the memory alone.
      if (known && known.version > version) return fresh;
      if (tenants.size >= TENANTS_MAX) tenants.clear();
      tenants.set(tenant, fresh);
      return fresh;
    },
  };
}

/** The step by which a change of a name becomes known to every container. */
export function renamingStep(tenant: string): Step {
  return {
    change: keys.shownNames(tenant),
    add: { v: 1 },
    when: "present",
    otherwise: stale,
  };
}

/** Opens the store on the table of one request. Ids are unique over groups and roles. */
export function nameStore(table: Table, memory: NameMemory, readers: readonly ReadNames[], clock = elapsed): NameStore {
  return {
    async version(tenant) {
      const item = await table.get(keys.shownNames(tenant));
      return (item?.v as number | undefined) ?? 0;
    },

    async find(tenant, version, ids) {
      const { metMs, names } = memory.of(tenant, version);
      const isKnown = (id: string): boolean => {
        const known = names.get(id);
        if (!known) return false;
        const { name, sinceMs, readMs } = known;
        return name === undefined ? readMs - sinceMs >= GONE_MS : readMs - metMs >= SETTLED_MS;
      };
      const wanted = [...new Set(ids)];
      const missing = wanted.filter((id) => !isKnown(id));
      if (missing.length > 0) {
        const readMs = clock();
        const found = await Promise.all(readers.map((read) => read(tenant, missing)));
        for (const id of missing) {
          const name = found.map((some) => some.get(id)).find((one) => one !== undefined);
          const before = names.get(id);
          names.set(id, { name, readMs, sinceMs: before && before.name === name ? before.sinceMs : readMs });
        }
      }
      return new Map(
        wanted.flatMap((id) => {
          const name = names.get(id)?.name;
          return name === undefined ? [] : [[id, name] as const];
        }),
      );
    },
  };
}
