/** Wide ranges of name indexes (decision 0128): how they come about, what they contain, what operators do with them. */
import { beforeAll, describe, expect, it } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { readDirectory } from "#core/database/table/name-index/directory.ts";
import { isWide, layout, rangeOf } from "#core/database/table/name-index/items.ts";
import { mendNames } from "#core/database/table/name-index/mending.ts";
import {
  indexContext,
  type NameIndex,
  type NameIndexOptions,
  nameIndex,
} from "#core/database/table/name-index/name-index.ts";
import { wideLayout } from "#core/database/table/name-index/wide-layout.ts";
import { widen } from "#core/database/table/name-index/widening.ts";
import { stale } from "#core/database/table/stale.ts";
import { compareKeys, type Table } from "#core/database/table/table.ts";
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
    expect(rows.filter(({ w }) => w === true).length).toBeGreaterThan(5);
    // Some were folded, so that they have a pack and no leaf.
    expect(rows.some(({ f }) => Number(f) > 1)).toBe(true);
    for (const { SK, w } of rows) {
      expect(await on.get(keys.leaf(SK.slice(1)))).toEqual(w === true ? undefined : expect.anything());
    }
    const expected = [...names].sort(compareKeys);
    expect(await index.audit()).toEqual([]);
    await compare(index, expected, random);
  });

  it("becomes a wide one, too, in an index that was loaded at once", async () => {
    const keys = freshKeys();
    await load(table, layout(keys, entriesOf(["a", "m"]), 30));
    const { index } = openIndex(table, SMALL, keys);
    for (const name of pairsOfLetters.slice(0, 60)) await index.create(named(name));
    expect(await kindsOf(keys)).toContain(true);
    expect(await index.audit()).toEqual([]);
  });

  it("stays narrow in a rehearsal", async () => {
    const keys = freshKeys();
    const rehearsed = nameIndex({ ...on, keeps: "for good" }, keys, SMALL);
    for (const letter of letters) await rehearsed.create(named(`${letter}${letter}`));
    expect(await kindsOf(keys)).not.toContain(true);
  });

  it("is found by writers that have located the narrow one", async () => {
    const keys = freshKeys();
    const names = pairsOfLetters.slice(0, 60);
    await load(table, layout(keys, entriesOf(names), 100));
    const { index } = openIndex(table, { splitBytes: 1_000 }, keys);
    const [first = "", second = "", third = ""] = names;
    const asNarrow = await index.locate(`${first}2`);
    const context = indexContext(on, keys);
    for (const range of (await readDirectory(context)).ranges) if (!isWide(range)) await widen(context, range);
    expect(await kindsOf(keys)).not.toContain(false);
    await index.rename({ ...renamed(first, `${first}2`), near: asNarrow });
    await index.remove({ ...released(second), near: asNarrow });
    expect((await everyName(index)).slice(0, 2)).toEqual([`${first}2`, third]);
    expect(await index.total()).toBe(59);
    expect(await index.audit()).toEqual([]);
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
});

describe("operators", () => {
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
