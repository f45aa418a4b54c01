/** The guarantees of the name index, one by one, without concurrent writers. */
import { beforeAll, describe, expect, it } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { layout } from "#core/database/table/name-index/items.ts";
import { type NameIndex, nameIndex } from "#core/database/table/name-index/name-index.ts";
import { NAME_BYTES_MAX, nameKey } from "#core/database/table/name-index/name-key.ts";
import { compareKeys, type Step, type Table } from "#core/database/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import {
  freshKeys,
  keysIn,
  letters,
  load,
  NotOwned,
  named,
  openIndex,
  rangesOf,
  released,
  renamed,
  Taken,
  user,
} from "./name-index.support.ts";

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

describe("an empty index", () => {
  it("returns nothing", async () => {
    const { index } = openIndex(table);
    const window = { offset: 0, limit: 10 };
    expect(await index.find("a")).toBeUndefined();
    expect(await index.total()).toBe(0);
    expect(await index.rank("a")).toBe(0);
    expect(await index.page(window)).toEqual({ entries: [], total: 0 });
    expect(await index.page({ ...window, backwards: true })).toEqual({ entries: [], total: 0 });
    expect(await index.after(undefined, 10)).toEqual({ entries: [], more: false });
    expect(await index.startsWith("a", window)).toEqual({ entries: [], total: 0 });
    expect(await index.startsWith("a", { offset: 0, limit: 2_000 })).toEqual({ entries: [], total: 0 });
    expect(await index.search(() => true, window)).toEqual({ entries: [], total: 0 });
    expect(await index.audit()).toEqual([]);
    await expect(index.remove(released("a"))).rejects.toThrow(NotOwned);
    await expect(index.rename(renamed("a", "b"))).rejects.toThrow(NotOwned);
  });

  it("needs no preparation for concurrent first writers", async () => {
    const { index, ranges } = openIndex(table, { splitBytes: 4_000 });
    await Promise.all(letters.slice(0, 12).map((letter) => index.create(named(letter))));
    expect(await index.total()).toBe(12);
    expect(await ranges()).toHaveLength(1);
    expect(await index.audit()).toEqual([]);
  });
});

