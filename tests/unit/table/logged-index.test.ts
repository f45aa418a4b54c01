/** Indexes behind a log: random changes by many writers, read in every way, against a list in memory. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  inspectLogged,
  loggedLayout,
  mendLoggedRange,
  timesHeldLogged,
} from "#core/database/table/logged-index/inspect.ts";
import { loggedIndex } from "#core/database/table/logged-index/logged-index.ts";
import { readSnapshot } from "#core/database/table/logged-index/reading.ts";
import type { LoggedLimits } from "#core/database/table/logged-index/rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { overlay } from "#core/database/table/overlay.ts";
import { stale, whileStale } from "#core/database/table/stale.ts";
import type { Table } from "#core/database/table/table.ts";
import type { Interval, Pair, ValueMatch } from "#core/database/table/value-index/model.ts";
import { comparePairs, pairText } from "#core/database/table/value-index/pair.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { memoryIndex } from "#tests/support/value-index.ts";
import { dyingTable, Killed } from "#tests/unit/identities/killed.support.ts";
import {
  calmly,
  change,
  changeOf,
  contextOf,
  EAGER,
  expectPairs as expectAll,
  indexOn,
  keysOf,
  pairAt,
} from "#tests/unit/table/logged-index.support.ts";

const MODEL = Number(process.env.INDEX_MODEL ?? 480);

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const calm = () => calmly(table);
const expectPairs = (attribute: string, pairs: readonly Pair[]) => expectAll(calm(), attribute, pairs);
const snapshotOf = (attribute: string) => readSnapshot(contextOf(calm(), attribute));

const matchFrom = (random: Random, most: number): ValueMatch => {
  const bound = () => ({
    value: String(random.upTo(most)).padStart(6, "0"),
    side: random.of(["before", "after"] as const),
  });
  const [a, b] = [bound(), bound()].sort((x, y) => (x.value + x.side < y.value + y.side ? 1 : -1)).reverse();
  const intervals: readonly Interval[] = random.of([[{}], [{ from: a }], [{ to: b }], [{ from: a, to: b }]]);
  return { intervals, ...(random.chance(0.3) && { test: (value) => value.endsWith("3") }) };
};

describe("a random index behind a log", () => {
  test.each([
    { seed: 1, owners: 40, writers: 8, turns: 500 },
    { seed: 2, owners: 200, writers: 16, turns: 800 },
    { seed: 3, owners: 3, writers: 1, turns: 120 },
    // INDEX_MODEL=20000: as many owners, each changed four times.
    { seed: 4, owners: MODEL, writers: 16, turns: MODEL * 4 },
  ])("answers as a list does: $seed", { timeout: 3_600_000 }, async ({ seed, owners, writers, turns }) => {
    const random = randomOf(seed);
    const attribute = `random${seed}`;
    const held = new Map<string, Pair>();
    let clock = 0;
    const ids = Array.from({ length: owners }, () => newId());
    const kinds = new Set<string>();
    const noting = (on: Table): Table => ({
      ...on,
      putNewer: (item, name) => {
        kinds.add("z" in item ? "pack" : "changes");
        return on.putNewer(item, name);
      },
    });
    const lanes = Array.from({ length: writers }, async (_, lane) => {
      const own = ids.filter((_, at) => at % writers === lane);
      for (let turn = 0; turn < turns / writers; turn += 1) {
        const id = random.of(own);
        clock += 1;
        const before = held.get(id);
        // Times mostly grow; some come back to what they were.
        const after =
          before && random.chance(0.1) ? undefined : pairAt(id, random.chance(0.85) ? clock : random.upTo(9));
        if (before && after && comparePairs(before, after) === 0) continue;
        await change(noting(calm()), attribute, changeOf(before, after));
        if (after) held.set(id, after);
        else held.delete(id);
      }
    });
    await Promise.all(lanes);
    const pairs = [...held.values()];
    await expectPairs(attribute, pairs);
    const expected = await memoryIndex(pairs).open();
    const found = await indexOn(calm(), attribute).open();
    for (let turn = 0; turn < 60; turn += 1) {
      const match = matchFrom(random, clock);
      const [some, all] = await Promise.all([found.matches(match), expected.matches(match)]);
      expect(some.total).toBe(all.total);
      const window = { offset: random.upTo(all.total + 2), limit: 1 + random.upTo(60), backwards: random.chance(0.5) };
      expect(await some.window(window)).toEqual(await all.window(window));
      const start = pairs.length > 0 && random.chance(0.8) ? random.of(pairs) : undefined;
      expect(await some.after(start, window.limit, window.backwards)).toEqual(
        await all.after(start, window.limit, window.backwards),
      );
      const [owned, others] = await Promise.all([some.owners(), all.owners()]);
      expect(owned.slice(0, owned.size)).toEqual(others.slice(0, others.size));
    }
    if (owners < 20) return;
    const { ranges, state } = await snapshotOf(attribute);
    expect(ranges.length).toBeGreaterThan(1);
    expect(state.block).toBeGreaterThan(5);
    expect([...kinds].sort()).toEqual(["changes", "pack"]);
  });

  test("has every change that was answered, while others move entries", { timeout: 60_000 }, async () => {
    const random = randomOf(7);
    let ended = false;
    const answered = new Map<string, Pair>();
    let clock = 0;
    const writing = Promise.all(
      Array.from({ length: 10 }, async () => {
        const ids = Array.from({ length: 6 }, () => newId());
        for (let turn = 0; turn < 60; turn += 1) {
          const id = random.of(ids);
          clock += 1;
          const [before, after] = [answered.get(id), pairAt(id, clock)];
          await change(calm(), "busy", changeOf(before, after));
          answered.set(id, after);
        }
      }),
    ).finally(() => {
      ended = true;
    });
    let reads = 0;
    while (!ended) {
      const before = new Map(answered);
      const directory = await indexOn(calm(), "busy").open();
      const matches = await directory.matches({ intervals: [{}], test: () => true });
      const pairs = await matches.window({ offset: 0, limit: 1_000_000 });
      expect([...pairs].sort(comparePairs)).toEqual(pairs);
      const byOwner = new Map(pairs.map((pair) => [pair.id, pair]));
      // Each owner once, with a value that is not older than what was answered before.
      expect(byOwner.size).toBe(pairs.length);
      for (const [id, pair] of before) expect((byOwner.get(id)?.value ?? "") >= pair.value).toBe(true);
      reads += 1;
    }
    await writing;
    expect(reads).toBeGreaterThan(3);
    await expectPairs("busy", [...answered.values()]);
  });
});

describe("a holder that ends after a write", () => {
  test.each([1, 2, 3, 4, 5, 7, 10, 14])(
    "leaves an index that is complete, and moved on later: after %i",
    async (most) => {
      const attribute = `killed${most}`;
      const eager = { every: 1, sealAt: 2, leaseMs: 0, graceMs: 0 };
      const held = new Map<string, Pair>();
      const ids = Array.from({ length: 30 }, () => newId());
      const random = randomOf(most);
      for (let turn = 0; turn < 60; turn += 1) {
        const id = random.of(ids);
        const [before, after] = [held.get(id), pairAt(id, turn)];
        const dying = dyingTable(calm(), turn % 3 === 0 ? most - 1 : 1_000);
        const write = async (opened: Table) =>
          opened.write(...(await indexOn(opened, attribute, eager).steps(changeOf(before, after), stale)));
        await whileStale(() => write(dying.table)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Killed);
          return whileStale(() => write(calm()));
        });
        held.set(id, after);
        await expectPairs(attribute, [...held.values()]);
      }
      const { state, blocks } = await snapshotOf(attribute);
      expect(state.block).toBeGreaterThan(10);
      // Blocks are removed once all ranges have their entries.
      expect(blocks.length).toBeLessThan(state.block);
    },
  );
});

describe("a holder that was overtaken", () => {
  test("changes nothing", async () => {
    const attribute = "overtaken";
    const pairs = Array.from({ length: 30 }, (_, at) => pairAt(newId(), at));
    const add = async (opened: Table, pair: Pair, limits: Partial<LoggedLimits> = EAGER) =>
      opened.write(...(await indexOn(opened, attribute, limits).steps(changeOf(undefined, pair), stale)));
    const overtakers: Pair[] = [];
    for (const pair of pairs.slice(0, 10)) await add(calm(), pair);
    let at = 10;
    const overtake = async () => {
      const pair = pairs[at];
      at += 1;
      if (pair) await add(calm(), pair);
    };
    // Held up before each row that it puts, before its transaction, and before what it does after that.
    for (const place of ["rows", "transaction", "rest"]) {
      const slow = calm();
      const late: Table = {
        ...slow,
        putNewer: async (item, name) => {
          if (place === "rows") await overtake();
          return slow.putNewer(item, name);
        },
        write: async (...steps) => {
          if (place === "transaction" && steps.length > 1) await overtake();
          await slow.write(...steps);
        },
        forget: async (key) => {
          if (place === "rest") await overtake();
          await slow.forget(key);
        },
      };
      const before = at;
      overtakers.push(pairAt(newId(), 5));
      await add(late, overtakers.at(-1) as Pair);
      expect(at).toBeGreaterThan(before);
      await expectPairs(attribute, [...pairs.slice(0, at), ...overtakers]);
    }
  });
});

describe("the rows of a whole index behind a log", () => {
  test("are read, checked, changed and mended as others are", async () => {
    const own = keysOf("loaded");
    const opened = calm();
    const pairs = Array.from({ length: 5_000 }, (_, at) => pairAt(newId(), at % 977)).sort(comparePairs);
    for (const put of loggedLayout(own, pairs)) await opened.write({ put, when: "absent", otherwise: stale });
    await expectPairs("loaded", pairs);
    const [first, second] = pairs;
    if (!first || !second) throw new Error("no pairs");
    await change(opened, "loaded", changeOf(first, undefined));
    await expectPairs("loaded", pairs.slice(1));
    expect(await timesHeldLogged(opened, own, pairText(first))).toBe(0);
    expect(await timesHeldLogged(opened, own, pairText(second))).toBe(1);
    // What a defect may leave: a count that is wrong.
    await opened.write({ change: { PK: own.ranges, SK: "." }, add: { n: 1 }, when: "present", otherwise: stale });
    const problems: (string | undefined)[] = [];
    for await (const { problem } of inspectLogged(opened, own)) problems.push(problem);
    expect(problems.filter((one) => one !== undefined)).toEqual([
      expect.stringMatching(/counts \d+ pairs and has \d+/),
    ]);
    await mendLoggedRange(opened, own, "");
    await expectPairs("loaded", pairs.slice(1));
  });
});

describe("an index behind a log that is empty", () => {
  test("has no matches", async () => {
    const directory = await indexOn(calm(), "empty").open();
    const matches = await directory.matches({ intervals: [{}] });
    expect([directory.total, matches.total]).toEqual([0, 0]);
    expect(await matches.window({ offset: 0, limit: 10 })).toEqual([]);
    expect(await matches.after(undefined, 10)).toEqual({ pairs: [], more: false });
    expect((await matches.owners()).size).toBe(0);
  });
});

describe("a list of an index whose writers move nothing", () => {
  test("moves entries on where there are many", async () => {
    const rare = { every: 1_000_000, readMost: 40, graceMs: 0 };
    const pairs = Array.from({ length: 90 }, (_, at) => pairAt(newId(), at));
    const index = indexOn(calm(), "unread", rare);
    for (const pair of pairs.slice(0, 39)) {
      await calm().write(...(await index.steps(changeOf(undefined, pair), stale)));
    }
    const opened = async () => {
      const meter = newMeter();
      const { total } = await indexOn(table.open(meter), "unread", rare).open();
      return { total, writeUnits: meter.cost.writeUnits };
    };
    expect(await opened()).toEqual({ total: 39, writeUnits: 0 });
    for (const pair of pairs.slice(39)) await calm().write(...(await index.steps(changeOf(undefined, pair), stale)));
    const moved = await opened();
    expect([moved.total, moved.writeUnits > 0]).toEqual([90, true]);
    expect(await opened()).toEqual({ total: 90, writeUnits: 0 });
    expect((await snapshotOf("unread")).log).toEqual([]);
    await expectPairs("unread", pairs);
  });

  test("moves nothing in a request that keeps its writes back", async () => {
    const rare = { every: 1, sealAt: 1, readMost: 1 };
    const pair = pairAt(newId(), 1);
    await calm().write(...(await indexOn(calm(), "kept", rare).steps(changeOf(undefined, pair), stale)));
    const meter = newMeter();
    const keeping = overlay(table.open(meter));
    const other = pairAt(newId(), 2);
    await keeping.write(...(await indexOn(keeping, "kept", rare).steps(changeOf(undefined, other), stale)));
    expect((await indexOn(keeping, "kept", rare).open()).total).toBe(2);
    expect(meter.cost.writeUnits).toBe(0);
  });
});

test("a change costs two write units and no read, and meets no other change", async () => {
  const meter = newMeter();
  const opened = table.open(meter);
  const index = loggedIndex(opened, keysOf("cheap"), { every: 1_000 });
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      await opened.write(...(await index.steps(changeOf(undefined, pairAt(newId(), at)), stale)));
    }),
  );
  expect(meter.cost).toMatchObject({ calls: 40, readUnits: 0, writeUnits: 80 });
});
