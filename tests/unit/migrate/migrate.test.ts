/** `npm run migrate` (decision 0072): it resumes, loses no change of another writer, and can be repeated. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openTable, type TableConfig } from "#core/table/dynamo.ts";
import { keys } from "#core/table/keys.ts";
import { newMeter } from "#core/table/meter.ts";
import { SHAPE } from "#core/table/row.ts";
import type { Item, Key, Table } from "#core/table/table.ts";
import { clientFor, createTable } from "#local/database.ts";
import { startEngine } from "#local/engine.ts";
import { sealKey } from "#local/seal-key.ts";
import { TABLE_NAME } from "#local/service.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { firstRow, sampleCodec, sampleKey, sampleKind, thirdValue } from "#tests/support/migration.ts";
import { loadItems } from "#tools/bench/bulk.ts";
import { run } from "#tools/migrate/command.ts";
import { type Migration, migrate } from "#tools/migrate/migrate.ts";
import { openRows, type Rows } from "#tools/migrate/rows.ts";

const COUNT = 120;
const OTHERS: readonly Item[] = [
  { PK: "T#acme#U#1", SK: "A", userName: "kim" },
  { PK: "T#acme#UN#PRIMARY", SK: "kim", id: "1" },
];

let place: TestTable;
let table: Table;
let rows: Rows;
let lines: string[];
const ids = Array.from({ length: COUNT }, (_, id) => id);
const config = (): TableConfig => ({ tableName: place.tableName, deadlineMs: 5_000, client: place.client });

beforeEach(async () => {
  place = await testTable();
  table = place.open(newMeter());
  rows = openRows(config());
  lines = [];
  await loadItems(place.endpoint, place.tableName, "rows", COUNT, [...ids.map(firstRow), ...OTHERS]);
  return () => rows.close();
});

const given = (more: Partial<Migration> = {}): Migration => ({
  table,
  rows,
  kinds: [sampleKind],
  segments: 3,
  rate: 100_000,
  isDry: false,
  now: () => 0,
  wait: async () => undefined,
  print: (line) => lines.push(line),
  ...more,
});
const read = async (id: number) => {
  const item = await table.get(sampleKey(id));
  return item && sampleCodec.read(item);
};
const stored = (key: Key) => table.get(key);

describe("a migration", () => {
  test("rewrites every old row, and no other", async () => {
    expect(await migrate(given())).toBe(true);
    for (const id of ids) {
      expect(await stored(sampleKey(id))).toEqual({ ...sampleKey(id), ...sampleCodec.write(thirdValue(id)) });
    }
    for (const other of OTHERS) expect(await stored(other)).toEqual(other);
    expect(lines.slice(-3)).toEqual([
      "Done.",
      `  ${COUNT + OTHERS.length} rows`,
      `  ${COUNT} sample: rewritten from 1`,
    ]);
  });
  test("can be repeated: then it writes nothing", async () => {
    await migrate(given());
    const writing: Rows = { ...rows, rewrite: () => Promise.reject(new Error("a row was rewritten again")) };
    expect(await migrate(given({ rows: writing }))).toBe(true);
    expect(lines.at(-1)).toBe(`  ${COUNT} sample: current`);
  });
  test("counts what it would rewrite, and writes nothing", async () => {
    const writing: Rows = { ...rows, rewrite: () => Promise.reject(new Error("a row was rewritten")) };
    expect(await migrate(given({ rows: writing, isDry: true }))).toBe(true);
    expect(lines).toEqual([
      "Nothing was written.",
      `  ${COUNT + OTHERS.length} rows`,
      `  ${COUNT} sample: to rewrite from 1`,
    ]);
    expect(await stored(keys.migration("A"))).toBeUndefined();
  });
  test("keeps attributes that it does not know", async () => {
    const own = { ...firstRow(1), expiresAtSeconds: 99_999_999_999 };
    await loadItems(place.endpoint, place.tableName, "row", 1, [own]);
    await migrate(given());
    expect(await stored(sampleKey(1))).toMatchObject({ expiresAtSeconds: 99_999_999_999, _v: 3 });
    expect(await stored(sampleKey(1))).not.toHaveProperty("address");
  });
  test("reads at most the rate, in all segments together", async () => {
    let waitedMs = 0;
    const wait = async (ms: number) => {
      waitedMs += ms;
    };
    await migrate(given({ rate: 30, segments: 1, wait }));
    // Four pages of 30, and after them the rest, for which nothing waits.
    expect(waitedMs).toBeCloseTo(4_000);
  });
  test("names rows of a later release and damaged ones, leaves them as they are, and migrates the others", async () => {
    const later = { ...sampleKey(1), ...sampleCodec.write(thirdValue(1)), [SHAPE]: 4 };
    const damaged = { ...firstRow(2), ver: "one" };
    const unknown = { PK: "T#acme#X#1", SK: "A", [SHAPE]: 2 };
    await loadItems(place.endpoint, place.tableName, "rows", 3, [later, damaged, unknown]);
    expect(await migrate(given())).toBe(false);
    for (const item of [later, damaged, unknown]) expect(await stored(item)).toEqual(item);
    expect(lines).toContain('PK="T#acme#SAMPLE#00001" SK="A" was written by a later release');
    expect(lines).toContain('PK="T#acme#X#1" SK="A" was written by a later release');
    expect(lines.some((line) => line.includes("SAMPLE#00002") && line.includes("ver must be a finite number"))).toBe(
      true,
    );
    expect(lines).toContain(`  ${COUNT - 2} sample: rewritten from 1`);
  });
});

/** Fails at a page, as a process that is killed. */
const failingAt = (page: number): Rows => {
  let pages = 0;
  return {
    ...rows,
    page: (...where) => {
      pages += 1;
      return pages === page ? Promise.reject(new Error("killed")) : rows.page(...where);
    },
  };
};

