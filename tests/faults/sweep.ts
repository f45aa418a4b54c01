/** What a kill leaves of a large change is removed by a read of users, once it is known that the change does not run. */
import { setTimeout as pause } from "node:timers/promises";
import { ABANDONED_MS } from "#core/directory/memberships/bulk-model.ts";
import { ADMIN, basic } from "#tests/support/world.ts";
import { audit } from "./audit.ts";
import type { FaultyService } from "./service.ts";

const MARGIN_MS = 1_000;

/** Waits until nothing that a kill interrupted can still run, and lists users: the one touch that removes leftovers. */
export const sweep = async (service: FaultyService): Promise<void> => {
  await pause(ABANDONED_MS + MARGIN_MS);
  const response = await fetch(`${service.url}/scim2/Users`, { headers: { authorization: basic(ADMIN) } });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
};

/** The audit of the table. Where large changes were interrupted, what they left may first be removed. */
export const auditAfterSweep = async (service: FaultyService, hasLarge: boolean): Promise<readonly string[]> => {
  const problems = await audit(service.table());
  if (!hasLarge || problems.length === 0) return problems;
  await sweep(service);
  return audit(service.table());
};
