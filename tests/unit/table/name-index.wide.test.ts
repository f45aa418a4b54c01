/** Wide ranges of name indexes (decision 0128): how they come about, what they contain, what operators do with them. */
import { beforeAll, describe, expect, it } from "vitest";
import { Fault } from "#core/platform/faults.ts";
import { newMeter } from "#core/table/meter.ts";
import { readDirectory } from "#core/table/name-index/directory.ts";
import { isWide, layout, rangeOf } from "#core/table/name-index/items.ts";
import { indexContext, type NameIndex, type NameIndexOptions, nameIndex } from "#core/table/name-index/name-index.ts";
import { countRanges, mendNames, narrowRanges, widenRanges } from "#core/table/name-index/reshaping.ts";
import { wideLayout } from "#core/table/name-index/wide-layout.ts";
import { widen } from "#core/table/name-index/widening.ts";
import { as, number, rowCodec } from "#core/table/row.ts";
import { stale } from "#core/table/stale.ts";
import { compareKeys, type Table } from "#core/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { dyingTable, Killed } from "#tests/unit/identities/killed.support.ts";
import { compare } from "./name-index.model.ts";
import {
  freshKeys,
  keysIn,
  letters,
  load,
  named,
  openIndex,
  rangesOf,
  released,
  renamed,
} from "./name-index.support.ts";

const SMALL: NameIndexOptions = { splitBytes: 30, widenAt: 1, wide: { foldBytes: 100, splitAt: () => 14 } };
const pairsOfLetters: readonly string[] = letters.flatMap((a) => letters.map((b) => `${a}${b}name`));
const entriesOf = (names: readonly string[]) => names.map((key) => ({ key, id: `id-${key}` }));
const all = { offset: 0, limit: 2_000 };

let table: TestTable;
let on: Table;
beforeAll(async () => {
  table = await testTable();
  on = table.open(newMeter());
});

const kindsOf = async (keys: ReturnType<typeof freshKeys>): Promise<readonly boolean[]> =>
  (await rangesOf(on, keys)).map(rangeOf).map(isWide);
const everyName = async (index: NameIndex): Promise<readonly string[]> => keysIn((await index.page(all)).entries);

describe("a full range that many splits led to", () => {
  it("becomes a wide one, which is folded and split, and all reads see its names", async () => {
    const { index, keys, ranges } = openIndex(table, SMALL);
    const names = new Set<string>();
    const random = seeded(3);
    for (let at = 0; at < 150; at += 1) {
      const name = pairsOfLetters[Math.floor(random() * pairsOfLetters.length)] ?? "";
      if (!names.has(name)) await index.create(named(name));
      names.add(name);
    }
    const rows = await ranges();
    expect(rows.filter(({ _v }) => _v === 2).length).toBeGreaterThan(5);
    // Some were folded, so that they have a pack and no leaf.
    expect(rows.some(({ f }) => Number(f) > 1)).toBe(true);
    for (const { SK, _v } of rows) {
      expect(await on.get(keys.leaf(SK.slice(1)))).toEqual(_v === 2 ? undefined : expect.anything());
    }
    const expected = [...names].sort(compareKeys);
    expect(await index.audit()).toEqual([]);
    await compare(index, expected, random);
  });

  it("stays narrow where a release without wide ranges founded the index", async () => {
    const keys = freshKeys();
    await load(table, layout(keys, entriesOf(["a", "m"]), 30));
    const { index } = openIndex(table, SMALL, keys);
    for (const name of pairsOfLetters.slice(0, 60)) await index.create(named(name));
    expect(new Set(await kindsOf(keys))).toEqual(new Set([false]));
    expect((await kindsOf(keys)).length).toBeGreaterThan(5);
  });

  it("stays narrow in a rehearsal", async () => {
    const keys = freshKeys();
    const rehearsed = nameIndex({ ...on, keeps: "for good" }, keys, SMALL);
    for (const letter of letters) await rehearsed.create(named(`${letter}${letter}`));
    expect(await kindsOf(keys)).not.toContain(true);
  });

  it("is refused by a release that knows narrow ranges alone", async () => {
    const { index, ranges } = openIndex(table, SMALL);
    for (const letter of letters) await index.create(named(`${letter}${letter}`));
    const wide = (await ranges()).find(({ _v }) => _v !== undefined);
    const before = rowCodec<{ readonly count: number }>("name range", { count: as("n", number) });
    expect(() => wide && before.read(wide)).toThrow(Fault);
  });
});