describe("an interrupted migration", () => {
  test.each([1, 3, 7])("that failed at page %s continues after the last page that it stored", async (page) => {
    await expect(migrate(given({ rows: failingAt(page), rate: 30 }))).rejects.toThrow("killed");
    lines = [];
    let readAgain = 0;
    const counting: Rows = {
      ...rows,
      page: async (...where) => {
        const found = await rows.page(...where);
        readAgain += found.items.filter(sampleKind.matches).length;
        return found;
      },
    };
    expect(await migrate(given({ rows: counting, rate: 30, segments: 7, now: () => 5 }))).toBe(true);
    expect(lines[0]).toBe("Continues the run of 1970-01-01T00:00:00.000Z, in 3 segments.");
    // Each segment is counted once, whatever run read it.
    expect(lines).toContain(`  ${COUNT} sample: rewritten from 1`);
    if (page === 7) expect(readAgain).toBeLessThan(COUNT);
    for (const id of ids) expect(await read(id)).toEqual(thirdValue(id));
    expect(await stored(keys.migration("A"))).toBeUndefined();
  });
  test("of another release is not continued: its rows have another version", async () => {
    const second = { ...sampleKind, codec: { ...sampleCodec, written: 2 } };
    await expect(migrate(given({ kinds: [second], rows: failingAt(5), rate: 30 }))).rejects.toThrow("killed");
    lines = [];
    expect(await migrate(given())).toBe(true);
    expect(lines[0]).not.toContain("Continues");
    for (const id of ids) expect((await stored(sampleKey(id)))?.[SHAPE]).toBe(3);
  });
});

