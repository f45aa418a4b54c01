/**
 * Change records do not make a partition hot: they spread over the lanes of a tenant whatever is changed, and a change
 * costs its record and nothing else. Counts, not times.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource, LANE_COUNT, laneOfChange } from "#core/database/changes/change-id.ts";
import { newId } from "#core/kernel/ids.ts";
import { type RunningService, startService } from "#local/service.ts";
import { callWith, costOf, inMemory, listening } from "#tools/bench/calls.ts";
import { recordsIn } from "../support/changes.ts";
import { worldOn } from "../support/world.ts";

const RESOURCES = 100_000;
/** Changes of one second in one tenant. */
const BUSY = 500;
/** DynamoDB's limit of one partition, and what a record costs in a transaction. */
const UNITS_PER_SECOND = 1_000;
const UNITS_PER_RECORD = 2;
/** More than the times that the row of a resource holds. */
const CHANGES = 70;

const countsOf = (ids: readonly string[]): number[] => {
  const counts = Array.from({ length: LANE_COUNT }, () => 0);
  for (const id of ids) counts[laneOfChange(id)] = (counts[laneOfChange(id)] ?? 0) + 1;
  return counts;
};

test(`${RESOURCES} resources are spread over all lanes, each within 3 % of its share`, () => {
  const ids = Array.from({ length: RESOURCES }, () => changeIdOf(Date.now(), digestOfResource("user", newId())));
  const share = RESOURCES / LANE_COUNT;
  for (const count of countsOf(ids)) expect(Math.abs(count - share) / share).toBeLessThan(0.03);
});

test(`${BUSY} changes of a second use at most a quarter of what a partition can do, also where they spread badly`, () => {
  for (let second = 0; second < 200; second += 1) {
    const ids = Array.from({ length: BUSY }, () => changeIdOf(Date.now(), digestOfResource("user", newId())));
    expect(Math.max(...countsOf(ids)) * UNITS_PER_RECORD).toBeLessThanOrEqual(UNITS_PER_SECOND / 4);
  }
});

describe("a change of a user", () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(inMemory);
  }, 120_000);
  afterAll(() => service.close());

  test(`costs 2 round trips; 2 write units for its record, 2 for its row, 2 for its time, ${CHANGES} times`, async () => {
    const call = callWith(service.url);
    const body = { userName: "often", password: "a-long-Password-1", name: { familyName: "Changed" } };
    const { id } = (await call("POST", { path: "/scim2/Users", body })) as { id: string };
    const costs: (readonly [number, number])[] = [];
    for (let at = 0; at < CHANGES; at += 1) {
      const Operations = [{ op: "replace", path: "nickName", value: `often-${at}` }];
      const lines = await listening(() => call("PATCH", { path: `/scim2/Users/${id}`, body: { Operations } }));
      const cost = costOf(lines.find(({ service: name }) => name === "scim2"));
      costs.push([cost.roundTrips, cost.writeUnits]);
    }
    // Every 64th change of a container looks whether entries of the log of times are to be moved (decision 0130).
    const others = costs.filter((cost) => String(cost) !== "2,6");
    expect(others.length).toBeLessThanOrEqual(Math.ceil(CHANGES / 64));
    expect(others.every(([roundTrips]) => roundTrips > 2)).toBe(true);
    const records = (await recordsIn(worldOn(() => service))).filter(({ resource }) => resource.id === id);
    expect(records).toHaveLength(CHANGES + 1);
    expect(new Set(records.map((record) => laneOfChange(record.id))).size).toBe(1);
  });
});
