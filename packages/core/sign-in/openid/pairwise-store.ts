/**
 * Pairwise subjects: one name of a user for each sector, which does not lead back to the user, nor to the name in
 * another sector (OpenID Connect Core 1.0 section 8.1).
 *
 * The key is random, one for each tenant, made when it is first needed, and never changed: not with the sealing key
 * either, because a subject must stay.
 */
import { createHmac, randomBytes } from "node:crypto";
import { keys } from "../../database/table/keys.ts";
import { bytes, rowCodec } from "../../database/table/row.ts";
import { stale, whileStale } from "../../database/table/stale.ts";
import type { Table } from "../../database/table/table.ts";

const KEY_BYTES = 32;
/** Tenants whose keys a container remembers. */
const KNOWN_MAX = 1_000;

const rows = rowCodec<{ readonly key: Uint8Array }>("key of pairwise subjects", { key: bytes });

/** A user in a sector. */
export interface SectorUser {
  readonly tenant: string;
  readonly sector: string;
  readonly userId: string;
  /** The tenant of a guest: it can have a user with the id of another one. */
  readonly home?: string | undefined;
}

/** The pairwise subjects of one container. */
export type PairwiseSubjects = ReturnType<typeof newPairwiseSubjects>;

/** Opens them for one container. */
export function newPairwiseSubjects() {
  const known = new Map<string, Uint8Array>();
  return {
    /** 43 characters. No round trip while the key of the tenant is known; one, or two for the first subject of all. */
    async of(table: Table, { tenant, sector, userId, home }: SectorUser): Promise<string> {
      const key = known.get(tenant) ?? (await keyOf(table, tenant));
      if (known.size < KNOWN_MAX) known.set(tenant, key);
      return createHmac("sha256", key)
        .update(JSON.stringify([sector, userId, ...(home === undefined ? [] : [home])]), "utf8")
        .digest("base64url");
    },
  };
}

async function readKey(table: Table, tenant: string): Promise<Uint8Array | undefined> {
  const found = await table.get(keys.pairwiseKey(tenant));
  return found && rows.read(found).key;
}

function keyOf(table: Table, tenant: string): Promise<Uint8Array> {
  const key = keys.pairwiseKey(tenant);
  return whileStale(async () => {
    const found = await readKey(table, tenant);
    if (found) return found;
    const made = new Uint8Array(randomBytes(KEY_BYTES));
    // Two requests can need the first one: that of the other counts.
    await table.write({ put: { ...key, ...rows.write({ key: made }) }, when: "absent", otherwise: () => stale() });
    return made;
  });
}
