/** The cache of names in a container: no outdated name, and no round trip while nothing changes. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { overlay } from "#core/database/table/overlay.ts";
import type { Table } from "#core/database/table/table.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { type NameStore, nameStore, newNameMemory, renamingStep } from "#core/directory/memberships/shown-names.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Directory, foundDirectory } from "../identities/support.ts";

let made: TestTable;
let calm: Directory;
let round = 0;
beforeAll(async () => {
  made = await testTable();
});

let nowMs = 0;
let reads: string[][] = [];
let names: NameStore;
let table: Table;
/** The cache of one container; `reads` lists its reads of groups. */
const container = (): NameStore => {
  const clock = () => nowMs;
  const groups = groupStore(table);
  const read = (tenant: string, ids: readonly string[]) => {
    reads.push([...ids]);
    return groups.namesOf(tenant, ids);
  };
  return nameStore(table, newNameMemory(clock), [read], clock);
};
const shown = async (ids: readonly string[], from = names) => {
  reads = [];
  const found = await from.find(calm.tenant, (await from.state(calm.tenant)).version, ids);
  return Object.fromEntries(found);
};
/** Reads names until they are cached. */
const settled = async (...ids: readonly string[]) => {
  await shown(ids);
  nowMs += 1_000;
  await shown(ids);
  expect(await shown(ids)).toBeDefined();
  expect(reads).toEqual([]);
};

beforeEach(async () => {
  round += 1;
  ({ calm } = await foundDirectory(made, `names-${round}`, 1));
  table = made.open(newMeter());
  names = container();
});

test("reads a name once while no name changes", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  const other = await calm.addGroup("Harbour");
  expect(await shown([id, other, id])).toEqual({ [id]: "Airport", [other]: "Harbour" });
  expect(reads).toEqual([[other]]);
  expect(await shown([id, other])).toEqual({ [id]: "Airport", [other]: "Harbour" });
  expect(reads).toEqual([]);
});

test("shows another name at once, in every container", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  await calm.changeGroup(id, { displayName: "Airports" });
  expect(await shown([id])).toEqual({ [id]: "Airports" });
  await calm.removeGroup(id);
  expect(await shown([id])).toEqual({});
});

test("does not cache a name that is read an instant after its version changed", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  // The version is that of the new name; the group still has the old one.
  await table.count(keys.shownNames(calm.tenant), { v: 1 });
  expect(await shown([id])).toEqual({ [id]: "Airport" });
  await table.write({
    change: keys.group(calm.tenant, id),
    set: { displayName: "Airports" },
    when: "present",
    otherwise: () => new Error("gone"),
  });
  nowMs += 500;
  expect(await shown([id])).toEqual({ [id]: "Airports" });
});

describe("a group that does not exist", () => {
  test("is read again for a minute, because it may be being created", async () => {
    const id = await calm.addGroup("Large");
    const key = keys.group(calm.tenant, id);
    const row = await table.get(key);
    await table.forget(key);
    for (const afterMs of [0, 10, 30_000]) {
      nowMs += afterMs;
      expect(await shown([id])).toEqual({});
      expect(reads).toEqual([[id]]);
    }
    if (row) await table.write({ put: row, when: "absent", otherwise: () => new Error("there") });
    nowMs += 40_000;
    expect(await shown([id])).toEqual({ [id]: "Large" });
  });

  test("is not read again after that", async () => {
    await shown(["nothing"]);
    nowMs += 60_000;
    await shown(["nothing"]);
    expect(reads).toEqual([["nothing"]]);
    expect(await shown(["nothing"])).toEqual({});
    expect(reads).toEqual([]);
  });
});

test("leaves the cache unchanged for a reader with an older version", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  const { version } = await names.state(calm.tenant);
  expect(Object.fromEntries(await names.find(calm.tenant, version - 1, [id]))).toEqual({ [id]: "Airport" });
  await shown([id]);
  expect(reads).toEqual([]);
});

test.each(["for good", "until later"] as const)("caches no name of a table that keeps writes %s", async (keeps) => {
  const id = await calm.addGroup("Airport");
  const clock = () => nowMs;
  const memory = newNameMemory(clock);
  const on = (kept: Table) => nameStore(kept, memory, [groupStore(kept).namesOf], clock);
  const tried = { ...overlay(table), keeps };
  // The names have the version that the change of another writer will have.
  await tried.write(renamingStep(calm.tenant), {
    change: keys.group(calm.tenant, id),
    set: { displayName: "Rehearsed" },
    when: "present",
    otherwise: () => new Error("absent"),
  });
  for (let reading = 0; reading < 3; reading += 1) {
    expect(await shown([id], on(tried))).toEqual({ [id]: "Rehearsed" });
    nowMs += 1_000;
  }
  await calm.changeGroup(id, { displayName: "Renamed" });
  expect(await shown([id], on(table))).toEqual({ [id]: "Renamed" });
});

test("accepts names of object members as ids", async () => {
  expect(await shown(["__proto__", "constructor"])).toEqual({});
  expect(await shown([])).toEqual({});
  expect(reads).toEqual([]);
});
