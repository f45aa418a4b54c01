/**
 * A model of the search of users: sixteen workers change users, with every fault of the database and of processes, and
 * readers list them meanwhile. At each checkpoint random lists are what a scan of the model answers, with total and
 * order. A failure names its seed, which repeats all choices; the order of events depends on timing too.
 *
 * Worlds of odd seeds have a wide index of names, and those of seeds that leave 2 or 3 when divided by 4 two user stores.
 * `INDEX_MODEL=20000` is the number of users; `INDEX_MODEL_CHECKPOINTS`, `_CHANGES` (of each worker between two
 * checkpoints), `_LISTS` (at each), `_READERS`, `_SECONDS` (no checkpoint begins later) and `_SEED` are others.
 */
import { expect, test } from "vitest";
import { userItem } from "#core/directory/users/rows.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import { type Random, randomOf } from "#tests/support/random.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";
import { discrepancies } from "#tests/unit/identities/audit.ts";
import { type Compared, compareLists, decideAll, verifyAll } from "./checkpoint.ts";
import { newFaultCounts } from "./faults.ts";
import { type Read, reader } from "./readers.ts";
import { resourceOf } from "./scan.ts";
import { type Churn, churn, operations, type Worker } from "./workers.ts";
import { HOSTILE, openWorld, TENANT, usersOn, type World } from "./world.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[`INDEX_MODEL${name}`] ?? otherwise);
const USERS = setting("", 360);
const CHECKPOINTS = setting("_CHECKPOINTS", 3);
const CHANGES = setting("_CHANGES", 6);
const LISTS = setting("_LISTS", 20);
const SEEDS = process.env.INDEX_MODEL_SEED?.split(",").map(Number) ?? [1, 2, 3];
const WORKERS = 16;
/** No checkpoint begins later. */
const SECONDS = setting("_SECONDS", Number.POSITIVE_INFINITY);
const READERS = setting("_READERS", 2);
/** All rows are compared with the model so often, and audited a quarter as often. */
const VERIFIED_EACH = 10;
const AUDITED_EACH = 40;
/** Checkpoints of a long run. */
const LONG = 50;
/** A long run goes on after some wrong lists. */
const WRONG_MOST = 20;

const dealt = (world: World, seed: number): readonly Worker[] => {
  const ids = [...world.users.keys()];
  return Array.from({ length: WORKERS }, (_, at) => ({
    random: randomOf(seed * 1_000 + at),
    own: ids.filter((__, place) => place % WORKERS === at),
    removed: [],
  }));
};

/** What is wrong with the indexes that are not shipped, which an audit of the tenant does not read. */
const othersWrong = async ({ attributes, stores, declared, calm, users }: World): Promise<readonly string[]> => {
  const read = await usersOn({ declared }, calm()).findMany(TENANT, [...users.keys()]);
  const rows = read.flatMap((user) => (user ? [userItem(TENANT, user)] : []));
  const others = attributes.filter((name) => !shippedIndexes.includes(name));
  const problems = stores.map((userStore) =>
    indexProblems(calm(), { tenant: TENANT, userStore, attributes: others }, rows),
  );
  return (await Promise.all(problems)).flat();
};

/** Changes, with readers at the same time. */
const trouble = async (world: World, workers: readonly Worker[], random: Random, did: Churn, read: Read) => {
  world.database.set(HOSTILE);
  let isOver = false;
  const pool = [...world.users.values()].slice(0, 300).flatMap(({ state }) => (state ? [resourceOf(state)] : []));
  const readers = Array.from({ length: READERS }, () =>
    reader(world, randomOf(random.upTo(1_000_000_000)), pool, () => isOver, read),
  );
  const changing = churn(world, workers, CHANGES, did).finally(() => {
    isOver = true;
  });
  await Promise.all([changing, ...readers]);
};

test.each(SEEDS)("every list is what a scan of the model answers: seed %i", { timeout: 86_400_000 }, async (seed) => {
  const startedMs = performance.now();
  const world = await openWorld(seed, USERS, { isWide: seed % 2 === 1, storeCount: seed % 4 < 2 ? 1 : 2 });
  const random = randomOf(seed);
  const workers = dealt(world, seed);
  const did: Churn = { faults: newFaultCounts(), operations: new Map() };
  const compared: Compared = { lists: 0, pages: 0, refused: 0, decided: 0, settled: 0, wrong: [] };
  const read: Read = { walks: 0, pages: 0, stayed: 0, unavailable: 0, refused: 0, wrong: [] };
  const spent = { changing: 0 };
  const said = (what: string): void => {
    if (!process.env.FIGURES) return;
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    const changing = Math.round(spent.changing / 1_000);
    const operations = Object.fromEntries(did.operations);
    const all = {
      users: world.users.size,
      ...compared,
      read,
      ...world.counts,
      operations,
      faults: did.faults,
      ...world.database.counts,
    };
    process.stdout.write(`seed ${seed}, ${what}, ${seconds} s, ${changing} of them changes: ${JSON.stringify(all)}\n`);
  };
  const again = `INDEX_MODEL=${USERS} INDEX_MODEL_CHANGES=${CHANGES} INDEX_MODEL_LISTS=${LISTS} INDEX_MODEL_SEED=${seed}`;
  const wrong: string[] = [];
  /** What was said of it. */
  let told = 0;
  said("loaded");
  let isLast = false;
  for (let checkpoint = 1; !isLast; checkpoint += 1) {
    try {
      const beganMs = performance.now();
      await trouble(world, workers, random, did, read);
      spent.changing += performance.now() - beganMs;
      await compareLists(world, random, LISTS, compared);
      wrong.push(
        ...[...compared.wrong.splice(0), ...read.wrong.splice(0)].map((one) => `checkpoint ${checkpoint}: ${one}`),
      );
      if (wrong.length > WRONG_MOST) break;
      isLast = checkpoint === CHECKPOINTS || performance.now() - startedMs > SECONDS * 1_000;
      if (checkpoint % VERIFIED_EACH === 0 || isLast) await verifyAll(world);
      if (checkpoint % AUDITED_EACH === 0 || isLast) {
        await decideAll(world, compared);
        expect(await discrepancies(world.table, TENANT, world.stores)).toEqual([]);
        expect(await othersWrong(world)).toEqual([]);
      }
    } catch (error) {
      throw new Error(`${again}, checkpoint ${checkpoint}: ${(error as Error).message}`, { cause: error });
    }
    said([`checkpoint ${checkpoint}, ${wrong.length} wrong`, ...wrong.slice(told)].join("\n"));
    told = wrong.length;
  }
  expect(wrong, again).toEqual([]);
  // Every kind of fault and of change took part.
  expect(Object.entries(did.faults).filter(([, count]) => count === 0)).toEqual([]);
  expect(Object.entries(world.database.counts).filter(([, count]) => count === 0)).toEqual([]);
  expect([...did.operations.keys()].sort()).toEqual(operations.map(([name]) => name).sort());
  expect(compared.refused / compared.lists).toBeLessThan(0.3);
  expect(compared.decided).toBeGreaterThan(0);
  expect(read.stayed).toBeGreaterThan(0);
  // Short runs end before phone numbers have enough ranges.
  if (CHECKPOINTS >= LONG && world.stores.length > 1) expect(world.counts.severalTransactions).toBeGreaterThan(0);
});
