/** What the creation of a tenant reads to find the names that it would capture, at a hundred thousand users; a million cost ten times that. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { layout } from "#core/database/table/name-index/items.ts";
import { capturedNames } from "#core/directory/tenants/captured.ts";
import { userStore } from "#core/directory/users/store.ts";
import { testTable } from "#tests/support/engine.ts";
import { loadItems } from "#tools/bench/loading.ts";

const USERS = 100_000;

test("counts in 2 round trips and at most 600 read units, whatever the number of matches", async () => {
  const table = await testTable();
  const names = keys.userNames("carbon.super", "PRIMARY");
  function* entries() {
    for (let at = 0; at < USERS; at += 1) {
      const key = `${String(at).padStart(7, "0")}.${at % 3 === 0 ? "@acme.com" : "berryman"}`;
      yield { key, id: "i" };
    }
  }
  // The entries themselves are not read: only ranges and leaves are stored.
  const read = [...layout(names, entries())].filter(({ PK }) => PK !== names.entries);
  await loadItems(table.endpoint, table.tableName, "leaves", read.length, read);
  const meter = newMeter();
  expect(await capturedNames(userStore(table.open(meter)), ["PRIMARY"], "acme.com")).toBe(Math.ceil(USERS / 3));
  expect(meter.cost.roundTrips).toBe(2);
  expect(meter.cost.readUnits).toBeLessThanOrEqual(600);
  expect(meter.cost.writeUnits).toBe(0);
});