describe("other writers", () => {
  /** Changes a row just before the migration rewrites it. */
  const racing = (change: (item: Item, attempt: number) => Promise<void>): Rows => {
    const attempts = new Map<string, number>();
    return {
      ...rows,
      rewrite: async (item, kind) => {
        const attempt = attempts.get(item.PK) ?? 0;
        attempts.set(item.PK, attempt + 1);
        await change(item, attempt);
        return rows.rewrite(item, kind);
      },
    };
  };
  const never = () => new Error("not changed");

  test("that add to a set, or set an attribute that was absent, lose nothing", async () => {
    const change = async ({ PK, SK }: Item, attempt: number) => {
      if (attempt > 0) return;
      const step = { change: { PK, SK }, add: { tags: new Set(["new"]) }, set: { note: "n" } };
      await table.write({ ...step, when: "present", otherwise: never });
    };
    expect(await migrate(given({ rows: racing(change) }))).toBe(true);
    for (const id of ids) expect(await read(id)).toEqual({ ...thirdValue(id), note: "n", tags: ["new", `t${id}`] });
  });
  test("that replace or delete the row first win", async () => {
    const change = async ({ PK, SK }: Item) => {
      const id = Number(PK.slice(-5));
      if (id % 2 === 0) return table.forget({ PK, SK });
      const value = { ...thirdValue(id), lines: ["moved"], count: 1, version: 2 };
      await table.write({ put: { PK, SK, ...sampleCodec.write(value) }, when: "any", otherwise: never });
    };
    expect(await migrate(given({ rows: racing(change) }))).toBe(true);
    for (const id of ids) {
      expect((await read(id))?.lines).toEqual(id % 2 === 0 ? undefined : ["moved"]);
    }
    expect(lines).toContain(`  ${COUNT / 2} sample: deleted meanwhile`);
    expect(lines).toContain(`  ${COUNT / 2} sample: current`);
  });
  test("that never stop are named, and the other rows are migrated", async () => {
    const change = async ({ PK, SK }: Item, attempt: number) => {
      if (!PK.endsWith("00003")) return;
      await table.write({ change: { PK, SK }, set: { ver: attempt + 100 }, when: "present", otherwise: never });
    };
    expect(await migrate(given({ rows: racing(change) }))).toBe(false);
    expect(lines).toContain('PK="T#acme#SAMPLE#00003" SK="A" is changed all the time: run it again');
    expect(await migrate(given())).toBe(true);
  });
  test("that work at the same time lose no change", async () => {
    let isDone = false;
    const written = new Map<number, number>();
    const writer = async (from: number) => {
      for (let id = from; !isDone; id = (id + 7) % COUNT) {
        const key = sampleKey(id);
        const count = (written.get(id) ?? 0) + 1;
        await table.write({
          change: key,
          add: { tags: new Set([`w${from}-${count}`]) },
          when: "present",
          otherwise: never,
        });
        written.set(id, count);
      }
    };
    const writers = [0, 1, 2].map(writer);
    expect(await migrate(given({ rate: 100_000 }))).toBe(true);
    isDone = true;
    await Promise.all(writers);
    for (const id of ids) {
      const value = await read(id);
      expect(value?.lines).toEqual([`Street ${id}`, "City"]);
      expect(value?.tags.filter((tag) => tag.startsWith("w")).length ?? 0).toBe(
        new Set((await stored(sampleKey(id)))?.tags as Set<string>).size - 1,
      );
    }
    expect([...written.values()].reduce((sum, each) => sum + each, 0)).toBe(
      (await Promise.all(ids.map(read))).reduce((sum, value) => sum + (value?.tags.length ?? 0) - 1, 0),
    );
  });
});

