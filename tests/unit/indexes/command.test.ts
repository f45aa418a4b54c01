/** `npm run index`: completes indexes of a table in use, checks them and mends them. */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Pair, PairChange } from "#core/database/table/value-index/model.ts";
import { rangeKey } from "#core/database/table/value-index/range-rows.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { indexOfValues } from "#core/directory/users/index-rows.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";
import { build } from "#tools/index/build.ts";
import { check, switchOff } from "#tools/index/check.ts";
import { run } from "#tools/index/command.ts";
import type { IndexWork } from "#tools/index/work.ts";

const ATTRIBUTES = ["displayName", "emails.value", "active", "meta.created", "meta.lastModified"];

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const calm = () => table.open(newMeter());
const users = (attributes: readonly string[] | undefined) =>
  userStore(calm(), { declared: attributes && declaredIndexes(attributes) });
const person = (at: number, more: Resource = {}): User =>
  freshUser(newId(), `user.${String(at).padStart(4, "0")}`, 1, {
    profile: {
      displayName: `Kim ${at % 17}`,
      ...(at % 3 > 0 && { emails: [{ value: `kim${at}@x.test` }, ...(at % 3 > 1 ? [{ value: "all@x.test" }] : [])] }),
      ...more,
    },
  });
const ready = async (tenant: string): Promise<readonly string[]> =>
  [...((await users(ATTRIBUTES).indexes(tenant, PRIMARY)?.ready()) ?? [])].sort();
const rows = async (tenant: string) => {
  const { entries } = await users(undefined).names(tenant, PRIMARY).page({ offset: 0, limit: 10_000 });
  return (await calm().getMany(entries.map(({ id }) => keys.user(tenant, id)))).flatMap((item) => item ?? []);
};
const problems = async (tenant: string) =>
  indexProblems(calm(), { tenant, userStore: PRIMARY, attributes: ATTRIBUTES }, await rows(tenant));

/** A run on one tenant, and what it printed. */
const worker = (tenant: string, more: Partial<IndexWork> = {}) => {
  const lines: string[] = [];
  const work: IndexWork = {
    table: calm(),
    declared: declaredIndexes(ATTRIBUTES),
    stores: [{ tenant, userStore: PRIMARY }],
    tenants: [tenant],
    rate: 100_000,
    settledMs: 0,
    now: Date.now,
    wait: async () => undefined,
    print: (line) => lines.push(line),
    progress: () => ({ add: () => undefined, stop: () => undefined }),
    ...more,
  };
  return { work, lines };
};

