/** A bulk that is too large for the transaction that commits it: what is written before is taken back, or counts. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { ABANDONED_MS } from "#core/directory/memberships/bulk-model.ts";
import { patchGroup, postGroup, removeGroup } from "#core/directory/scim-api/v2/groups.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { load } from "../table/name-index.support.ts";
import { discrepancies } from "./audit.ts";
import { callOn, dyingTable, Killed, viewsOn } from "./killed.support.ts";
import { type Directory, faultOf, foundDirectory } from "./support.ts";

const TENANT = "staged";
/** 74 parts: 4 of them are written before the commit. */
const MEMBERS = 3_300;

let made: TestTable;
let table: Table;
let calm: Directory;
const ids = Array.from({ length: MEMBERS }, () => newId()).sort();
beforeAll(async () => {
  made = await testTable();
  table = made.open(newMeter());
  ({ calm } = await foundDirectory(made, TENANT, 1));
  const users = ids.map((id, at) => userItem(TENANT, freshUser(id, `user.${at}`, 1)));
  await load(made, users);
}, 60_000);
afterEach(() => {
  vi.restoreAllMocks();
});

/** The users have no names, which is all that may be missing. */
const problems = async () => (await discrepancies(made, TENANT)).filter((problem) => !problem.startsWith("user names"));
const sweep = async () => {
  const now = Date.now();
  vi.spyOn(systemClock, "now").mockImplementation(() => now + ABANDONED_MS + 1_000);
  await viewsOn(table, TENANT).ownersOf(ids[0] ?? "");
  vi.restoreAllMocks();
};
const values = ids.map((value) => ({ value }));
const killed = (error: unknown): void => {
  if (!(error instanceof Killed)) throw error;
};

/** Writes before the process dies: the stage, some parts, the commit, some parts that are carried out. */
test.each([
  [1, "is staged", 0],
  [2, "has parts", 0],
  [3, "is committed", MEMBERS],
  [30, "is carried out in part", MEMBERS],
])(
  "a change that dies after %i writes, when it %s, has %i members",
  async (most, _, expected) => {
    const id = await calm.addGroup(`dies after ${most}`);
    const dying = dyingTable(table, most);
    const body = { Operations: [{ op: "add", path: "members", value: values }] };
    await patchGroup(callOn(dying.table, TENANT), { id }, body, {}).catch(killed);
    expect(await viewsOn(table, TENANT).membersOf(id)).toHaveLength(expected);
    // A later change does not wait for what was never committed.
    await calm.part(id, ids[0] ?? "");
    await sweep();
    expect(await problems()).toEqual([]);
    await removeGroup(callOn(table, TENANT), { id });
    expect(await problems()).toEqual([]);
  },
  120_000,
);

test("a group whose name is taken while it is staged leaves nothing", async () => {
  const taking: Table = {
    ...table,
    async write(...steps) {
      await table.write(...steps);
      if (steps.some((step) => "check" in step)) await calm.addGroup("Taken");
    },
  };
  const adding = postGroup(callOn(taking, TENANT), { displayName: "Taken", members: values }, {});
  expect(await faultOf(adding)).toBe("scim.unique");
  expect(await problems()).toEqual([]);
}, 60_000);

test("a stage that was taken back cannot be committed any more", async () => {
  const id = await calm.addGroup("Late");
  let isTakenBack = false;
  const late: Table = {
    ...table,
    async write(...steps) {
      await table.write(...steps);
      if (isTakenBack || !steps.some((step) => "check" in step)) return;
      isTakenBack = true;
      await sweep();
    },
  };
  const body = { Operations: [{ op: "add", path: "members", value: values }] };
  await patchGroup(callOn(late, TENANT), { id }, body, {});
  expect(isTakenBack).toBe(true);
  expect(await viewsOn(table, TENANT).membersOf(id)).toHaveLength(MEMBERS);
  expect(await problems()).toEqual([]);
}, 120_000);
