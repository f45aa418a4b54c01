/**
 * Holders that are too many for one transaction: they gain or lose a role in several. Each looks at them anew, so that
 * whoever was faster with one of them, or deleted one, is let be.
 */

import { keys } from "../../table/keys.ts";
import { stale, whileStale } from "../../table/stale.ts";
import type { Step, Table } from "../../table/table.ts";
import { revokingRole } from "../../tokens/revocation-store.ts";
import { notFound } from "../roles/rules.ts";
import { gainingRole, type Holder, holdersAmong, losingRole, sideOfHolder } from "./assignees.ts";
import { chunks } from "./bulk-members.ts";

/** Holders that gain or lose a role in one transaction: two steps each, beside those of the role and its name. */
export const HOLDERS_AT_ONCE = 45;

/** Who is to gain a role, of those who do not hold it, and who is to lose it, of those who do. */
export interface HolderChanges {
  readonly gaining: readonly Holder[];
  readonly losing: readonly Holder[];
}

/** The users and groups that were known, and on a further attempt those of them that still are there. At most one round trip. */
export async function stillThere(
  table: Table,
  tenant: string,
  known: readonly Holder[],
  attempts: number,
): Promise<readonly Holder[]> {
  if (attempts === 0 || known.length === 0) return known;
  const items = await table.getMany(known.map((holder) => sideOfHolder(tenant, holder)));
  return known.filter((_, at) => items[at] !== undefined);
}

/** Carries out changes that may be many. Throws `scim.not_found` when the role is deleted meanwhile, and `resource.contended`. */
export async function changeHolders(
  table: Table,
  tenant: string,
  id: string,
  nowMs: number,
  { gaining, losing }: HolderChanges,
): Promise<void> {
  const gainers = new Set(gaining);
  for (const some of chunks([...losing, ...gaining], HOLDERS_AT_ONCE)) {
    await whileStale(async (attempts) => {
      const there = await stillThere(table, tenant, some, attempts);
      const hold = new Set(await holdersAmong(table, tenant, id, there));
      const open = there.filter((holder) => hold.has(holder) !== gainers.has(holder));
      if (open.length === 0) return;
      await table.write(
        ...open.flatMap((holder) => (gainers.has(holder) ? gainingRole : losingRole)(tenant, id, holder)),
        ...(open.some((holder) => !gainers.has(holder)) ? revokingRole(tenant, id) : []),
        touching(tenant, id, nowMs),
      );
    });
  }
}

/** The step that tells a role that who holds it has changed. */
function touching(tenant: string, id: string, nowMs: number): Step {
  return {
    change: keys.role(tenant, id),
    add: { ver: 1 },
    set: { modified: nowMs },
    when: "present",
    otherwise: (found) => (found ? stale() : notFound(id)),
  };
}
