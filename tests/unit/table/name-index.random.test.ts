/**
 * The name index against a plain sorted array, while many write to it on a database with everything that DynamoDB may
 * do: conflicts, throttling, half-applied reads, lost responses. A failure names its seed; the order of concurrent
 * writes depends on timing as well.
 *
 * Nothing here is bounded by time, so the tests hold on a slow machine: half-applied transactions are seen for a number
 * of requests, readers read a number of times, and no call has a deadline.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { newMeter } from "#core/table/meter.ts";
import { type NameIndex, nameIndex } from "#core/table/name-index/name-index.ts";
import { nameKey } from "#core/table/name-index/name-key.ts";
import { compareKeys } from "#core/table/table.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { CALM, hostileDatabase, type Odds, seeded } from "#tests/support/hostile-database.ts";
import { freshKeys, keysIn, NotOwned, named, rangesOf, released, renamed, Taken } from "./name-index.support.ts";

const SPLIT_BYTES = 40;
const WRITERS = 14;
const OPERATIONS = 170;
/** The number of write operations for each read of a reader. */
const OPERATIONS_PER_READ = 5;
/** A half-applied transaction is seen for up to 60 requests. */
const HOSTILE: Odds = { conflict: 0.05, throttle: 0.01, half: 0.5, halfMs: 60, lost: 0.02, heldMs: 3 };
const NO_DEADLINE = Number.POSITIVE_INFINITY;
/** Ends a test that hangs; no test waits for it. */
const HANGS_MS = 180_000;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const alphabet = [
  "a",
  "b",
  "c",
  "dan",
  "e\u0301",
  "\u00c9",
  "\uff21",
  "\uff5a",
  "😀",
  "👩‍🚀",
  "\u{2f800}",
  "z",
  "0",
  " ",
  "\uffee",
];

/** Names that no writer changes, between those that all writers change. */
const steady = ["a steady 1", "bsteady2", "\u00e9 steady 3", "\uff21 steady 4", "😀 steady 5", "z steady 6"].map(
  nameKey,
);

/** The expected content of the index: names by their ids. */
type Model = Map<string, string>;

/** Counts what writers have done, for readers that wait for it. */
interface Progress {
  /** One operation more. */
  advance(): void;
  /** Lets every reader continue. */
  end(): void;
  /** Resolves when that many operations are done. */
  reached(count: number): Promise<void>;
}

const newProgress = (): Progress => {
  let done = 0;
  let waiting: { readonly count: number; readonly go: () => void }[] = [];
  const release = (upTo: number) => {
    for (const { count, go } of waiting) if (count <= upTo) go();
    waiting = waiting.filter(({ count }) => count > upTo);
    done = upTo;
  };
  return {
    advance: () => release(done + 1),
    end: () => release(Number.POSITIVE_INFINITY),
    reached: (count) =>
      count <= done
        ? Promise.resolve()
        : new Promise((go) => {
            waiting.push({ count, go });
          }),
  };
};

