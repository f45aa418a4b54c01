/**
 * A bulk with a member whose row cannot be changed: it does not stop reads and changes of the others. An error of
 * another kind leaves no member out.
 */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { patchGroup } from "#core/directory/scim-api/v2/groups.ts";
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

test.each([
  ["adds", "add", 0],
  ["removes", "remove", MEMBERS],
] as const)("a bulk that %s members leaves none out for an error that is not about a row", async (_, op, before) => {
  const made = await testTable();
  const table = made.open(newMeter());
  const { calm } = await foundDirectory(made, TENANT, 1);
  const ids = (await Promise.all(Array.from({ length: MEMBERS }, (_one, at) => calm.addUser(`u.${at}`)))).sort();
  const id = await calm.addGroup("Expiring", ids.slice(0, before));
  const body = { Operations: [{ op, path: "members", value: ids.map((value) => ({ value })) }] };
  // The credentials of the process expire after the change is committed, and are renewed a moment later.
  let writes = 0;
  const expiring: Table = {
    ...table,
    async write(...steps) {
      writes += 1;
      if (writes > 1 && writes < 20) {
        throw Object.assign(new Error("The security token is expired"), { name: "ExpiredTokenException" });
      }
      return table.write(...steps);
    },
  };
  await patchGroup(callOn(expiring, TENANT), { id }, body, {}).catch(() => undefined);
  expect(writes).toBeGreaterThan(1);

  const after = op === "add" ? ids : [];
  expect(await viewsOn(table, TENANT).membersOf(id)).toEqual(after);
  expect((await calm.stores.groups.find(TENANT, id))?.memberCount).toBe(after.length);
  expect(await discrepancies(made, TENANT)).toEqual([]);
});