describe("names in wide ranges", () => {
  it("come, go, and change within a range and across ranges", async () => {
    const { index } = openIndex(table, SMALL);
    for (const name of pairsOfLetters.slice(0, 80)) await index.create(named(name));
    const model = new Map(pairsOfLetters.slice(0, 80).map((name) => [`id-${name}`, name]));
    for (const [id, name] of [...model].slice(0, 30)) {
      await index.rename(renamed(name, `${name}2`, id));
      model.set(id, `${name}2`);
    }
    for (const [id, name] of [...model].slice(20, 40)) {
      await index.rename(renamed(name, `z${name}`, id));
      model.set(id, `z${name}`);
    }
    for (const [id, name] of [...model].slice(30, 60)) {
      await index.remove(released(name, id));
      model.delete(id);
    }
    expect(await everyName(index)).toEqual([...model.values()].sort(compareKeys));
    expect(await index.audit()).toEqual([]);
  });

  it("may go in thousands without a new one: their range is folded then too", async () => {
    const keys = freshKeys();
    const names = pairsOfLetters.slice(0, 300);
    await load(table, wideLayout(keys, entriesOf(names)));
    const { index, ranges } = openIndex(table, { wide: { foldBytes: 300, splitAt: () => 5_000 } }, keys);
    for (const name of names.slice(0, 200)) await index.remove(released(name));
    const [range] = await ranges();
    expect(Number(range?.p)).toBeLessThan(400);
    expect(await everyName(index)).toEqual(names.slice(200));
    expect(await index.audit()).toEqual([]);
  });

  it("may have any characters and be long", async () => {
    const { index } = openIndex(table, { ...SMALL, widenAt: 0 });
    const names = ["\u0000", "a\u0000b", "a\u0001b", "\u{10FFFE}z", "é".repeat(500), `${"é".repeat(500)}x`, "😀", "a"];
    for (const name of [...names, ...letters.slice(1)]) await index.create(named(name));
    const expected = [...names, ...letters.slice(1)].sort(compareKeys);
    expect(await everyName(index)).toEqual(expected);
    expect((await index.search((name) => name.includes("\u0000"), all)).total).toBe(2);
    expect((await index.startsWith("é".repeat(500), { offset: 0, limit: 1_001 })).total).toBe(2);
    expect(await index.audit()).toEqual([]);
  });

  it("are created in thousands at once", async () => {
    const keys = freshKeys();
    await load(table, wideLayout(keys, entriesOf(["a", "m"])));
    const { index } = openIndex(table, {}, keys);
    const names = pairsOfLetters.slice(0, 500);
    const outcomes = await index.createMany(names.map((name) => named(name)));
    expect(new Set(outcomes)).toEqual(new Set(["created"]));
    expect(await everyName(index)).toEqual([...names, "a", "m"].sort(compareKeys));
    expect(await index.audit()).toEqual([]);
  });
});

describe("a process that is killed at any write", () => {
  it("of a change leaves an index that is exact, and goes on", async () => {
    const keys = freshKeys();
    const names = new Set<string>();
    const [alive, options] = [on, { ...SMALL, deadlineMs: 60_000 }];
    for (const [at, name] of pairsOfLetters.slice(0, 220).entries()) {
      const dying = dyingTable(alive, at % 5);
      await nameIndex(dying.table, keys, options)
        .create(named(name))
        .catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      const index = nameIndex(alive, keys, options);
      if (await index.find(name)) names.add(name);
      else if (at % 3 > 0) await index.create(named(name)).then(() => names.add(name));
      expect(await index.total()).toBe(names.size);
      if (at % 10 === 0) expect(await everyName(index)).toEqual([...names].sort(compareKeys));
    }
    const index = nameIndex(alive, keys, options);
    expect((await kindsOf(keys)).filter((kind) => kind).length).toBeGreaterThan(5);
    expect(await index.audit()).toEqual([]);
    expect(await everyName(index)).toEqual([...names].sort(compareKeys));
  });

  it.each(["widenRanges", "narrowRanges"] as const)(
    "of %s leaves an index that is exact, and goes on",
    async (work) => {
      const keys = freshKeys();
      const names = pairsOfLetters.slice(0, 300);
      const entries = entriesOf(names);
      await load(table, work === "widenRanges" ? layout(keys, entries, 100) : wideLayout(keys, entries));
      const options: NameIndexOptions = { ...SMALL, splitBytes: 100 };
      if (work === "narrowRanges") {
        // Several ranges.
        const index = nameIndex(on, keys, options);
        for (const letter of letters) await index.create(named(letter));
      }
      const expected = work === "widenRanges" ? names : [...names, ...letters].sort(compareKeys);
      const run = async (on: Table) => {
        const steps =
          work === "widenRanges" ? widenRanges(on, keys, { ...options, wideFrom: 2 }) : narrowRanges(on, keys, options);
        for await (const _ of steps);
      };
      let kills = 0;
      for (let most = 0; ; most += 1) {
        const outcome = await run(dyingTable(on, most).table).catch((error: unknown) => error);
        const index = nameIndex(on, keys, options);
        expect(await index.audit()).toEqual([]);
        expect(await everyName(index)).toEqual(expected);
        if (outcome === undefined) break;
        expect(outcome).toBeInstanceOf(Killed);
        kills += 1;
      }
      expect(kills).toBeGreaterThan(work === "widenRanges" ? 2 : 0);
      expect(await countRanges(on, keys)).toMatchObject(work === "widenRanges" ? { narrow: 0 } : { wide: 0 });
    },
  );
});

