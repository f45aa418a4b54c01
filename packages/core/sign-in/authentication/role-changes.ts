/**
 * What the log of a tenant says about changes of roles and groups. It is read in parallel with what a sign-in reads
 * anyway.
 */

import type { Table } from "../../database/table/table.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import type { Changes, RevocationCache } from "./token-validity.ts";

/** What was changed in a tenant, read in parallel with other rows of the same request. */
export interface ParallelChanges extends Changes {
  /** Names a moment from before they were read: for a fact from a row that was read in parallel. */
  readonly before: number;
}

/** The changes of the tenant that a user name means, which exists. */
export type ChangesIn = (tenant: string) => Promise<ParallelChanges>;

/** Reads that were begun for every tenant that a user name can mean. */
export interface PendingChanges {
  readonly changesIn: ChangesIn;
  /**
   * Waits for the reads that the sign-in did not need. A read that outlives its request would be missing in the cost of
   * that request, and would stop together with its container. Never throws.
   */
  readonly ended: () => Promise<void>;
}

/** Begins to read the changes of the tenants that a user name can mean. No round trip more than the sign-in. */
export type ChangesOf = (readings: readonly QualifiedName[], table: Table) => PendingChanges;

/** Opens the reader of one container. */
export function newChangesOf(revocations: RevocationCache, clock: Clock): ChangesOf {
  return (readings, table) => {
    const nowMs = clock.now();
    const before = revocations.order();
    const read = (tenant: string) => revocations.changes(tenant, table, nowMs);
    // A sign-in goes by the first reading whose tenant exists.
    const known = readings.findIndex(({ tenant }) => revocations.knows(tenant));
    const possible = known < 0 ? readings : readings.slice(0, known + 1);
    const pending = new Map(possible.map(({ tenant }) => [tenant, read(tenant)]));
    const all = Promise.allSettled(pending.values());
    return {
      async changesIn(tenant) {
        const changes = await (pending.get(tenant) ?? read(tenant));
        changes.keep();
        return { ...changes, before };
      },
      async ended() {
        await all;
      },
    };
  };
}
