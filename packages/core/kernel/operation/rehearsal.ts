/** Rehearsals: requests that are answered as if they were carried out, and that change nothing (decision 0087). */
import type { Operation } from "./operation.ts";
import { services } from "./services.ts";

/** The query parameter that asks for a rehearsal. */
export const DRY_RUN = "dryRun";

/** Whether an operation can be rehearsed: it changes data. Those of OAuth cannot: tokens are meant to be used. */
export function canRehearse({ service, method, changesNothing }: Operation): boolean {
  return method !== "GET" && !changesNothing && services[service].dialect !== "oauth2";
}

/**
 * Whether a query parameter asks for a rehearsal: in any letter case, and as `dry-run` or `dry_run` too, because a
 * write by mistake would be worse.
 */
export function isDryRunName(name: string): boolean {
  return name.replace(/[-_]/g, "").toLowerCase() === DRY_RUN.toLowerCase();
}
