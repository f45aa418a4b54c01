/**
 * What happens to assignments when a user, group, role or application is deleted, restored, or removed for good
 * (decision 0170). It follows the deletion: what a request leaves that ends early gives no user access, because no user
 * is that principal or a member of it, and no list shows it.
 */
import { keys } from "../../database/table/keys.ts";
import { stale } from "../../database/table/stale.ts";
import type { Item, Step, Table } from "../../database/table/table.ts";
import { leftToOthers } from "../../database/table/timing.ts";
import { expiryOf, expiryWithSlack } from "../../database/trash/model.ts";
import { systemClock } from "../../kernel/clock.ts";
import { concurrently } from "../../kernel/concurrently.ts";
import { canBeId } from "../../kernel/ids.ts";
import type { Assigned } from "./assignment-model.ts";
import { pairIn, reverseIn, reverseItem, reverseKey } from "./assignment-rows.ts";
import { type AssignmentFaults, assignedAmong, updateAssignments } from "./assignments.ts";
import { ignoreFault } from "./bulk.ts";

const ROWS_PER_PAGE = 8_000;
const APPLICATIONS_AT_ONCE = 8;
/** Assignments that are forgotten in one transaction: two steps each. */
const FORGOTTEN_AT_ONCE = 40;

/** For changes that assign nothing new. */
const never: AssignmentFaults = {
  taken: () => stale(),
  full: () => new Error("an assignment that comes back has no room"),
};

/**
 * Deletes a principal by `deleting`, and then its assignments. They are read while it is deleted, so that they cost no
 * round trip where there are none. `days`: for how long it can be restored, with its assignments. Who still has much to
 * remove after the deletion calls `clearing` first: until then, members of a deleted group would have access by it.
 */
export async function withoutAssignments(
  table: Table,
  tenant: string,
  assigned: Assigned,
  days: number,
  deleting: (clearing: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const reading = canBeId(assigned.id) ? applicationsOf(table, tenant, assigned) : Promise.resolve([]);
  reading.catch(() => undefined);
  let cleared: Promise<void> | undefined;
  const clearing = (): Promise<void> => {
    const untilSeconds = days > 0 ? expiryWithSlack(expiryOf(systemClock.now(), days)) : undefined;
    cleared ??= reading.then((rows) => clear(leftToOthers(table), tenant, assigned, rows, untilSeconds));
    return cleared.catch(ignoreFault);
  };
  await deleting(clearing);
  await clearing();
}

async function clear(
  table: Table,
  tenant: string,
  assigned: Assigned,
  rows: readonly Item[],
  untilSeconds: number | undefined,
): Promise<void> {
  const ids = rows.map(reverseIn).flatMap(({ applicationId, isGone }) => (isGone ? [] : [applicationId]));
  await concurrently(ids, APPLICATIONS_AT_ONCE, async (applicationId) => {
    await updateAssignments(table, { tenant, applicationId }, never, async () => {
      const [pair] = await assignedAmong(table, tenant, applicationId, [assigned]);
      return pair && { adding: [], removing: [assigned], steps: [] };
    });
    if (untilSeconds === undefined) return;
    const put = reverseItem(tenant, applicationId, assigned, untilSeconds);
    await table.write({ put, when: "absent", otherwise: () => "applied" });
  });
}

/** Gives a restored principal the assignments back that it had. One round trip where it had none. */
export async function returnAssignments(given: Table, tenant: string, assigned: Assigned): Promise<void> {
  const rows = (await applicationsOf(given, tenant, assigned)).map(reverseIn).filter(({ isGone }) => isGone);
  const table = leftToOthers(given);
  await concurrently(rows, APPLICATIONS_AT_ONCE, ({ applicationId }) =>
    updateAssignments(table, { tenant, applicationId }, never, async () => {
      const [pair] = await assignedAmong(table, tenant, applicationId, [assigned]);
      return pair ? undefined : { adding: [assigned], removing: [], steps: [] };
    }),
  ).catch(ignoreFault);
}

/** Removes the assignments of an application that is removed for good. One round trip where it has none. */
export async function forgetAssignments(given: Table, tenant: string, applicationId: string): Promise<void> {
  const table = leftToOthers(given);
  const { PK, SK } = keys.assignments(tenant, applicationId);
  for (;;) {
    const { items } = await table.query({ PK, limit: FORGOTTEN_AT_ONCE });
    const pairs = items.filter((item) => item.SK !== SK);
    if (pairs.length === 0) break;
    await table.write(
      ...pairs.flatMap((item): Step[] => [
        { remove: { PK, SK: item.SK }, when: "any", otherwise: stale },
        { remove: reverseKey(tenant, applicationId, pairIn(item)), when: "any", otherwise: stale },
      ]),
    );
    // Where writes are kept back, these rows would be read again.
    if (table.keeps) return;
  }
  await table.forget({ PK, SK });
}

/** The rows of the applications that a principal is, or was, assigned to. One round trip. */
function applicationsOf(table: Table, tenant: string, assigned: Assigned): Promise<readonly Item[]> {
  return table.queryAll({ PK: reverseKey(tenant, "-", assigned).PK, limit: ROWS_PER_PAGE });
}
