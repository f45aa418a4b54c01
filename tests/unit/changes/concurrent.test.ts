/**
 * Requests that change one resource at the same time, one of them held up before its transaction: the ids of records are
 * in the order in which the changes happened, and each record says what was there before it.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { lanes, recordRange, toRecord } from "#core/database/changes/record-rows.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { stale } from "#core/database/table/stale.ts";
import type { Key, Step, Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { startingAt } from "#core/events/delivery/model.ts";
import { subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import { pause } from "#core/kernel/clock.ts";
import type { ApiResource } from "#core/kernel/domain/api-resource.ts";
import { newId } from "#core/kernel/ids.ts";
import { causedIn } from "#tests/support/caused.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { subscriberOf } from "#tests/unit/events/support.ts";

const TENANT = "example.com";

let made: TestTable;
beforeAll(async () => {
  made = await testTable();
});
const plain = (): Table => made.open(newMeter());
const recorded = (table = plain()): Table => causedIn(TENANT, "patchGroup", table);

/** A request whose next transaction waits until `release` is called. */
const held = () => {
  let release = (): void => undefined;
  let reached = (): void => undefined;
  const gate = new Promise<void>((open) => {
    release = open;
  });
  const arrived = new Promise<void>((open) => {
    reached = open;
  });
  const table = plain();
  const write: Table["write"] = async (...steps) => {
    reached();
    await gate;
    return table.write(...steps);
  };
  return { table: recorded({ ...table, write }), arrived, release };
};

/** Changes of one resource in one millisecond collide, and are decided again by their stores. */
const nextMillisecond = (): Promise<void> => pause(2);
const write = async (...steps: readonly Step[]): Promise<void> => {
  await nextMillisecond();
  await recorded().write(...steps);
};

const recordsOf = async (id: string): Promise<ChangeRecord[]> => {
  const items = await Promise.all(
    lanes.map((lane) => plain().queryAll({ ...recordRange(TENANT, lane, {}), limit: 100 })),
  );
  const records = items.flat().map((item) => toRecord(TENANT, item).record);
  return records.filter(({ resource }) => resource.id === id).sort((a, b) => (a.id < b.id ? -1 : 1));
};

const touch = (key: Key): Step => ({ change: key, add: { ver: 1 }, when: { lacking: ["bulk"] }, otherwise: stale });
const adding = (group: string, user: string): Step[] => [
  { put: { ...keys.member(TENANT, group, user), name: "n" }, when: "absent", otherwise: stale },
  touch(keys.group(TENANT, group)),
];
const removing = (group: string, user: string): Step[] => [
  { remove: keys.member(TENANT, group, user), when: "present", otherwise: stale },
  touch(keys.group(TENANT, group)),
];
const newGroup = async (): Promise<string> => {
  const id = newId();
  const row = { ...keys.group(TENANT, id), displayName: "g", userStore: "PRIMARY", ver: 1 };
  await recorded().write({ put: row, when: "absent", otherwise: stale });
  return id;
};
const pathsOf = (records: readonly ChangeRecord[]) =>
  records.flatMap(({ changes }) => changes.map(({ op, path }) => `${op} ${path}`));

describe("members of a group", () => {
  test("are added at the same time, without a conflict", async () => {
    const group = await newGroup();
    const late = held();
    await nextMillisecond();
    const writing = late.table.write(...adding(group, "a"));
    await late.arrived;
    await write(...adding(group, "b"));
    late.release();
    await writing;
    expect(pathsOf(await recordsOf(group)).sort()).toEqual(["add ", "add /members/a", "add /members/b"]);
  });
  test("cannot be added with a time before that of a removal which they come after", async () => {
    const group = await newGroup();
    const late = held();
    await nextMillisecond();
    const writing = late.table.write(...adding(group, "x"));
    await late.arrived;
    await write(...adding(group, "x"));
    await write(...removing(group, "x"));
    late.release();
    await expect(writing).rejects.toThrow("has changed");
    // What a store does then.
    await nextMillisecond();
    await late.table.write(...adding(group, "x"));
    expect(pathsOf(await recordsOf(group))).toEqual(["add ", "add /members/x", "remove /members/x", "add /members/x"]);
  });
  test("nor removed with such a time", async () => {
    const group = await newGroup();
    await write(...adding(group, "y"));
    const late = held();
    await nextMillisecond();
    const writing = late.table.write(...removing(group, "y"));
    await late.arrived;
    await write(...removing(group, "y"));
    await write(...adding(group, "y"));
    late.release();
    await expect(writing).rejects.toThrow("has changed");
    await nextMillisecond();
    await late.table.write(...removing(group, "y"));
    expect(pathsOf(await recordsOf(group)).slice(2)).toEqual([
      "remove /members/y",
      "add /members/y",
      "remove /members/y",
    ]);
  });
});

test("a tenant that is deactivated twice at once has one record, which says what was there before", async () => {
  const tenant = { domain: TENANT, id: newId(), active: true, createdMs: 1, administrator: "1" };
  await recorded().write(...tenantStore(recorded()).adding(tenant, stale));
  const late = held();
  const change = { absent: () => new Error("absent"), telling: () => [] };
  const setting = tenantStore(late.table).setActive(TENANT, false, change);
  await late.arrived;
  await tenantStore(recorded()).setActive(TENANT, false, change);
  late.release();
  await setting;
  const all = (
    await Promise.all(lanes.map((lane) => plain().queryAll({ ...recordRange(TENANT, lane, {}), limit: 100 })))
  ).flat();
  const changes = all
    .map((item) => toRecord(TENANT, item).record)
    .filter(({ resource }) => resource.type === "tenant")
    .flatMap((record) => record.changes)
    .filter(({ path }) => path === "/active");
  expect(changes).toEqual([{ op: "replace", path: "/active", value: false, from: true }]);
});