/** Many writers: each works on ids of its own, all of them on the same names. */
const churn = async (
  index: NameIndex,
  model: Model,
  random: () => number,
  operations: number,
  progress: Progress,
): Promise<void> => {
  const busy = new Set<string>();
  let made = 0;
  let left = operations;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const newName = (): string =>
    nameKey(Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(alphabet)).join(""));
  const newId = (): string => {
    made += 1;
    return `id-${made}`;
  };
  const takeOne = (): [string, string] | undefined => {
    const free = [...model].filter(([id]) => !busy.has(id) && !id.startsWith("steady"));
    const one = free.length > 0 ? pick(free) : undefined;
    if (one) busy.add(one[0]);
    return one;
  };
  /** Whether the write was committed. A name that is taken is not a failure of the test. */
  const done = async (write: Promise<void>): Promise<boolean> => {
    try {
      await write;
      return true;
    } catch (error) {
      if (error instanceof Taken) return false;
      throw error;
    }
  };

  const create = async (): Promise<void> => {
    const [id, key] = [newId(), newName()];
    if (await done(index.create(named(key, id)))) model.set(id, key);
  };
  const createMany = async (): Promise<void> => {
    const names = Array.from({ length: 5 }, () => named(newName(), newId()));
    const outcomes = await index.createMany(names);
    outcomes.forEach((outcome, at) => {
      const name = names[at];
      if (outcome === "created" && name) model.set(name.entry.id, name.key);
      else expect(outcome).toBeInstanceOf(Taken);
    });
  };
  const remove = async (id: string, key: string): Promise<void> => {
    // Two at once: one of them removes it.
    const both = await Promise.allSettled([index.remove(released(key, id)), index.remove(released(key, id))]);
    const failures = both.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(failures).toEqual([expect.any(NotOwned)]);
    model.delete(id);
  };
  const rename = async (id: string, key: string): Promise<void> => {
    // Often next to the old name, which is often the same range.
    const to = random() < 0.5 ? `${key}${pick(["b", "\u00e9", "😀"])}` : newName();
    if (await done(index.rename(renamed(key, to, id)))) model.set(id, to);
  };

  const writer = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const kind = random();
      const one = kind < 0.5 ? undefined : takeOne();
      if (!one) await (kind < 0.1 ? createMany() : create());
      else await (kind < 0.7 ? remove(...one) : rename(...one));
      if (one) busy.delete(one[0]);
      progress.advance();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
};

const ascending = (list: readonly string[]): void => {
  expect(list).toEqual([...new Set(list)].sort(compareKeys));
};

/** Reads while others write: what no writer touches is always listed, once, and what is listed is in order. */
const readMeanwhile = async (
  index: NameIndex,
  random: () => number,
  operations: number,
  progress: Progress,
): Promise<void> => {
  for (let at = 0; at < operations; at += OPERATIONS_PER_READ) {
    await progress.reached(at);
    const consistent = random() < 0.5;
    const found = await index.search((key) => key.includes("steady"), { offset: 0, limit: 99, consistent });
    expect([keysIn(found.entries), found.total]).toEqual([steady.toSorted(compareKeys), steady.length]);
    const page = await index.page({ offset: Math.floor(random() * 50), limit: 20, consistent });
    ascending(keysIn(page.entries));
    const window = { offset: 0, limit: 2_000, consistent };
    for (const { key } of (await index.startsWith("a", window)).entries) expect(key.startsWith("a")).toBe(true);
  }
};

/** Compares every way of reading with the array. */
const compare = async (index: NameIndex, expected: readonly string[], random: () => number): Promise<void> => {
  const total = expected.length;
  expect(await index.total()).toBe(total);
  for (let look = 0; look < 8; look += 1) {
    const [offset, limit] = [Math.floor(random() * (total + 3)), Math.floor(random() * 30)];
    const forwards = await index.page({ offset, limit });
    expect([keysIn(forwards.entries), forwards.total]).toEqual([expected.slice(offset, offset + limit), total]);
    const backwards = await index.page({ offset, limit, backwards: true });
    expect(keysIn(backwards.entries)).toEqual(expected.toReversed().slice(offset, offset + limit));
  }
  for (const prefix of ["a", "dan", "\u00e9", "\u00e9\u00e9", "\uff41", "😀", "👩", "nobody"]) {
    const matching = expected.filter((key) => key.startsWith(prefix));
    for (const limit of [5, 2_000]) {
      const found = await index.startsWith(prefix, { offset: 1, limit });
      expect([prefix, keysIn(found.entries), found.total]).toEqual([
        prefix,
        matching.slice(1, 1 + limit),
        matching.length,
      ]);
    }
    expect(await index.rank(prefix)).toBe(expected.filter((key) => compareKeys(key, prefix) < 0).length);
  }
  for (const text of ["dan", "\u00e9", "😀", "a"]) {
    for (const test of [(key: string) => key.includes(text), (key: string) => key.endsWith(text)]) {
      const found = await index.search(test, { offset: 0, limit: total });
      expect([text, keysIn(found.entries), found.total]).toEqual([
        text,
        expected.filter(test),
        expected.filter(test).length,
      ]);
    }
  }
  const walked: string[] = [];
  for (let more = true; more; ) {
    const next = await index.after(walked.at(-1), 7);
    walked.push(...keysIn(next.entries));
    more = next.more;
  }
  expect(walked).toEqual(expected);
};

