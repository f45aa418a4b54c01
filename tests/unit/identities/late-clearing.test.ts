/** What a deleted user or group leaves is cleared by a later request, after its roles have been changed. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Item, Step } from "#core/database/table/table.ts";
import { clearGroup, groupClearing } from "#core/directory/groups/bulk-store.ts";
import type { OpenBulk } from "#core/directory/memberships/bulk-model.ts";
import { clearOwners, removingOwners } from "#core/directory/users/clearing-store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "example.com";
const HOUR_MS = 3_600_000;
/** More than the transaction of the deletion removes. */
const ROLES = 13;

const putting = (put: Item): Step => ({ put, when: "any", otherwise: stale });
const clearingOf = (kind: "user" | "group", id: string, roleIds: readonly string[]) => {
  if (kind === "group") return groupClearing({ tenant: TENANT, id }, roleIds);
  const user = freshUser(id, "late", 0, { roleIds });
  return removingOwners(TENANT, user, 0, { deleted: new Set(), room: 90 });
};

test.each(["user", "group"] as const)("a %s that is cleared late sets no role back in time", async (kind) => {
  const table = (await testTable()).open(newMeter());
  const id = newId();
  const roleIds = Array.from({ length: ROLES }, newId);
  const now = systemClock.now();
  const changedMs = now - HOUR_MS / 2;
  const { open, steps } = clearingOf(kind, id, roleIds);
  if (!open) throw new Error("nothing is left to do after the deletion");
  const pairOf = kind === "user" ? keys.roleUser : keys.roleGroup;
  await table.write(
    ...roleIds.flatMap((roleId) => [
      putting({ ...keys.role(TENANT, roleId), ver: 1, modified: changedMs }),
      putting({ ...pairOf(TENANT, roleId, id) }),
    ]),
    putting({ ...keys.shownNames(TENANT), v: 0 }),
    ...steps.filter((step) => "put" in step),
  );
  const late: OpenBulk = { ...open, bulk: { ...open.bulk, sinceMs: now - HOUR_MS } };
  await (kind === "user" ? clearOwners(table, TENANT, late) : clearGroup(table, TENANT, late, { deletedDays: 0 }));
  const roles = await table.getMany(roleIds.map((roleId) => keys.role(TENANT, roleId)));
  expect(roles.map((role) => [role?.ver, Number(role?.modified) >= now])).toEqual(roleIds.map(() => [2, true]));
  const pairs = await table.getMany(roleIds.map((roleId) => pairOf(TENANT, roleId, id)));
  expect(pairs.filter((pair) => pair)).toEqual([]);
});
