/**
 * A restore undoes no protection silently: what was ended after the restored moment stays ended, once the command has
 * run on the restored table. The first service does everything dangerous after its backup; others start on the backup.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Item } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { readRing } from "#core/tokens/key-store.ts";
import type { Engine } from "#local/engine.ts";
import { TABLE_NAME } from "#local/service.ts";
import { backups, OLD_TABLE, restoreInto, rowsIn, type Served, tableIn } from "#tests/support/restored.ts";
import { ALONE, after, type Before, before, ENDED, outcome, VALID, VIEW } from "#tests/support/restored-events.ts";
import type { World } from "#tests/support/world.ts";
import { manageKeys } from "#tools/keys.ts";
import { momentOf, run } from "#tools/restored/command.ts";
import { kinds } from "#tools/restored/findings.ts";
import { restore } from "#tools/restored/restore.ts";

type Backups = Awaited<ReturnType<typeof backups>>;

let places: Backups;
let at: Before;
let restoredTo = "";
let backup: Item[];
let damaged: Item[];
let port: number;
let droppedKid = "";
let first: Served;
const ring = async (engine: Engine) => (await readRing(tableIn(engine).table)).map(({ kid }) => kid);

beforeAll(async () => {
  places = await backups();
  first = await places.serve(await places.newEngine());
  port = Number(new URL(first.api.url).port);
  at = await before(first.api);
  [backup, restoredTo] = [await rowsIn(first.engine), new Date().toISOString()];
  await after(first.api, at);
  const seal = newSeal(Buffer.from(await places.sealKey(), "base64"));
  const { table } = tableIn(first.engine);
  droppedKid = (await ring(first.engine))[0] ?? "";
  await manageKeys(["rotate", "--now"], { table, seal }, Date.now());
  await manageKeys(["drop", droppedKid], { table, seal }, Date.now());
  damaged = await rowsIn(first.engine);
  await first.close();
});
afterAll(() => places.close());

/** An engine with the restored table, and the damaged one. */
const restoredEngine = async (): Promise<Engine> => {
  const engine = await places.newEngine();
  await restoreInto(engine, backup);
  await restoreInto(engine, damaged, OLD_TABLE);
  return engine;
};
/** Runs the command. */
const command = async (engine: Engine, ...words: readonly string[]) => {
  const lines: string[] = [];
  const environment = { DYNAMODB_ENDPOINT: engine.endpoint, AWS_REGION: "us-east-1", SEAL_KEY: await places.sealKey() };
  const print = (line: string) => void lines.push(line);
  return { code: await run([TABLE_NAME, ...words], environment, print, print), output: lines.join("\n") };
};
const SAFE = ["--yes"] as const;
const since = () => ["--restored-to", restoredTo] as const;
const serving = async (engine: Engine, work: (api: World) => Promise<void>): Promise<void> => {
  const served = await places.serve(engine, port);
  try {
    await work(served.api);
  } finally {
    await served.close();
  }
};

const [BINNED_USER, BINNED_CLIENT] = ["a user deleted then and now", "a client deleted then and now"] as const;

/** The kinds that this test has, besides counters of failed sign-ins. */
const CARRIED = Object.keys(kinds).filter((kind) => !["locks", "apis-changed", "unreadable"].includes(kind));

describe("a restored table", () => {
  test("without the command, has everything again that was ended: this is what it is for", async () => {
    await serving(await restoredEngine(), async (api) => {
      expect(await outcome(api, at)).toEqual(VALID);
    });
  });
  test("with the old table, has nothing again that was ended; the rest works after a new sign-in", async () => {
    const engine = await restoredEngine();
    const { code, output } = await command(engine, ...since(), "--from", OLD_TABLE, ...SAFE);
    expect(code, output).toBe(0);
    expect(await ring(engine)).toEqual([expect.not.stringMatching(droppedKid)]);
    await serving(engine, async (api) => {
      expect(await outcome(api, at)).toEqual(ENDED);
    });
  });
  test("without the old table, has no token of before; the command says what it cannot know", async () => {
    const engine = await restoredEngine();
    const { code, output } = await command(engine, ...since(), ...SAFE);
    expect([code, output]).toEqual([0, expect.stringContaining("Without the old table")]);
    await serving(engine, async (api) => {
      expect(await outcome(api, at)).toEqual(ALONE);
    });
  });
});