describe("reading", () => {
  const names = ["a", "ab", "abc", "b", "\u00e9mile", "\uff21".toLowerCase(), "😀", "😀a"];
  let reads: NameIndex;
  beforeAll(async () => {
    reads = openIndex(table, { splitBytes: 5 }).index;
    for (const name of names.toReversed()) await reads.create(named(name));
  });

  it("finds a name with the attributes of its entry", async () => {
    const { index: own } = openIndex(table);
    await own.create({ ...named("a", "1"), entry: { id: "1", display: "A" } });
    expect(await own.find("a")).toEqual({ key: "a", id: "1", display: "A" });
    expect((await own.page({ offset: 0, limit: 1 })).entries).toEqual([{ key: "a", id: "1", display: "A" }]);
  });

  it("returns any page in either direction with the exact total", async () => {
    for (let offset = 0; offset <= names.length + 1; offset += 1) {
      for (const limit of [0, 1, 3, 100]) {
        const forwards = await reads.page({ offset, limit });
        const backwards = await reads.page({ offset, limit, backwards: true, consistent: false });
        expect([keysIn(forwards.entries), forwards.total]).toEqual([names.slice(offset, offset + limit), 8]);
        expect(keysIn(backwards.entries)).toEqual(names.toReversed().slice(offset, offset + limit));
      }
    }
  });

  it("continues after a name, also after a deleted one", async () => {
    expect(await reads.after(undefined, 3)).toMatchObject({
      entries: [{ key: "a" }, { key: "ab" }, { key: "abc" }],
      more: true,
    });
    expect(await reads.after("abbb", 2)).toMatchObject({ entries: [{ key: "abc" }, { key: "b" }], more: true });
    expect(keysIn((await reads.after("\u00e9mile", 3)).entries)).toEqual(names.slice(5));
    expect((await reads.after("\u00e9mile", 3)).more).toBe(false);
    expect(await reads.after("😀a", 3)).toEqual({ entries: [], more: false });
  });

  it("ranks any text", async () => {
    for (const text of ["", "a", "aa", "abd", "\u00e9", "z", "😀", "😀b", "\u{10ffff}"]) {
      expect(await reads.rank(text)).toBe(names.filter((name) => compareKeys(name, text) < 0).length);
    }
  });

  it.each([100, 1_001])("finds by prefix, with limit %i", async (limit) => {
    for (const prefix of ["", "a", "ab", "abcd", "\u00e9", "😀", "z", "\ud83d"]) {
      const matching = prefix === "\ud83d" ? [] : names.filter((name) => name.startsWith(prefix));
      for (const offset of [0, 1, 4]) {
        const forwards = await reads.startsWith(prefix, { offset, limit });
        const backwards = await reads.startsWith(prefix, { offset, limit, backwards: true });
        expect([prefix, keysIn(forwards.entries), forwards.total]).toEqual([
          prefix,
          matching.slice(offset),
          matching.length,
        ]);
        expect(keysIn(backwards.entries)).toEqual(matching.toReversed().slice(offset));
      }
    }
  });

  it("searches by any test, in part, backwards, below a prefix", async () => {
    const contains = (text: string) => (key: string) => key.includes(text);
    expect(await reads.search(contains("b"), { offset: 1, limit: 2 })).toMatchObject({
      entries: [{ key: "abc" }, { key: "b" }],
      total: 3,
    });
    expect(keysIn((await reads.search(contains("a"), { offset: 0, limit: 2, backwards: true })).entries)).toEqual([
      "😀a",
      "abc",
    ]);
    expect(await reads.search(contains("a"), { offset: 0, limit: 0, prefix: "😀" })).toEqual({ entries: [], total: 1 });
    expect((await reads.search(contains("c"), { offset: 0, limit: 9, prefix: "ab" })).total).toBe(1);
    expect((await reads.search(() => true, { offset: 0, limit: 9, prefix: "\ud83d" })).total).toBe(0);
  });

  it("rejects invalid windows", async () => {
    await expect(reads.page({ offset: -1, limit: 1 })).rejects.toThrow(RangeError);
    await expect(reads.startsWith("a", { offset: 0.5, limit: 1 })).rejects.toThrow(RangeError);
    await expect(reads.search(() => true, { offset: 0, limit: Number.NaN })).rejects.toThrow(RangeError);
  });
});

