/**
 * Many writers and readers of a name index, and a plain sorted array to compare it with. Nothing here is bounded by
 * time, so the tests hold on a slow machine.
 */
import { expect } from "vitest";
import type { NameIndex } from "#core/database/table/name-index/name-index.ts";
import { nameKey } from "#core/database/table/name-index/name-key.ts";
import { compareKeys } from "#core/database/table/table.ts";
import type { Odds } from "#tests/support/hostile-database.ts";
import { keysIn, NotOwned, named, released, renamed, Taken } from "./name-index.support.ts";

const WRITERS = 14;
/** The number of write operations for each read of a reader. */
const OPERATIONS_PER_READ = 5;
/** Everything that DynamoDB may do. A half-applied transaction is seen for up to 60 requests. */
export const HOSTILE: Odds = { conflict: 0.05, throttle: 0.01, half: 0.5, halfMs: 60, lost: 0.02, heldMs: 3 };
export const NO_DEADLINE: number = Number.POSITIVE_INFINITY;

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
export const steady = ["a steady 1", "bsteady2", "\u00e9 steady 3", "\uff21 steady 4", "😀 steady 5", "z steady 6"].map(
  nameKey,
);

/** The expected content of the index: names by their ids. */
export type Model = Map<string, string>;

/** Counts what writers have done, for readers that wait for it. */
export interface Progress {
  /** One operation more. */
  advance(): void;
  /** Lets every reader continue. */
  end(): void;
  /** Resolves when that many operations are done. */
  reached(count: number): Promise<void>;
}

export const newProgress = (): Progress => {
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
export const churn = async (
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
export const readMeanwhile = async (
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
export const compare = async (index: NameIndex, expected: readonly string[], random: () => number): Promise<void> => {
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