test.each([true, false])("a tenant whose status was read before another request changed it: from %s", async (was) => {
  const domain = `${was}.${TENANT}`;
  const tenant = { domain, id: newId(), active: was, createdMs: 1, administrator: "1" };
  await recorded().write(...tenantStore(recorded()).adding(tenant, stale));
  const late = recorded();
  const known = (await tenantStore(late).find(domain))?.active;
  const change = { absent: () => new Error("absent"), telling: () => [] };
  await nextMillisecond();
  await tenantStore(recorded()).setActive(domain, !was, change);
  // As it has read it: there is nothing to do. What another request has done since stays, and has its record.
  await tenantStore(late).setActive(domain, was, { ...change, known });
  expect((await tenantStore(plain()).find(domain))?.active).toBe(!was);
  await nextMillisecond();
  await tenantStore(late).setActive(domain, was, change);
  const items = await Promise.all(
    lanes.map((lane) => plain().queryAll({ ...recordRange(domain, lane, {}), limit: 100 })),
  );
  const records = items
    .flat()
    .map((item) => toRecord(domain, item).record)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(records.flatMap(({ changes }) => changes).filter(({ path }) => path === "/active")).toEqual([
    { op: "replace", path: "/active", value: !was, from: was },
    { op: "replace", path: "/active", value: was, from: !was },
  ]);
});

test("a tenant that is deactivated after a request has read it, and that this request leaves out of lists", async () => {
  const domain = `unlisted.${TENANT}`;
  const tenant = { domain, id: newId(), active: true, createdMs: 1, administrator: "1" };
  await recorded().write(...tenantStore(recorded()).adding(tenant, stale));
  const late = recorded();
  await tenantStore(late).find(domain);
  await nextMillisecond();
  const absent = () => new Error("absent");
  await tenantStore(recorded()).setActive(domain, false, { absent, telling: () => [] });
  await nextMillisecond();
  await tenantStore(late).leaveOut(domain, { absent, active: () => new Error("active") });
  expect(await tenantStore(plain()).listed()).not.toContain(domain);
  expect(await tenantStore(plain()).domains()).toContain(domain);
});

test("two restores of versions of an API that both bring back one of its scopes: both take effect", async () => {
  const [id, scopeId] = [newId(), newId()];
  const api: ApiResource = {
    id,
    identifier: "concurrent",
    name: "first",
    type: "BUSINESS",
    requiresAuthorization: true,
    scopes: [{ id: scopeId, name: "concurrent.read", displayName: "read" }],
  };
  await apiResourceStore(recorded()).add(TENANT, api);
  await nextMillisecond();
  await apiResourceStore(recorded()).update(TENANT, id, (now) => ({ ...now, scopes: [] }));
  const late = held();
  const restoring = apiResourceStore(late.table).update(TENANT, id, () => ({ ...api, name: "late" }));
  await late.arrived;
  await nextMillisecond();
  await apiResourceStore(recorded()).update(TENANT, id, () => ({ ...api, name: "early" }));
  await nextMillisecond();
  late.release();
  await restoring;
  expect(await apiResourceStore(plain()).find(TENANT, id)).toEqual({ ...api, name: "late" });
});

test("two changes of the address of a webhook at once: both take effect, one after the other", async () => {
  const id = newId();
  const group = { name: "group", most: 5, has: () => true, full: () => new Error("full") };
  const added = { group, taken: () => new Error("taken") };
  const webhook = (claim: string) => subscriberOf(id, { claim, settings: { name: claim } });
  await subscriberStore(recorded()).add(TENANT, webhook("https://a.example"), startingAt("0"), added);
  const to = (table: Table, claim: string, name: string) =>
    subscriberStore(table).update(
      TENANT,
      id,
      () => ({ subscriber: { ...webhook(claim), settings: { name } } }),
      added.taken,
    );
  const nameOf = async () => (await subscriberStore(plain()).find(TENANT, id))?.subscriber.settings.name;
  const [late, same] = [held(), held()];
  const changing = to(late.table, "https://late.example", "late");
  await late.arrived;
  await nextMillisecond();
  await to(recorded(), "https://first.example", "first");
  // The address of the others, under another name.
  const again = to(same.table, "https://late.example", "same");
  await same.arrived;
  late.release();
  await changing;
  expect(await nameOf()).toBe("late");
  await nextMillisecond();
  same.release();
  await again;
  expect(await nameOf()).toBe("same");
  const records = await recordsOf(id);
  const names = records.flatMap(({ changes }) => changes).filter(({ path }) => path === "/name");
  expect(names.map(({ value }) => value)).toEqual(["first", "late", "same"]);
});

test("many members are recorded once, also where their transaction is repeated after a conflict", async () => {
  const [id, bulk, other] = [newId(), newId(), newId()];
  const table = recorded();
  const key = keys.group(TENANT, id);
  const steps = (when: "present" | "absent"): Step[] => [
    {
      put: { ...key, id, displayName: "many", userStore: "PRIMARY", ver: 1, bulk: `1.1.adding.${bulk}` },
      when: "absent",
      otherwise: stale,
    },
    {
      put: { ...keys.bulkPart(key, bulk, 0), adding: ["M#a", "M#b"], removing: [] },
      when: "absent",
      otherwise: stale,
    },
    { check: keys.group(TENANT, other), when, otherwise: stale },
  ];
  await expect(table.write(...steps("present"))).rejects.toThrow("has changed");
  await table.write(...steps("absent"));
  const [record] = await recordsOf(id);
  expect(record?.changes.map(({ path }) => path)).toEqual(["", "/members/a", "/members/b"]);
});
