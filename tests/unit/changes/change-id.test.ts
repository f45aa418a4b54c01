/** Ids of changes sort by time, hold it, and name the lane of their record. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  changeIdAt,
  changeIdOf,
  digestOfResource,
  firstIdAt,
  isChangeId,
  LANE_COUNT,
  laneOfChange,
  timeOfChange,
} from "#core/database/changes/change-id.ts";

const times = fc.integer({ min: 0, max: 2 ** 47 });
const names = fc.string({ minLength: 1, maxLength: 40 });

test("an id holds its time and its resource", () => {
  fc.assert(
    fc.property(times, times, names, (atMs, other, name) => {
      const digest = digestOfResource("user", name);
      const id = changeIdOf(atMs, digest);
      expect(isChangeId(id)).toBe(true);
      expect(timeOfChange(id)).toBe(atMs);
      expect(changeIdAt(id, other)).toBe(changeIdOf(other, digest));
      expect(laneOfChange(id)).toBe(laneOfChange(changeIdAt(id, other)));
    }),
  );
});

test("ids sort by time, whatever their resources", () => {
  fc.assert(
    fc.property(times, times, names, names, (a, b, one, other) => {
      fc.pre(a !== b);
      const [idA, idB] = [
        changeIdOf(a, digestOfResource("user", one)),
        changeIdOf(b, digestOfResource("group", other)),
      ];
      expect(idA < idB).toBe(a < b);
      expect(firstIdAt(a) <= idA).toBe(true);
    }),
  );
});

test("resources spread over all lanes", () => {
  const counts = new Map<number, number>();
  for (let at = 0; at < 8_000; at += 1) {
    const lane = laneOfChange(changeIdOf(1, digestOfResource("user", `id-${at}`)));
    counts.set(lane, (counts.get(lane) ?? 0) + 1);
  }
  expect(counts.size).toBe(LANE_COUNT);
  for (const count of counts.values()) expect(count).toBeGreaterThan(800);
});

test.each(["", "x", "0".repeat(17), "0".repeat(19), "0".repeat(17).concat("w"), "0".repeat(17).concat("A")])(
  "%j is no id",
  (text) => expect(isChangeId(text)).toBe(false),
);
