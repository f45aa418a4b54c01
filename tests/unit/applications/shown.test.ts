/** What a container remembers of listed applications (decision 0139): what it saves, and what it must not show. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { listApplications } from "#core/applications/management/list.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { ShownMemory, shownOf } from "#core/applications/registry/shown-store.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { rehearsal } from "#core/database/table/overlay.ts";
import type { Table } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { foundIndex } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { clientSettings, samlSettings } from "#tests/support/inbound-settings.ts";

const COUNT = 12;
const MINUTE_MS = 60_000;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});
afterEach(() => {
  vi.useRealTimers();
});

const descriptions = async (store: ReturnType<typeof applicationStore>, tenant: string) => {
  const { applications, totalResults } = await listApplications(store, tenant, { limit: COUNT });
  expect(totalResults).toBe(applications.length);
  return applications.map(({ description = "" }) => description);
};

/** The same with the read units that it cost. */
const listed = async (memory: ShownMemory, few: number, tenant: string) => {
  const meter = newMeter();
  const shown = await descriptions(applicationStore(table.open(meter), 0, { few, memory }), tenant);
  return { shown, units: meter.cost.readUnits, roundTrips: meter.cost.roundTrips };
};

/** Another container changes applications. */
const others = (on: Table = table.open(newMeter())) => applicationStore(on);
const described = (description: string) => (before: Application) => ({ ...before, description });

const founded = async (tenant: string): Promise<readonly string[]> => {
  await foundIndex(table.open(newMeter()), tenant);
  const ids = Array.from({ length: COUNT }, () => newId());
  for (const [at, id] of ids.entries())
    await others().add(tenant, freshApplication(id, `App ${at}`, "owner", false), TAKES_ONLY);
  return ids.toReversed();
};

/** Notes of changes are read for two minutes. */
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe.each([
  { reading: "entries", few: COUNT },
  { reading: "the index", few: 3 },
])("reading $reading", ({ reading, few }) => {
  const tenantOf = (name: string) => `${name} of ${reading}`.replaceAll(" ", "-");

  test("a second list reads no application again", async () => {
    const tenant = tenantOf("twice");
    await founded(tenant);
    const memory = new ShownMemory();
    await listed(memory, few, tenant);
    const cold = await listed(new ShownMemory(), few, tenant);
    const warm = await listed(memory, few, tenant);
    expect(warm.shown).toEqual(cold.shown);
    expect(cold.units - warm.units).toBe(COUNT / 2);
    expect(cold.roundTrips - warm.roundTrips).toBe(1);
  });

  test("a list shows changes, new ones and deletions of another container at once", async () => {
    const tenant = tenantOf("changes");
    const ids = await founded(tenant);
    const memory = new ShownMemory();
    await listed(memory, few, tenant);
    await others().update(tenant, ids[3] ?? "", TAKES_ONLY, described("changed"));
    await others().remove(tenant, ids[5] ?? "");
    await others().add(tenant, { ...freshApplication(newId(), "New", "owner", false), description: "new" }, TAKES_ONLY);
    const { shown } = await listed(memory, few, tenant);
    expect(shown).toEqual(["new", "", "", "", "changed", ...Array.from({ length: COUNT - 5 }, () => "")]);
  });

  test("a change is shown also where no list has met its note in time", async () => {
    const tenant = tenantOf("late");
    vi.useFakeTimers({ toFake: ["Date"] });
    const ids = await founded(tenant);
    const memory = new ShownMemory();
    await listed(memory, few, tenant);
    later(MINUTE_MS / 2);
    await others().update(tenant, ids[0] ?? "", TAKES_ONLY, described("changed"));
    later(3 * MINUTE_MS);
    expect((await listed(memory, few, tenant)).shown[0]).toBe("changed");
  });

  test("a rehearsal shows its own changes, and nothing of them remains", async () => {
    const tenant = tenantOf("rehearsal");
    const ids = await founded(tenant);
    const memory = new ShownMemory();
    await listed(memory, few, tenant);
    const tried = applicationStore(rehearsal(table.open(newMeter())), 0, { few, memory });
    await tried.update(tenant, ids[0] ?? "", TAKES_ONLY, described("tried"));
    expect((await descriptions(tried, tenant))[0]).toBe("tried");
    expect((await listed(memory, few, tenant)).shown[0]).toBe("");
  });
});

test("lists that are a minute apart keep what they remember; after more than a minute they read again", async () => {
  const tenant = "apart";
  vi.useFakeTimers({ toFake: ["Date"] });
  await founded(tenant);
  later(5 * MINUTE_MS);
  // The container finds out that they are many.
  await listed(new ShownMemory(), 3, tenant);
  const memory = new ShownMemory();
  const cold = await listed(memory, 3, tenant);
  for (let at = 0; at < 5; at += 1) {
    later(MINUTE_MS - 1_000);
    expect((await listed(memory, 3, tenant)).units).toBe(cold.units - COUNT / 2);
  }
  later(MINUTE_MS + 1_000);
  expect((await listed(memory, 3, tenant)).units).toBe(cold.units);
});

const one = (id: string, version: number) =>
  shownOf({ value: { ...freshApplication(id, id, "owner", false), description: `${version}` }, version });

test("no secret is remembered", () => {
  const inbound = { oidc: clientSettings("client"), saml: samlSettings("https://sp.example") };
  const shown = shownOf({
    value: { ...freshApplication(newId(), "a", "owner", false), inbound, kept: "k" },
    version: 1,
  });
  expect(JSON.stringify(shown)).not.toMatch(/sealed|kept|owner/);
});

describe("the memory", () => {
  test("keeps a later version when an earlier one comes after it", () => {
    const memory = new ShownMemory();
    memory.remember("t", one("a", 3), 100);
    memory.remember("t", one("a", 2), 200);
    expect(memory.recall("t", "a", 1)?.entry.version).toBe(3);
    expect(memory.recall("t", "a", 4)).toBeUndefined();
  });

  test("does not answer for another tenant, or for a time after it was read", () => {
    const memory = new ShownMemory();
    memory.remember("t", one("a", 3), 100);
    // Without a time, the version may have been an old one already.
    memory.remember("t", one("a", 3), 0);
    expect(memory.recall("t", "a", 3, 100)).toBeDefined();
    expect(memory.recall("t", "a", 3, 101)).toBeUndefined();
    expect(memory.recall("u", "a", 3)).toBeUndefined();
  });

  test("forgets what was shown the longest ago", () => {
    const memory = new ShownMemory(2);
    memory.remember("t", one("a", 1), 0);
    memory.remember("t", one("b", 1), 0);
    memory.remember("t", one("a", 1), 0);
    memory.remember("t", one("c", 1), 0);
    expect(["a", "b", "c"].map((id) => memory.recall("t", id, 1) !== undefined)).toEqual([true, false, true]);
  });
});
