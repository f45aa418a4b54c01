/** A bulk with a member whose row cannot be changed: it does not stop reads and changes of the others. */
import { expect, test } from "vitest";
import { patchGroup } from "#core/scim-api/v2/groups.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { testTable } from "#tests/support/engine.ts";
import { discrepancies } from "./audit.ts";
import { callOn, dyingTable, Killed, viewsOn } from "./killed.support.ts";
import { foundDirectory } from "./support.ts";

const TENANT = "damaged";
const MEMBERS = 60;

test.each([
  ["adds", "add", 0, MEMBERS - 1],
  // The damaged user cannot leave.
  ["removes", "remove", MEMBERS, 1],
] as const)("is left out of a bulk that %s members", async (_, op, before, after) => {
  const made = await testTable();
  const table = made.open(newMeter());
  const { calm } = await foundDirectory(made, TENANT, 1);
  const ids = (await Promise.all(Array.from({ length: MEMBERS }, (_, at) => calm.addUser(`u.${at}`)))).sort();
  const [damaged = "", ...others] = ids;
  const name = (await calm.stores.users.find(TENANT, damaged))?.userName ?? "";
  const id = await calm.addGroup("Damaged", ids.slice(0, before));
  const body = { Operations: [{ op, path: "members", value: ids.map((value) => ({ value })) }] };
  const ended = await patchGroup(callOn(dyingTable(table, 1).table, TENANT), { id }, body, {}).catch(
    (error: unknown) => error,
  );
  expect(ended).toBeInstanceOf(Killed);

  const set = (userName: string | number) =>
    table.write({
      change: keys.user(TENANT, damaged),
      set: { userName },
      when: "present",
      otherwise: () => new Error("gone"),
    });
  await set(7);
  expect(await viewsOn(table, TENANT).membersOf(id)).toEqual(op === "add" ? others : [damaged]);
  expect((await calm.stores.groups.find(TENANT, id))?.memberCount).toBe(after);
  await set(name);
  expect(await discrepancies(made, TENANT)).toEqual([]);
});