describe("a user store from before the indexes", () => {
  test("gets them while others write it, and lists use them only then", { timeout: 60_000 }, async () => {
    const tenant = "old.test";
    const made: User[] = [];
    for (let at = 0; at < 250; at += 1) made.push(await users(undefined).add(tenant, person(at)));
    expect(await ready(tenant)).toEqual([]);
    const checking = worker(tenant);
    expect(await check(checking.work, false)).toBe(false);
    expect(checking.lines).toEqual([
      "PRIMARY of old.test: not complete yet: displayName, emails.value, active, meta.created, meta.lastModified. Run npm run index.",
    ]);
    const { work, lines } = worker(tenant);
    let isDone = false;
    const writer = async (from: number): Promise<void> => {
      for (let at = from; !isDone; at += 2) {
        const id = made[(at * 7) % made.length]?.id ?? "";
        await users(ATTRIBUTES).update(tenant, id, (before) => ({
          after: {
            ...before,
            profile: { displayName: `New ${at % 5}` },
            active: at % 3 === 0,
            modifiedMs: before.modifiedMs + 1 + at,
          },
        }));
        if (at % 5 === 0) await users(ATTRIBUTES).add(tenant, person(1_000 + at));
      }
    };
    const writing = Promise.all([writer(0), writer(1)]);
    const isComplete = await build(work).finally(() => {
      isDone = true;
    });
    await writing;
    expect(isComplete, lines.join("\n")).toBe(true);
    expect(await ready(tenant)).toEqual([...ATTRIBUTES].sort());
    expect(await problems(tenant)).toEqual([]);
    expect((await rows(tenant)).every(({ _x }) => _x instanceof Set && _x.size === ATTRIBUTES.length)).toBe(true);
    const again = worker(tenant);
    expect(await build(again.work)).toBe(true);
    expect(again.lines).toEqual(["All declared indexes are complete."]);
    expect(await check(again.work, false)).toBe(true);
    expect(again.lines.at(-1)).toBe(
      `PRIMARY of old.test: the indexes are as the users are: ${[...ATTRIBUTES].sort().join(", ")}.`,
    );
  });

  test("keeps the indexes that the file of a run does not declare, and names them", async () => {
    const tenant = "other-file.test";
    const ids: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      ids.push((await users(ATTRIBUTES).add(tenant, person(at, { title: `Title ${at}` }))).id);
    }
    const other = () => worker(tenant, { declared: declaredIndexes(["title"]) });
    const held = async () => (await users(undefined).findMany(tenant, ids)).map((user) => user?.indexed.toSorted());
    const all = [...ATTRIBUTES, "title"].sort();
    const building = other();
    expect(await build(building.work)).toBe(true);
    expect(await held()).toEqual(Array.from({ length: 30 }, () => all));
    const named = ATTRIBUTES.join(", ");
    expect(building.lines[0]).toMatch(
      /^PRIMARY of other-file\.test: there are complete indexes that deployment\.toml does/,
    );
    for (const name of ATTRIBUTES) expect(building.lines[0], named).toContain(name);
    expect(await problems(tenant)).toEqual([]);
    expect(await ready(tenant)).toEqual([...ATTRIBUTES].sort());
    expect(await check(other().work, true)).toBe(true);
    expect(await held()).toEqual(Array.from({ length: 30 }, () => all));
    expect(await problems(tenant)).toEqual([]);
  });

  test("prints a line for each of twenty wrong users, and counts the others", async () => {
    const tenant = "many-wrong.test";
    const made: User[] = [];
    for (let at = 0; at < 30; at += 1) made.push(await users(["displayName"]).add(tenant, person(at)));
    const index = indexOfValues(calm(), tenant, PRIMARY, "displayName");
    for (const { id } of made.slice(0, 25)) {
      const change: PairChange = { added: [{ value: "left over", facet: "", id }], removed: [], several: 0 };
      await calm().write(...(await index.steps(change, () => new Error("moved"))));
    }
    const checking = worker(tenant, { declared: declaredIndexes(["displayName"]) });
    expect(await check(checking.work, false)).toBe(false);
    expect(checking.lines.filter((line) => /wrong for the user/.test(line))).toHaveLength(20);
    expect(checking.lines).toContain("PRIMARY of many-wrong.test, displayName: it was wrong for 5 more users.");
  });

  test("continues where an earlier run ended", async () => {
    const tenant = "resumed.test";
    for (let at = 0; at < 250; at += 1) await users(undefined).add(tenant, person(at));
    let pages = 0;
    const stopping = worker(tenant, {
      progress: () => ({
        add: (count) => {
          pages += count > 0 ? 1 : 0;
          if (pages === 2) throw new Error("stopped");
        },
        stop: () => undefined,
      }),
    });
    await expect(build(stopping.work)).rejects.toThrow("stopped");
    expect(await ready(tenant)).toEqual([]);
    const { work, lines } = worker(tenant);
    expect(await build(work)).toBe(true);
    expect(lines[0]).toBe("PRIMARY of resumed.test: 50 users were brought into indexes.");
    expect(await problems(tenant)).toEqual([]);
    expect(await ready(tenant)).toHaveLength(ATTRIBUTES.length);
  });

  test("waits for functions that do not declare the attributes, and ends where one still writes", async () => {
    const tenant = "mixed.test";
    const [first] = [await users(undefined).add(tenant, person(1)), await users(undefined).add(tenant, person(2))];
    const waits: number[] = [];
    const { work, lines } = worker(tenant, {
      settledMs: 90_000,
      wait: async (ms) => {
        waits.push(Math.ceil(ms / 1_000));
        await users(ATTRIBUTES.filter((name) => name !== "emails.value")).update(tenant, first.id, (before) => ({
          after: { ...before, active: false },
        }));
      },
    });
    expect(await build(work)).toBe(false);
    expect(waits).toEqual([90]);
    expect(lines.at(-1)).toMatch(/^PRIMARY of mixed.test: emails.value is not complete, because a function/);
    expect(await ready(tenant)).toEqual(["displayName"]);
    expect(await build(worker(tenant).work)).toBe(true);
    expect(await ready(tenant)).toHaveLength(ATTRIBUTES.length);
    expect(await problems(tenant)).toEqual([]);
  });
});