describe("writing", () => {
  it("accepts the longest names", async () => {
    const longest = "x".repeat(NAME_BYTES_MAX);
    const { index } = openIndex(table);
    await index.create(named(nameKey(longest)));
    await index.create(named("😀".repeat(255)));
    expect((await index.startsWith(longest, { offset: 0, limit: 5 })).total).toBe(1);
    expect((await index.startsWith(longest.slice(2), { offset: 0, limit: 5 })).total).toBe(1);
    expect((await index.startsWith("😀".repeat(255), { offset: 0, limit: 5 })).total).toBe(1);
    expect((await index.startsWith(`${longest}x`, { offset: 0, limit: 5 })).total).toBe(0);
  });

  it("lets exactly one of 100 writers claim a name", async () => {
    const { index } = openIndex(table);
    await index.create(named("b"));
    const attempts = Array.from({ length: 100 }, (_, at) => index.create(named("a", `id-${at}`)));
    const outcomes = await Promise.allSettled(attempts);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.map(({ reason }) => reason)).toEqual(Array.from({ length: 99 }, () => expect.any(Taken)));
    expect(await index.total()).toBe(2);
    expect((await index.find("a"))?.id).toBe(`id-${outcomes.findIndex(({ status }) => status === "fulfilled")}`);
    expect(await index.audit()).toEqual([]);
  });

  it("writes the caller's steps in the transaction of the name", async () => {
    const { index } = openIndex(table);
    await index.create(named("a", "1", [user("1")]));
    await expect(index.create(named("b", "2", [user("1")]))).rejects.toThrow("the user exists");
    expect(await index.find("b")).toBeUndefined();
    await expect(index.create(named("a", "3", [user("3")]))).rejects.toThrow(Taken);
    await index.create(named("c", "3", [user("3")]));
    expect(await index.total()).toBe(2);
  });

  it("counts an entry with its own id as created, unless the id is not new", async () => {
    const { index } = openIndex(table);
    await index.create(named("a", "1", [user("own-1")]));
    await index.create(named("a", "1", [user("own-1")]));
    const owned = () => new Error("it has the name");
    await expect(index.create({ ...named("a", "1", [user("own-2")]), owned })).rejects.toThrow("it has the name");
    await expect(index.create({ ...named("a", "2"), owned })).rejects.toThrow(Taken);
    expect(await index.total()).toBe(1);
  });

  it("releases a name for its owner only, after which any owner can claim it", async () => {
    const { index, keys, ranges } = openIndex(table);
    for (const letter of letters) await index.create(named(letter));
    await expect(index.remove(released("a", "other"))).rejects.toThrow(NotOwned);
    for (const letter of letters) await index.remove(released(letter));
    await expect(index.remove(released("a"))).rejects.toThrow(NotOwned);
    expect((await ranges()).length).toBeGreaterThan(1);
    expect(await index.page({ offset: 0, limit: 9 })).toEqual({ entries: [], total: 0 });
    expect(await index.search(() => true, { offset: 0, limit: 9 })).toEqual({ entries: [], total: 0 });
    expect(await table.open(newMeter()).get(keys.leaf(""))).not.toHaveProperty("k");
    await index.create(named("a", "new"));
    expect(await index.total()).toBe(1);
    expect(await index.audit()).toEqual([]);
  });

  it("renames within a range, across ranges, and to the same name", async () => {
    const { index } = openIndex(table);
    for (const letter of letters) await index.create(named(letter));
    await index.rename(renamed("a", "aa"));
    await index.rename(renamed("aa", "zz", "id-a"));
    await index.rename({ ...renamed("zz", "zz", "id-a"), entry: { id: "id-a", display: "ZZ" } });
    expect(await index.find("zz")).toEqual({ key: "zz", id: "id-a", display: "ZZ" });
    expect(await index.find("a")).toBeUndefined();
    expect(await index.total()).toBe(26);
    await expect(index.rename(renamed("b", "zz"))).rejects.toThrow(Taken);
    await expect(index.rename(renamed("b", "bb", "other"))).rejects.toThrow(NotOwned);
    await expect(index.rename(renamed("nobody", "bb"))).rejects.toThrow(NotOwned);
    await expect(index.rename(renamed("b", "b", "other"))).rejects.toThrow(NotOwned);
    expect(keysIn((await index.page({ offset: 0, limit: 99 })).entries)).toEqual([...letters.slice(1), "zz"]);
    expect(await index.audit()).toEqual([]);
  });

  it("does not count another rename of the same owner as its own", async () => {
    const { index } = openIndex(table);
    await index.create(named("a", "1"));
    await index.create(named("b", "1"));
    await expect(index.rename(renamed("a", "b", "1"))).rejects.toThrow(NotOwned);
  });

  it("renames with a hint, also with an outdated one", async () => {
    const { index } = openIndex(table, { splitBytes: 6 });
    await index.create(named("m"));
    const near = await index.locate("x");
    for (const letter of letters.filter((other) => other !== "m")) await index.create(named(letter));
    await index.rename({ ...renamed("m", "xx"), near });
    expect((await index.find("xx"))?.id).toBe("id-m");
    expect(await index.audit()).toEqual([]);
  });

  it("finds the right half of a split when a read returns only the left half", async () => {
    const { index, keys } = openIndex(table, { splitBytes: 4 });
    for (const letter of "abcde") await index.create(named(letter));
    const meter = newMeter();
    const opened = table.open(meter);
    const left = { from: ".", to: ".", limit: 1, consistent: false };
    const half: Table = { ...opened, nearest: async ({ PK }) => (await opened.query({ PK, ...left })).items[0] };
    await nameIndex(half, keys).create(named("f"));
    expect(meter.cost.roundTrips).toBe(3);
    expect(await index.audit()).toEqual([]);
  });

  it("splits a full range before it adds a name, not after", async () => {
    const { index, ranges } = openIndex(table, { splitBytes: 4 });
    for (const letter of "abcd") await index.create(named(letter));
    expect(await ranges()).toMatchObject([{ n: 4, b: 4 }]);
    await index.create(named("e"));
    expect(await ranges()).toMatchObject([
      { n: 2, b: 2, hi: "c" },
      { n: 3, b: 3, hi: "\u{10ffff}" },
    ]);
  });

  it("splits ranges by bytes, long names from short ones", async () => {
    const { index, ranges } = openIndex(table, { splitBytes: 40 });
    for (const name of [...letters.map((letter) => letter.repeat(4)), ...letters.map((letter) => letter.repeat(60))]) {
      await index.create(named(name));
    }
    for (const { n, b } of await ranges()) {
      // Full before the last name, and the last name.
      expect(Number(n) === 1 || Number(b) <= 40 + 60 + 60).toBe(true);
    }
    expect((await ranges()).length).toBeGreaterThanOrEqual(26);
    expect(await index.audit()).toEqual([]);
  });
});