describe("a name index under concurrent writes and failures of the database", () => {
  it.each([1, 2, 3])("equals a sorted array in the end (seed %i)", { timeout: HANGS_MS }, async (seed) => {
    const random = seeded(seed);
    const hostile = hostileDatabase(seed, HOSTILE, "requests");
    const open = table.reopen({ deadlineMs: NO_DEADLINE, client: { transport: hostile.transport } });
    const keys = freshKeys();
    const index = nameIndex(open(newMeter()), keys, { splitBytes: SPLIT_BYTES, deadlineMs: NO_DEADLINE });
    const model: Model = new Map(steady.map((key) => [`steady ${key}`, key]));
    for (const [id, key] of model) await index.create(named(key, id));
    // Readers must see what was written before they began.
    hostile.settle();

    const progress = newProgress();
    const readers = Array.from({ length: 2 }, () => readMeanwhile(index, random, OPERATIONS, progress));
    // A reader that fails must not be noticed only once the writers are done.
    await Promise.all([churn(index, model, random, OPERATIONS, progress).finally(progress.end), ...readers]);
    hostile.set(CALM);
    hostile.settle();

    for (const happened of Object.values(hostile.counts)) expect(happened).toBeGreaterThan(0);
    const expected = [...model.values()].sort(compareKeys);
    expect((await rangesOf(open(newMeter()), keys)).length).toBeGreaterThan(expected.length / 8);
    expect(await index.audit()).toEqual([]);
    await compare(index, expected, random);
    for (const [id, key] of model) expect([key, (await index.find(key))?.id]).toEqual([key, id]);
  });

  it("counts every name once while splits are seen half done", { timeout: HANGS_MS }, async () => {
    const hostile = hostileDatabase(4, { ...CALM, half: 0.5, halfMs: 6 }, "requests");
    const open = table.reopen({ deadlineMs: NO_DEADLINE, client: { transport: hostile.transport } });
    const index = nameIndex(open(newMeter()), freshKeys(), { splitBytes: 16, deadlineMs: NO_DEADLINE });
    for (let made = 1; made <= 80; made += 1) {
      await index.create(named(`n${(made * 37) % 80}`));
      // The last create may be seen half done itself.
      const [total, found, rank] = [
        await index.total(),
        await index.search(() => true, { offset: 0, limit: 0 }),
        await index.rank("o"),
      ];
      expect([made - 1, made]).toContain(total);
      expect([made - 1, made]).toContain(found.total);
      expect([made - 1, made]).toContain(rank);
      hostile.settle();
    }
    expect(hostile.counts.halves).toBeGreaterThan(30);
  });

  it("rejects queries that this project does not send", async () => {
    const hostile = hostileDatabase(5, CALM);
    const send = (operation: string, body: object) =>
      hostile.transport.send({
        url: new URL(table.endpoint),
        headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
        body: JSON.stringify({ TableName: table.tableName, ...body }),
      });
    await expect(send("Scan", {})).rejects.toThrow("Scan without Limit");
    const query = {
      KeyConditionExpression: "PK = :p AND begins_with(SK, :p)",
      ExpressionAttributeValues: { ":p": { S: "a" } },
    };
    await expect(send("Query", query)).rejects.toThrow("Query without Limit");
    await expect(send("Query", { ...query, Limit: 1 })).rejects.toThrow("begins_with in a key condition");
  });
});