describe("the command", () => {
  const directories: string[] = [];
  afterAll(() => Promise.all(directories.map((each) => rm(each, { recursive: true, force: true }))));
  const program = fileURLToPath(new URL("../../support/migration-process.ts", import.meta.url));

  const start = (words: readonly string[], environment: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, [program, ...words], { env: { PATH: process.env.PATH, ...environment } });
    let output = "";
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        for (const listener of listeners) listener();
      });
    }
    return {
      child,
      said: (line: RegExp) => new Promise<void>((done) => listeners.add(() => line.test(output) && done())),
      ended: new Promise<{ code: number | null; output: string }>((done) =>
        child.once("close", (code) => done({ code, output })),
      ),
    };
  };
  /** The data directory of a local service with old rows. */
  const localData = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), "migrate-"));
    directories.push(directory);
    await sealKey(directory);
    const engine = await startEngine({ dataFile: join(directory, "table.sqlite") });
    await createTable(engine.endpoint, TABLE_NAME);
    await loadItems(engine.endpoint, TABLE_NAME, "rows", COUNT, ids.map(firstRow));
    await engine.stop();
    return directory;
  };
  const versionsIn = async (directory: string): Promise<unknown[]> => {
    const engine = await startEngine({ dataFile: join(directory, "table.sqlite") });
    const opened = openTable({ tableName: TABLE_NAME, deadlineMs: 5_000, client: clientFor(engine.endpoint) })(
      newMeter(),
    );
    const items = await opened.getMany(ids.map(sampleKey));
    await engine.stop();
    return items.map((item) => item?.[SHAPE] ?? 1);
  };

  test("works on a data directory, and continues after kill -9", async () => {
    const DATA_DIR = await localData();
    const dry = await start(["--dry-run", "--rate", "10000"], { DATA_DIR }).ended;
    expect(dry.output).toContain(`  ${COUNT} sample: to rewrite from 1`);
    expect(dry.code).toBe(0);

    // Two rows a second in each of two segments: it is killed long before its end.
    const killed = start(["--rate", "4", "--segments", "2"], { DATA_DIR });
    await Promise.race([killed.said(/^\d+ rows read, \d+ sample: rewritten from 1$/m), killed.ended]);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const versions = new Set(await versionsIn(DATA_DIR));
    expect(versions).toEqual(new Set([1, 3]));

    const continued = await start(["--rate", "10000"], { DATA_DIR }).ended;
    expect(continued.output).toMatch(/^Continues the run of .*, in 2 segments\.$/m);
    expect(continued.code).toBe(0);
    expect(new Set(await versionsIn(DATA_DIR))).toEqual(new Set([3]));
  }, 60_000);
  test("works on a deployment's table by its name", async () => {
    const environment = { TABLE_NAME: place.tableName, DYNAMODB_ENDPOINT: place.endpoint, AWS_REGION: "eu-west-1" };
    const { code, output } = await start(["--rate", "10000"], environment).ended;
    expect(output).toContain(`  ${COUNT} sample: rewritten from 1`);
    expect(code).toBe(0);
    expect((await stored(sampleKey(0)))?.[SHAPE]).toBe(3);
  });
  test("of this release finds nothing to rewrite, and names rows of a later one", async () => {
    const environment = { TABLE_NAME: place.tableName, DYNAMODB_ENDPOINT: place.endpoint, AWS_REGION: "eu-west-1" };
    const said: string[] = [];
    const print = (line: string) => void said.push(line);
    expect(await run(["--rate", "10000"], environment, print, print)).toBe(0);
    expect(said).toEqual(["Done.", `  ${COUNT + OTHERS.length} rows`]);
    await migrate(given());
    expect(await run(["--rate", "10000"], environment, print, print)).toBe(2);
    expect(said).toContain('PK="T#acme#SAMPLE#00000" SK="A" was written by a later release');
  });
  test.each([["--rate", "0"], ["--segments", "65"], ["--fix"], ["now"]])("refuses %s %s", async (...words) => {
    const said: string[] = [];
    const print = (line: string) => void said.push(line);
    expect(await run(words.filter(Boolean), { DATA_DIR: "/nowhere" }, print, print)).toBe(1);
    expect(said.join("\n")).toContain("npm run migrate -- [--dry-run]");
  });
  test("names a data directory without data", async () => {
    const said: string[] = [];
    const DATA_DIR = await mkdtemp(join(tmpdir(), "migrate-"));
    directories.push(DATA_DIR);
    expect(
      await run(
        [],
        { DATA_DIR },
        () => undefined,
        (line) => void said.push(line),
      ),
    ).toBe(1);
    expect(said[0]).toContain("has no data of the service. Set DATA_DIR to the data directory of the service.");
  });
});
