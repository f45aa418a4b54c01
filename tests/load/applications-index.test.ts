/** What lists and changes of applications cost in a tenant with many: the index of decision 0136. */
import { beforeAll, describe, expect, test } from "vitest";
import { listApplications } from "#core/applications/management/list.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { ShownMemory } from "#core/applications/registry/shown-store.ts";
import { applicationItems, applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { type Meter, newMeter } from "#core/database/table/meter.ts";
import { newId } from "#core/kernel/ids.ts";
import { applicationIndexProblems } from "#tests/support/application-index.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { clientSettings, samlSettings } from "#tests/support/inbound-settings.ts";
import { applicationIndexItems, loadItems } from "#tools/bench/loading.ts";

const TIMEOUT_MS = 600_000;
const subjects = "Payroll Fleet Driver Night Invoice Depot Mobile Partner Harbour Ticket Customer Portal Claims".split(
  " ",
);
const kinds = "Console Gateway Portal App Service Reports Kiosk Sync Bot Dashboard Monitor Admin Planner".split(" ");
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const random = seeded(5);
const below = (count: number): number => Math.floor(random() * count);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const clientIdOf = (): string => Array.from({ length: 28 }, () => letters[below(letters.length)]).join("");

/** Names of two words, most of them with a number; client ids by chance; issuers for a third. */
const anApplication = (at: number): Application => ({
  ...freshApplication(newId(), `${pick(subjects)} ${pick(kinds)} ${at}`, "owner", false),
  inbound: {
    ...(at % 7 > 0 && { oidc: clientSettings(clientIdOf()) }),
    ...(at % 3 === 0 && { saml: samlSettings(`https://sp-${at}.${pick(subjects).toLowerCase()}.example`) }),
  },
});

let table: TestTable;
const made = new Map<number, readonly Application[]>();
const tenantOf = (size: number): string => `tenant-${size}`;

beforeAll(async () => {
  table = await testTable();
  for (const size of [1_187, 10_000]) {
    const applications = Array.from({ length: size }, (_, at) => anApplication(at));
    made.set(size, applications);
    const items = function* () {
      for (const one of applications) yield* applicationItems(tenantOf(size), one);
      yield* applicationIndexItems(tenantOf(size), applications);
      // Every tenant has it: a rename shows with the roles of the application.
      yield { ...keys.shownNames(tenantOf(size)), v: 0 };
    };
    await loadItems(table.endpoint, table.tableName, `${size} applications`, size * 4, items());
    // A container finds out once that the tenant has many.
    await listApplications(coldStore(newMeter()), tenantOf(size), {});
  }
}, TIMEOUT_MS);

/** As a container that remembers no application. */
const coldStore = (meter: Meter) => applicationStore(table.open(meter), 0, { memory: new ShownMemory() });

const ask = async (size: number, query: Parameters<typeof listApplications>[2]) => {
  const meter = newMeter();
  const page = await listApplications(coldStore(meter), tenantOf(size), query);
  return { page, roundTrips: meter.cost.roundTrips, units: meter.cost.readUnits };
};

describe.each([
  // The most units at 1,187 and at 10,000 applications: 15 of them are those of the 30 that are shown.
  { filter: undefined, offset: 0, small: 18, most: 18 },
  { filter: undefined, offset: 600, small: 20, most: 20 },
  { filter: "name co Driver", offset: 0, small: 20, most: 26 },
  { filter: "name ew 77", offset: 0, small: 12, most: 45 },
  { filter: "issuer co harbour", offset: 0, small: 20, most: 27 },
  { filter: "clientId co A", offset: 0, small: 21, most: 45 },
  { filter: "clientId co nothing", offset: 0, small: 6, most: 28 },
  { filter: "clientId sw Ab or name co Kiosk", offset: 30, small: 23, most: 52 },
])("$filter at $offset", ({ filter, offset, small, most }) => {
  test.each([1_187, 10_000])("costs what it shows, at %i", async (size) => {
    const { page, roundTrips, units } = await ask(size, { filter, offset, limit: 30, attributes: "issuer" });
    const [, attribute = "name", operator = "co", value = ""] = /^(\w+) (\w\w) (\S+)$/.exec(filter ?? "name co ") ?? [];
    if (!filter?.includes(" or ")) {
      const textOf = ({ name, inbound: { oidc, saml } }: Application) =>
        ({ name, clientId: oidc?.clientId, issuer: saml?.issuer })[attribute] ?? (value === "" ? "" : "\u0000");
      const isMatch = (one: Application) =>
        operator === "ew" ? textOf(one).endsWith(value) : textOf(one).includes(value);
      const expected = (made.get(size) ?? []).filter(isMatch).toReversed();
      expect(page.totalResults).toBe(expected.length);
      expect(page.applications.map(({ id }) => id)).toEqual(expected.slice(offset, offset + 30).map(({ id }) => id));
    }
    expect(roundTrips).toBeLessThanOrEqual(filter ? 4 : 3);
    expect(units).toBeLessThanOrEqual(size > 5_000 ? most : small);
  });
});

describe("changes", () => {
  const size = 10_000;
  const tenant = tenantOf(size);

  test("a new application costs few write units more, and no round trip", { timeout: TIMEOUT_MS }, async () => {
    const meter = newMeter();
    const store = applicationStore(table.open(meter));
    const count = 400;
    let trips = 0;
    const costs: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const [tripsBefore, unitsBefore] = [meter.cost.roundTrips, meter.cost.writeUnits];
      await store.add(tenant, freshApplication(newId(), `New ${at}`, "owner", false), TAKES_ONLY);
      costs.push(meter.cost.writeUnits - unitsBefore);
      if (meter.cost.roundTrips - tripsBefore === 1) trips += 1;
    }
    // The entry and the application alone are 4 units.
    const average = costs.reduce((sum, one) => sum + one, 0) / count - 4;
    expect(average).toBeLessThan(3);
    expect(trips).toBeGreaterThan(count * 0.9);
  });

  test("renames of any applications and deletions", { timeout: TIMEOUT_MS }, async () => {
    const meter = newMeter();
    const store = applicationStore(table.open(meter));
    const some = (made.get(size) ?? []).filter((_, at) => at % 25 === 0);
    for (const [at, { id }] of some.entries()) {
      await store.update(tenant, id, TAKES_ONLY, (one) => ({ ...one, name: `Renamed ${at}` }));
    }
    const { page } = await ask(size, { limit: 30 });
    expect(page.totalResults).toBe(size + 400);
    const searched = await ask(size, { filter: "name co Renamed", limit: 30 });
    expect(searched.page.totalResults).toBe(some.length);
    for (const { id } of some.slice(0, 100)) await store.remove(tenant, id);
    const { page: last } = await ask(size, { filter: "name co Renamed", limit: 30 });
    expect(last.totalResults).toBe(some.length - 100);
    const { entries } = applicationStore(table.open(newMeter()));
    const rows = await table
      .open(newMeter())
      .getMany((await entries(tenant)).map(({ id }) => keys.application(tenant, id)));
    const stored = rows.flatMap((row) => row ?? []);
    expect(await applicationIndexProblems(table.open(newMeter()), tenant, stored)).toEqual([]);
  });
});