describe("operators", () => {
  it("join the narrow ranges of an index with many of them, and leave a small index as it is", async () => {
    const keys = freshKeys();
    await load(table, layout(keys, entriesOf(pairsOfLetters), 100));
    for await (const _ of widenRanges(on, keys)) throw new Error("too few ranges to be widened");
    const narrow = (await countRanges(on, keys)).narrow;
    expect(narrow).toBeGreaterThan(40);
    const looked: number[] = [];
    for await (const joined of widenRanges(on, keys, { wideFrom: 40 })) looked.push(joined);
    expect(looked.reduce((sum, some) => sum + some, 0)).toBe(narrow);
    expect(Math.max(...looked)).toBe(20);
    const { index } = openIndex(table, {}, keys);
    expect(await countRanges(on, keys)).toEqual({ narrow: 0, wide: looked.length });
    expect(await everyName(index)).toEqual(pairsOfLetters);
    expect(await index.audit()).toEqual([]);
  });

  it("make narrow ranges again, which the release before reads", async () => {
    const keys = freshKeys();
    await load(table, wideLayout(keys, entriesOf(pairsOfLetters)));
    const { index, ranges } = openIndex(table, { splitBytes: 100 }, keys);
    await index.create(named("mmmm"));
    for await (const _ of narrowRanges(on, keys, { splitBytes: 400 }));
    const rows = await ranges();
    expect(rows.length).toBeGreaterThan(10);
    for (const { SK, ...row } of rows) {
      expect(row).toMatchObject({ n: expect.any(Number), b: expect.any(Number), v: expect.any(Number) });
      expect(row).not.toHaveProperty("_v");
      const low = SK.slice(1);
      expect(await on.get(keys.leaf(low))).toMatchObject({ hi: row.hi });
      for (const at of [0, 1]) expect(await on.get(keys.delta(low, at))).toBeUndefined();
      expect(await on.get(keys.values(low, 0))).toBeUndefined();
    }
    expect(await everyName(index)).toEqual([...pairsOfLetters, "mmmm"].sort(compareKeys));
    await index.create(named("mmmmm"));
    expect(await index.audit()).toEqual([]);
  });

  it("make no narrow ranges of one that was split after they have read it", async () => {
    const keys = freshKeys();
    const names = pairsOfLetters.slice(0, 20);
    await load(table, wideLayout(keys, entriesOf(names)));
    const options: NameIndexOptions = { splitBytes: 100, wide: { foldBytes: 10, splitAt: () => 14 } };
    const [read, split] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ofOperator: Table = {
      ...on,
      async write(...steps) {
        read.resolve();
        await split.promise;
        return on.write(...steps);
      },
    };
    let narrowing: Promise<void> | undefined;
    const narrowAll = async (by: Table) => {
      for await (const _ of narrowRanges(by, keys, options));
    };
    const ofWriter: Table = {
      ...on,
      async write(...steps) {
        const isSplit = steps.filter((step) => "put" in step && step.put.PK === keys.ranges).length > 1;
        if (isSplit && !narrowing) {
          narrowing = narrowAll(ofOperator);
          await read.promise;
        }
        return on.write(...steps);
      },
    };
    const index = nameIndex(ofWriter, keys, options);
    const more = letters.slice(0, 6).map((letter) => `${letter}zz`);
    for (const name of more) await index.create(named(name));
    expect(narrowing).toBeDefined();
    split.resolve();
    await narrowing;
    expect(await index.audit()).toEqual([]);
    expect(await everyName(index)).toEqual([...names, ...more].sort(compareKeys));
    // The other half of the range was not there when the work began.
    expect(await countRanges(on, keys)).toEqual({ narrow: 1, wide: 1 });
    await narrowAll(on);
    expect((await countRanges(on, keys)).wide).toBe(0);
  });

  it("join the neighbours that are left where a writer has made one of them wide meanwhile", async () => {
    const keys = freshKeys();
    await load(table, layout(keys, entriesOf(pairsOfLetters.slice(0, 60)), 100));
    const context = indexContext(on, keys, { splitBytes: 100 });
    const narrow = (await readDirectory(context)).ranges.flatMap((range) => (isWide(range) ? [] : [range]));
    expect(narrow.length).toBeGreaterThan(4);
    let isMet = false;
    const met: Table = {
      ...on,
      async snapshot(asked) {
        if (!isMet) await widen(context, narrow.slice(2, 3));
        isMet = true;
        return on.snapshot(asked);
      },
    };
    for await (const _ of widenRanges(met, keys, { splitBytes: 100, wideFrom: 2, deadlineMs: 2_000 }));
    // Those before it are one range now.
    expect((await kindsOf(keys)).slice(0, 2)).toEqual([true, true]);
    const index = nameIndex(on, keys, { splitBytes: 100 });
    expect(await index.audit()).toEqual([]);
    expect(await everyName(index)).toEqual(pairsOfLetters.slice(0, 60));
  });

  it("do not disturb writers that have located the other kind of range", async () => {
    const keys = freshKeys();
    await load(table, layout(keys, entriesOf(pairsOfLetters.slice(0, 60)), 100));
    const { index } = openIndex(table, { splitBytes: 1_000 }, keys);
    const [first = "", second = "", third = "", fourth = ""] = pairsOfLetters;
    const asNarrow = await index.locate(`${first}2`);
    for await (const _ of widenRanges(on, keys, { wideFrom: 1 }));
    await index.rename({ ...renamed(first, `${first}2`), near: asNarrow });
    await index.remove({ ...released(second), near: asNarrow });
    const asWide = await index.locate(`${third}2`);
    for await (const _ of narrowRanges(on, keys));
    await index.rename({ ...renamed(third, `${third}2`), near: asWide });
    await index.remove({ ...released(fourth), near: asWide });
    expect((await everyName(index)).slice(0, 3)).toEqual([`${first}2`, `${third}2`, pairsOfLetters[4]]);
    expect(await index.total()).toBe(58);
    expect(await index.audit()).toEqual([]);
  });

  it.each([false, true])("see what is wrong, and mend it by the entries (wide: %s)", async (wide) => {
    const keys = freshKeys();
    const names = pairsOfLetters.slice(0, 40);
    await load(table, wide ? wideLayout(keys, entriesOf(names)) : layout(keys, entriesOf(names)));
    const { index } = openIndex(table, {}, keys);
    await index.create(named("aaaa"));
    const damages: readonly (() => Promise<unknown>)[] = [
      () => on.count({ PK: keys.ranges, SK: "." }, { n: 1 }),
      () => on.forget(keys.entry(names[7] ?? "")),
      () => on.write({ put: { ...keys.entry("aaab"), id: "lost" }, when: "absent", otherwise: stale }),
      () => Promise.all([keys.values("", 0), keys.values("", 1), keys.leaf("")].map((key) => on.forget(key))),
    ];
    for (const damage of damages) {
      await damage();
      expect((await index.audit()).map(({ low }) => low)).toContain("");
      await mendNames(on, keys, "");
      expect(await index.audit()).toEqual([]);
    }
    const expected = [...names.filter((name) => name !== names[7]), "aaaa", "aaab"].sort(compareKeys);
    expect(await everyName(index)).toEqual(expected);
    expect(await index.total()).toBe(expected.length);
  });
});

describe("the layout of a whole index", () => {
  it("rejects names that are not in order", () => {
    expect(() => [...wideLayout(freshKeys(), entriesOf(["b", "a"]))]).toThrow(RangeError);
    expect([...wideLayout(freshKeys(), [])]).toEqual([]);
  });
});
