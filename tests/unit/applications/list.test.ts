/** What a filter of the list of applications reads: the rows of the values that it names, or all entries. */
import { beforeAll, describe, expect, test } from "vitest";
import { listApplications } from "#core/applications/management/list.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { ShownMemory } from "#core/applications/registry/shown-store.ts";
import { applicationItems, applicationStore } from "#core/applications/registry/store.ts";
import { type Meter, newMeter } from "#core/database/table/meter.ts";
import { LAST } from "#core/database/table/table.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { clientSettings, samlSettings } from "#tests/support/inbound-settings.ts";
import { loadItems } from "#tools/bench/loading.ts";

const COUNT = 400;
const HERE = "here";
const LONG = `https://long.example/${"x".repeat(2_000)}`;

let table: TestTable;

const items = function* () {
  for (let at = 0; at < COUNT; at += 1) {
    yield* applicationItems(HERE, {
      ...freshApplication(newId(), `App ${at}`, "owner", false),
      inbound: {
        ...(at % 10 !== 0 && { oidc: clientSettings(`client_${at}`) }),
        ...(at % 10 === 1 && { saml: samlSettings(at === 11 ? LONG : `https://sp-${at}.example`) }),
      },
    });
  }
  yield* applicationItems(HERE, freshApplication(newId(), `${LAST}${LAST} last`, "owner", false));
  yield* applicationItems("there", {
    ...freshApplication(newId(), "App there", "owner", false),
    inbound: { oidc: clientSettings("client_there"), saml: samlSettings("https://sp-there.example") },
  });
};

/** As a container that remembers nothing. */
const coldStore = (meter: Meter) => applicationStore(table.open(meter), 0, { memory: new ShownMemory() });

const ask = async (filter: string) => {
  const meter = newMeter();
  const page = await listApplications(coldStore(meter), HERE, { filter, limit: 100 });
  const { roundTrips, readUnits, writeUnits } = meter.cost;
  expect(writeUnits).toBe(0);
  expect(page.totalResults).toBe(page.applications.length);
  return { names: page.applications.map(({ name }) => name), roundTrips, readUnits };
};

beforeAll(async () => {
  table = await testTable();
  await loadItems(table.endpoint, table.tableName, "applications", COUNT * 3, items());
});

describe("reads the row of a value, and its application", () => {
  test.each([
    ["name eq App 7", ["App 7"], 2, 1.5],
    ["clientId eq client_7", ["App 7"], 2, 2],
    ["issuer eq https://sp-31.example", ["App 31"], 2, 2],
    [`issuer eq ${LONG}`, ["App 11"], 2, 2],
    ["name eq App 7 and clientId co client", ["App 7"], 2, 1.5],
    ["clientId co client and (name eq App 7 or clientId eq client_9)", ["App 9", "App 7"], 3, 3.5],
    ["clientId eq client_7 and name eq App 7", ["App 7"], 2, 1.5],
    ["clientId eq client_7 or clientId eq client_7", ["App 7"], 2, 2],
    ["name eq App 31 or issuer eq https://sp-31.example", ["App 31"], 2, 3],
    [
      "name eq App 31 or clientId eq client_12 or issuer eq https://sp-1.example",
      ["App 31", "App 12", "App 1"],
      3,
      5.5,
    ],
  ])("filter %#", async (filter, names, roundTrips, readUnits) => {
    expect(await ask(filter)).toEqual({ names, roundTrips, readUnits });
  });
});

describe("reads the entries of names that begin so, and their applications", () => {
  const twelve = ["App 399", "App 39", ...Array.from({ length: 9 }, (_, at) => `App ${398 - at}`)];
  test.each([
    ["name sw App 39", [twelve[0], ...twelve.slice(2), twelve[1]], 1 + 11 / 2],
    ["name sw App 399", ["App 399"], 1.5],
    ["name co 9 and name sw App 38", ["App 389"], 1.5],
    ["name sw A and name sw App 399", ["App 399"], 1.5],
    ["name sw App 399 or name sw App 39", [twelve[0], ...twelve.slice(2), twelve[1]], 1 + 11 / 2],
    ["name sw App 399 or clientId eq client_399 or name eq App 399", ["App 399"], 1 + 3],
    ["name sw App 399 and clientId eq client_398", [], 2],
    [`name sw ${LAST}`, [`${LAST}${LAST} last`], 1.5],
    [`name sw "${"é".repeat(128)}"`, [], 0],
  ])("filter %#", async (filter, names, readUnits) => {
    const { roundTrips: _, ...asked } = await ask(filter);
    expect(asked).toEqual({ names, readUnits });
  });
});

describe("reads no application where none has the value, or where it does not match", () => {
  test.each([
    ["name eq nothing", 1],
    ["clientId eq client_", 1],
    ["issuer eq https://sp", 1],
    // Its row exists, and is one of another tenant.
    ["clientId eq client_there", 1],
    ["issuer eq https://sp-there.example", 1],
    ["name eq App 7 and clientId eq client_8", 1],
    ['name eq ""', 0],
    [`name eq "${"é".repeat(128)}"`, 0],
    ['clientId eq ""', 1],
    ['issuer eq ""', 1],
  ])("filter %#", async (filter, readUnits) => {
    expect(await ask(filter)).toEqual({ names: [], roundTrips: Math.ceil(readUnits), readUnits });
  });
});

describe("reads all entries where neither decides", () => {
  test.each([
    ["clientId co client_39", 10],
    ["name eq App 7 or name ew 99", 5],
    ["clientId co client_39 and name ew 9", 2],
    ["clientId eq client_7 or (issuer sw https://sp-1 and name sw App)", 12],
  ])("%s", async (filter, matches) => {
    const { names, readUnits } = await ask(filter);
    expect(names).toHaveLength(matches);
    expect(readUnits).toBeGreaterThan(COUNT / 80);
  });
});