describe("a damaged index", () => {
  const tenant = "damaged.test";
  const made: User[] = [];
  const idAt = (at: number): string => made[at]?.id ?? "";
  /** Changes an index, and no user. */
  const damage = async (name: string, change: PairChange): Promise<void> => {
    const fail = () => new Error("others write");
    await calm().write(...(await indexOfValues(calm(), tenant, PRIMARY, name).steps(change, fail)));
  };
  const timeOf = (id: string, value = "19700101000000001"): Pair => ({ value, facet: "", id });
  beforeAll(async () => {
    for (let at = 0; at < 120; at += 1) made.push(await users(ATTRIBUTES).add(tenant, person(at)));
  });

  test("is reported and mended, with every kind of damage", { timeout: 60_000 }, async () => {
    const [gone, doubled, old] = [newId(), idAt(3), idAt(4)];
    // A user who does not exist, one who is missing, a pair that is there twice, and a value of before.
    await damage("displayName", { added: [{ value: "gone", facet: "", id: gone }], removed: [], several: 0 });
    await damage("active", { added: [], removed: [{ value: "true", facet: "", id: idAt(5) }], several: 0 });
    const twice = { value: "kim 3", facet: "", id: doubled };
    await damage("displayName", { added: [twice], removed: [], several: 0 });
    await damage("emails.value", { added: [{ value: "old@x.test", facet: "", id: old }], removed: [], several: 0 });
    // Of times: one of before, one that is missing, and one that is there twice.
    await damage("meta.lastModified", { added: [timeOf(idAt(7), "2020")], removed: [], several: 0 });
    await damage("meta.lastModified", { added: [], removed: [timeOf(idAt(8))], several: 0 });
    await damage("meta.created", { added: [timeOf(idAt(9))], removed: [], several: 0 });
    // A count, and the number of users with several values.
    const first = rangeKey(keys.userValues(tenant, PRIMARY, "active"), "");
    const fail = () => new Error("no range");
    await calm().write({ change: first, add: { n: 2 }, when: "present", otherwise: fail });
    const several = rangeKey(keys.userValues(tenant, PRIMARY, "emails.value"), "");
    await calm().write({ change: several, add: { m: 3 }, when: "present", otherwise: fail });
    // What a function with other settings writes: the row does not note the indexes any more.
    const lost: User = { ...(made[6] as User), version: 2, profile: { displayName: "Lost" }, indexed: [] };
    await loseIndexes(tenant, lost);

    const checking = worker(tenant);
    expect(await check(checking.work, false)).toBe(false);
    for (const id of [gone, idAt(5), old, lost.id, idAt(7), idAt(8)]) expect(checking.lines.join("\n")).toContain(id);
    const mending = worker(tenant);
    expect(await check(mending.work, true), mending.lines.join("\n")).toBe(true);
    expect(mending.lines.filter((line) => line.includes("twice"))).toHaveLength(1);
    expect(mending.lines.join("\n")).toContain("meta.created: a range counts 121 pairs and has 120.");
    expect(mending.lines.join("\n")).toContain("3 users with several values were counted too many; mended.");
    expect(await problems(tenant)).toEqual([]);
    expect((await users(ATTRIBUTES).find(tenant, lost.id))?.indexed).toEqual([...ATTRIBUTES].sort());
    expect(await check(worker(tenant).work, false)).toBe(true);
  });

  test("is not used after --off, and is completed again", async () => {
    expect(await ready(tenant)).toHaveLength(ATTRIBUTES.length);
    expect(await switchOff(worker(tenant).work)).toBe(true);
    expect(await ready(tenant)).toEqual([]);
    expect(await build(worker(tenant).work)).toBe(true);
    expect(await ready(tenant)).toHaveLength(ATTRIBUTES.length);
  });
});

/** Writes the row of a user without what it notes about indexes. */
const loseIndexes = async (tenant: string, { id, version, profile }: User): Promise<void> => {
  const change = {
    change: keys.user(tenant, id),
    set: { ver: version, profile: JSON.stringify(profile) },
    clear: ["_x"],
  };
  await calm().write({ ...change, when: "present", otherwise: () => new Error("no user") });
};

describe("the command", () => {
  const asked = async (...words: readonly string[]) => {
    const [lines, complaints]: [string[], string[]] = [[], []];
    const environment = {
      TABLE_NAME: table.tableName,
      DYNAMODB_ENDPOINT: table.endpoint,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    };
    const code = await run(
      words,
      environment,
      (line) => lines.push(line),
      (line) => complaints.push(line),
    );
    return { code, lines, complaints };
  };

  test("works on the declared indexes of all user stores of a table", async () => {
    expect(await asked("--check")).toMatchObject({ code: 0, complaints: [] });
    expect(await asked("--check", "--tenant", "carbon.super")).toMatchObject({ code: 0 });
  });

  test.each([
    [["--check", "--repair"], "--check, --repair and --off exclude each other."],
    [["--rate", "0"], "--rate must be a number from 1 to 100000"],
    [["--tenant", "no.test"], '--tenant: there is no tenant "no.test".'],
    [["--fast"], "Unknown option"],
  ])("refuses %j", async (words, sentence) => {
    const { code, complaints } = await asked(...words);
    expect(code).toBe(1);
    expect(complaints.join()).toContain(sentence);
  });
});