describe("createMany", () => {
  it("returns an outcome for each name", async () => {
    const { index, keys } = openIndex(table);
    await index.create(named("c", "someone"));
    await index.create(named("f", "id-f"));
    const refusing: Step = { check: keys.entry("nobody"), when: "present", otherwise: () => new Error("no nobody") };
    const names = [..."abcdabefg"].map((letter, at) => named(letter, letter === "f" ? "id-f" : `new-${at}`));
    const outcomes = await index.createMany([...names, named("h", "h", [refusing])]);
    expect(outcomes).toEqual([
      ...["created", "created", expect.any(Taken), "created"],
      ...[expect.any(Taken), expect.any(Taken), "created", "created", "created"],
      expect.objectContaining({ message: "no nobody" }),
    ]);
    expect(keysIn((await index.page({ offset: 0, limit: 99 })).entries)).toEqual([..."abcdefg"]);
    expect(await index.audit()).toEqual([]);
  });

  it("claims hundreds of names in an empty index, and in many ranges", async () => {
    const { index } = openIndex(table, { splitBytes: 200 });
    const many = (mark: string) =>
      Array.from({ length: 300 }, (_, at) =>
        named(`${letters[at % 26]}${mark}${at}`, `${mark}-${at}`, [user(`many-${mark}${at}`)]),
      );
    expect(new Set(await index.createMany(many("x")))).toEqual(new Set(["created"]));
    expect(new Set(await index.createMany(many("y")))).toEqual(new Set(["created"]));
    expect(await index.total()).toBe(600);
    expect(await index.audit()).toEqual([]);
    expect(await index.createMany([])).toEqual([]);
  });
});

describe("layout", () => {
  it("equals an index that the same names grew", async () => {
    const keys = freshKeys();
    const names = [...new Set(letters.flatMap((a) => letters.map((b) => `${a}${b}name`)))];
    await load(
      table,
      layout(
        keys,
        names.map((key) => ({ key, id: `id-${key}` })),
        100,
      ),
    );
    const { index, ranges } = openIndex(table, { splitBytes: 100 }, keys);
    expect(await index.audit()).toEqual([]);
    expect(await index.total()).toBe(676);
    for (const { b } of (await ranges()).slice(0, -1)) expect(Number(b)).toBe(78);
    await index.create(named("mmm"));
    await index.remove(released("aaname"));
    expect(keysIn((await index.page({ offset: 300, limit: 20 })).entries)).toEqual(
      [...names.slice(1), "mmm"].sort().slice(300, 320),
    );
    expect(await index.audit()).toEqual([]);
  });

  it("rejects names that are not in order", () => {
    const entries = [...["b", "a"]].map((key) => ({ key, id: key }));
    expect(() => [...layout(freshKeys(), entries)]).toThrow(RangeError);
    expect([...layout(freshKeys(), [])]).toEqual([]);
  });
});

describe("audit", () => {
  it("reports each inconsistency and its range", async () => {
    const { index, keys } = openIndex(table, { splitBytes: 20 });
    for (const letter of letters) await index.create(named(letter));
    const on = table.open(newMeter());
    const low = String((await rangesOf(on, keys))[1]?.SK).slice(1);
    await on.forget(keys.entry(low));
    await on.count({ PK: keys.ranges, SK: "." }, { n: 1, b: 3 });
    const found = await index.audit();
    expect(found).toEqual([
      { low: "", problem: expect.stringContaining("names, and contains") },
      { low: "", problem: expect.stringContaining("bytes, and contains") },
      { low, problem: "1 names are only in the range or only among the entries" },
    ]);
  });
});