describe("the command", () => {
  test("lists every change and writes nothing, prints no secret, and names what is lost", async () => {
    const engine = await restoredEngine();
    const { code, output } = await command(engine, ...since(), "--from", OLD_TABLE, "--list");
    expect(code, output).toBe(0);
    expect(await rowsIn(engine)).toEqual(backup);
    const found = output.split("\n").map((line) => line.split("  ")[0] ?? "");
    const count = (kind: string) => found.filter((one) => one === kind).length;
    expect(Object.fromEntries(CARRIED.map((kind) => [kind, count(kind)]))).toEqual({
      "tenants-deactivated": 1,
      "users-deleted": 1,
      "users-blocked": 2,
      passwords: 2,
      memberships: 1,
      "groups-deleted": 1,
      assignments: 1,
      "roles-deleted": 1,
      permissions: 1,
      "applications-deleted": 1,
      "applications-disabled": 1,
      "clients-ended": 1,
      secrets: 1,
      "client-keys": 2,
      authorizations: 1,
      "deleted-resources": 3,
    });
    expect(output).toMatch(/^locks {2}carbon.super {2}a counter$/m);
    expect(output).toMatch(/^not restored {2}carbon.super {2}user /m);
    for (const row of damaged) {
      for (const secret of [row.hash, row.sealed]) if (typeof secret === "string") expect(output).not.toContain(secret);
    }
    expect(output).not.toMatch(/sealedSecret|argon2|"v1|password-hash/);
  });

  test("leaves the kinds that were named", async () => {
    const engine = await restoredEngine();
    const kinds = "users-deleted,passwords,deleted-resources";
    const { code, output } = await command(engine, ...since(), "--from", OLD_TABLE, "--leave", kinds, ...SAFE);
    expect([code, output]).toEqual([0, expect.stringMatching(/^passwords \(left\) {2}carbon.super/m)]);
    await serving(engine, async (api) => {
      const left = {
        "a deleted user": 200,
        "a replaced password": 200,
        "its new password": 401,
        "a user deleted then, who returned with another password": [200, 200, 401],
        "a user deleted then, and for good": [200, 200, 401],
        "a client deleted then, which returned with another secret": [200, VIEW],
      };
      expect(await outcome(api, at)).toEqual({ ...ENDED, ...left });
    });
  });

  test("continues where it was interrupted, at any line; once done, it changes nothing", async () => {
    const engine = await restoredEngine();
    const seal = newSeal(Buffer.from(await places.sealKey(), "base64"));
    const [restored, old] = [tableIn(engine, TABLE_NAME, 5), tableIn(engine, OLD_TABLE, 5)];
    const given = { restored, old, restoredToMs: Date.parse(restoredTo), seal, leaving: new Set([]), isListing: false };
    const interrupted = async (lines: number): Promise<boolean> => {
      let printed = 0;
      const print = () => {
        printed += 1;
        if (printed > lines) throw new Error("interrupted");
      };
      try {
        await restore({ ...given, nowMs: Date.now(), print });
        return true;
      } catch (error) {
        expect(error).toEqual(new Error("interrupted"));
        return false;
      }
    };
    let runs = 1;
    for (; !(await interrupted(4)); runs += 1) expect(runs).toBeLessThan(40);
    expect(runs).toBeGreaterThan(5);
    const [kid, rows] = [await ring(engine), await rowsIn(engine)];
    expect((await command(engine, ...since(), "--from", OLD_TABLE, ...SAFE)).code).toBe(0);
    expect([await ring(engine), await rowsIn(engine)]).toEqual([kid, rows]);
    const other = await command(engine, ...since(), "--from", OLD_TABLE, "--leave", "locks", ...SAFE);
    expect([other.code, other.output]).toEqual([1, expect.stringContaining("had other options")]);
    await serving(engine, async (api) => {
      expect(await outcome(api, at)).toEqual(ENDED);
    });
    // The next backup has the progress of this run. It counts for this restore only.
    const again = await places.newEngine();
    await restoreInto(again, await rowsIn(engine));
    const later = await command(again, "--restored-to", new Date().toISOString(), ...SAFE);
    expect(later.code, later.output).toBe(0);
    expect(await ring(again)).not.toEqual(kid);
  });

  test("compares later with an old table that an earlier run did not have", async () => {
    const engine = await restoredEngine();
    await command(engine, ...since(), ...SAFE);
    const kid = await ring(engine);
    expect((await command(engine, ...since(), "--from", OLD_TABLE, ...SAFE)).code).toBe(0);
    expect(await ring(engine)).toEqual(kid);
    await serving(engine, async (api) => {
      // The earlier run could not know which deleted resources have not changed since.
      const { [BINNED_USER]: user, [BINNED_CLIENT]: client } = ALONE;
      expect(await outcome(api, at)).toEqual({ ...ENDED, [BINNED_USER]: user, [BINNED_CLIENT]: client });
    });
  });

  test("names a damaged row, carries over the rest, and ends with code 2", async () => {
    const engine = await restoredEngine();
    const id = at.ids.kept ?? "";
    const row = damaged.find(({ PK }) => PK === `T#carbon.super#U#${id}`);
    await restoreInto(engine, [{ ...row, PK: row?.PK ?? "", SK: "A", active: "yes" }], OLD_TABLE);
    const { code, output } = await command(engine, ...since(), "--from", OLD_TABLE, ...SAFE);
    expect([code, output]).toEqual([2, expect.stringContaining(`unreadable  carbon.super  user ${id}`)]);
    expect(output).toMatch(/^secrets {2}/m);
  });

  test("refuses what could end the tokens of a table in use, and wrong options, before it writes", async () => {
    const engine = await places.newEngine();
    await restoreInto(engine, backup);
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [since(), /is not a restored table, says AWS.*add --yes/],
      [SAFE, /--restored-to is missing/],
      [["--restored-to", "yesterday", ...SAFE], /must be a time with its zone/],
      [["--restored-to", "2999-01-01T00:00:00Z", ...SAFE], /in the future/],
      [[...since(), "--from", TABLE_NAME, ...SAFE], /--from names the restored table/],
      [[...since(), "--from", "no-such-table", ...SAFE], /non-existent|not found/i],
      [[...since(), "--leave", "everything", ...SAFE], /there is no kind "everything"/],
      [[...since(), "--list"], /--list needs --from/],
      [["another", ...SAFE], /npm run restored -- <table>/],
      [["--force"], /Unknown option/],
    ];
    for (const [words, message] of refused) {
      expect(await command(engine, ...words)).toEqual({ code: 1, output: expect.stringMatching(message) });
    }
    expect(await rowsIn(engine)).toEqual(backup);
  });

  test("believes AWS about the moment, and waits for a restore that is not complete", () => {
    const origin = { restoredToMs: Date.parse("2026-01-31T12:00:00Z"), isInProgress: false };
    expect(momentOf("t", origin, undefined, false)).toBe(origin.restoredToMs);
    expect(momentOf("t", origin, origin.restoredToMs + 400, false)).toBe(origin.restoredToMs);
    expect(() => momentOf("t", origin, origin.restoredToMs + 2_000, true)).toThrow(/was restored to 2026-01-31T12/);
    expect(() => momentOf("t", { ...origin, isInProgress: true }, undefined, true)).toThrow(/still being restored/);
  });
});
