/**
 * The names of groups and roles that users show. A container caches the names that it has read. A row that counts all
 * changes of names, read together with the users, says whether the cache is valid. So a rename shows at once
 * everywhere, and a warm container needs no extra round trip for names (decision 0014).
 */
import { isDeepStrictEqual } from "node:util";
import { keys } from "../../database/table/keys.ts";
import { number, rowCodec } from "../../database/table/row.ts";
import { stale } from "../../database/table/stale.ts";
import type { Step, Table } from "../../database/table/table.ts";
import { elapsed } from "../../kernel/clock.ts";
import { type OpenBulk, openText } from "./bulk-model.ts";
import { openBulksIn } from "./bulk-rows.ts";

/** What a role is for, with its name: that of the tenant, or of an application. */
export interface ShownAudience {
  readonly type: "organization" | "application";
  readonly value: string;
  readonly display: string;
  /** False for an application that was deleted. */
  readonly exists: boolean;
}

/** The name of a group or role; that of a role with its audience, where a reader reads it. */
export type ShownName = string | { readonly name: string; readonly audience: ShownAudience };

/** A name that was read, `undefined` for one that does not exist. Times are milliseconds of a monotonic clock. */
interface CachedName {
  readonly name: ShownName | undefined;
  /** When it was first read with this value. */
  readonly sinceMs: number;
  /** When it was last read. */
  readonly readMs: number;
}

/** What one container caches of one tenant. */
interface CachedTenant {
  /** The version of names at which the names were read. */
  readonly version: number;
  /** When the container first saw that version. */
  readonly seenMs: number;
  /** By id. */
  readonly names: Map<string, CachedName>;
}

/** The cache of one container. Open one when a function starts. */
export type NameMemory = ReturnType<typeof newNameMemory>;

const NAMES_MAX = 50_000;
const TENANTS_MAX = 100;
/**
 * The version may change an instant before the name does: names are valid once read this long after the version was
 * first seen.
 */
const SETTLED_MS = 1_000;
/** A name that is missing for this long is deleted. Until then, half of a transaction may have been read. */
const DELETED_MS = 60_000;

/** Reads the names of some ids, without those that do not exist. */
export type ReadNames = (tenant: string, ids: readonly string[]) => Promise<ReadonlyMap<string, ShownName>>;

/** What a tenant's users depend on besides their own rows. */
export interface NamesState {
  /** Grows with each change of a name. */
  readonly version: number;
  /** Bulk memberships that may not be carried out yet. */
  readonly openBulks: readonly OpenBulk[];
}

/** The names of groups and roles that users show. */
export type NameStore = ReturnType<typeof nameStore>;

const versionRow = rowCodec<{ readonly v: number }>("name version", { v: number });

/** Opens the cache of one container. `clock` returns milliseconds of a monotonic clock. */
export function newNameMemory(clock = elapsed) {
  const tenants = new Map<string, CachedTenant>();
  return {
    /** The cached names of a tenant at a version. Names of another version are dropped. */
    of(tenant: string, version: number): CachedTenant {
      const known = tenants.get(tenant);
      if (known && known.version === version && known.names.size < NAMES_MAX) return known;
      const fresh: CachedTenant = { version, seenMs: clock(), names: new Map() };
      // A reader with an older version reads for itself and leaves the cache unchanged.
      if (known && known.version > version) return fresh;
      if (tenants.size >= TENANTS_MAX) tenants.clear();
      tenants.set(tenant, fresh);
      return fresh;
    },
  };
}

/** The step that makes every container read names again. It lists a bulk that begins in the same transaction. */
export function renamingStep(tenant: string, open?: OpenBulk): Step {
  return {
    change: keys.shownNames(tenant),
    add: { v: 1, ...(open && { bulks: new Set([openText(open)]) }) },
    when: "present",
    otherwise: stale,
  };
}

/**
 * Opens the store on the table of one request. Ids are unique over groups and roles. Names that may never be written
 * are not cached.
 */
export function nameStore(table: Table, memory: NameMemory, readers: readonly ReadNames[], clock = elapsed) {
  const cache = table.keeps === undefined ? memory : newNameMemory(clock);
  return {
    /** Read it together with the users. One round trip. */
    async state(tenant: string): Promise<NamesState> {
      const item = await table.get(keys.shownNames(tenant));
      return { version: item ? versionRow.read(item).v : 0, openBulks: openBulksIn(item) };
    },

    /** The names of some ids, without those that do not exist. No round trip where they are cached, else one. */
    async find(tenant: string, version: number, ids: Iterable<string>): Promise<ReadonlyMap<string, ShownName>> {
      const { seenMs, names } = cache.of(tenant, version);
      const requested = [...new Set(ids)];
      const missing = requested.filter((id) => !isValid(names.get(id), seenMs));
      if (missing.length > 0) {
        const readMs = clock();
        const found = await Promise.all(readers.map((read) => read(tenant, missing)));
        for (const id of missing) {
          const name = found.map((some) => some.get(id)).find((one) => one !== undefined);
          const before = names.get(id);
          names.set(id, {
            name,
            readMs,
            sinceMs: before && isDeepStrictEqual(before.name, name) ? before.sinceMs : readMs,
          });
        }
      }
      return new Map(
        requested.flatMap((id) => {
          const name = names.get(id)?.name;
          return name === undefined ? [] : [[id, name] as const];
        }),
      );
    },
  };
}

function isValid(cached: CachedName | undefined, seenMs: number): boolean {
  if (!cached) return false;
  const { name, sinceMs, readMs } = cached;
  return name === undefined ? readMs - sinceMs >= DELETED_MS : readMs - seenMs >= SETTLED_MS;
}
