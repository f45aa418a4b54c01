/** The names that a container remembers: never an old one for long, and no round trip where nothing has changed. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { groupStore } from "#core/identities/groups/store.ts";
import { type NameStore, nameStore, newNameMemory } from "#core/identities/memberships/shown-names.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
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
/** Names as one container knows them; `reads` tells what it asked the groups for. */
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
  const found = await from.find(calm.tenant, await from.version(calm.tenant), ids);
  return Object.fromEntries(found);
};
/** Asks until names have settled. */
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

test("a name is read once, and not again while no name changes", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  const other = await calm.addGroup("Harbour");
  expect(await shown([id, other, id])).toEqual({ [id]: "Airport", [other]: "Harbour" });
  expect(reads).toEqual([[other]]);
  expect(await shown([id, other])).toEqual({ [id]: "Airport", [other]: "Harbour" });
  expect(reads).toEqual([]);
});

test("another name shows at once, in every container", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  await calm.changeGroup(id, { displayName: "Airports" });
  expect(await shown([id])).toEqual({ [id]: "Airports" });
  await calm.removeGroup(id);
  expect(await shown([id])).toEqual({});
});

test("what a version shows a moment before the name does is not kept", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  // The version is that of the new name already; the group is not.
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

describe("a group that is not there", () => {
  test("is looked for again for a minute, because it may be in the making", async () => {
    const id = await calm.addGroup("Large");
    await table.write({
      change: keys.group(calm.tenant, id),
      set: { unfinished: true },
      when: "present",
      otherwise: () => new Error("gone"),
    });
    for (const afterMs of [0, 10, 30_000]) {
      nowMs += afterMs;
      expect(await shown([id])).toEqual({});
      expect(reads).toEqual([[id]]);
    }
    await table.write({
      change: keys.group(calm.tenant, id),
      clear: ["unfinished"],
      when: "present",
      otherwise: () => new Error("gone"),
    });
    nowMs += 40_000;
    expect(await shown([id])).toEqual({ [id]: "Large" });
  });

  test("is not looked for any more after that", async () => {
    await shown(["nothing"]);
    nowMs += 60_000;
    await shown(["nothing"]);
    expect(reads).toEqual([["nothing"]]);
    expect(await shown(["nothing"])).toEqual({});
    expect(reads).toEqual([]);
  });
});

test("a reader who is behind reads for itself and forgets nothing", async () => {
  const id = await calm.addGroup("Airport");
  await settled(id);
  const version = await names.version(calm.tenant);
  expect(Object.fromEntries(await names.find(calm.tenant, version - 1, [id]))).toEqual({ [id]: "Airport" });
  await shown([id]);
  expect(reads).toEqual([]);
});

test("no id and no name of another kind confuses it", async () => {
  expect(await shown(["__proto__", "constructor"])).toEqual({});
  expect(await shown([])).toEqual({});
  expect(reads).toEqual([]);
});
