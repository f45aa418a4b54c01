/**
 * What the log of a tenant says about changes of roles and groups. It is read in parallel with what a sign-in reads
 * anyway.
 */
import type { QualifiedName } from "../domain/username.ts";
import type { Clock } from "../platform/clock.ts";
import type { Table } from "../table/table.ts";
import type { Changes, RevocationCache } from "../tokens/validity.ts";

/**
 * Begins to read the changes of the tenants that a user name can mean. The result returns those of the tenant that it
 * means, which exists. No round trip more than the sign-in.
 */
export type ChangesOf = (readings: readonly QualifiedName[], table: Table) => (tenant: string) => Promise<Changes>;

/** Opens the reader of one container. */
export function newChangesOf(revocations: RevocationCache, clock: Clock): ChangesOf {
  return (readings, table) => {
    const nowMs = clock.now();
    const read = (tenant: string) => revocations.changes(tenant, table, nowMs);
    // A sign-in goes by the first reading whose tenant exists.
    const known = readings.findIndex(({ tenant }) => revocations.knows(tenant));
    const possible = known < 0 ? readings : readings.slice(0, known + 1);
    const pending = new Map(possible.map(({ tenant }) => [tenant, read(tenant)]));
    // Where the sign-in is refused, the result is not awaited.
    for (const one of pending.values()) one.catch(() => undefined);
    return async (tenant) => {
      const changes = await (pending.get(tenant) ?? read(tenant));
      changes.keep();
      return changes;
    };
  };
}
