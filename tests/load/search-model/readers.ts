/** Lists that are read while users change: whoever stays as it is, is shown exactly once. */
import { Fault } from "#core/kernel/faults.ts";
import { type BoundFilter, leavesOf, pathName } from "#core/scim/protocol/filter/bound.ts";
import { matches } from "#core/scim/protocol/filter/evaluate.ts";
import type { Json, Resource } from "#core/scim/protocol/schema/attribute.ts";
import { canonical } from "#tests/faults/ledger.ts";
import type { Random } from "#tests/support/random.ts";
import { type Ask, askFrom, type Pool } from "./asks.ts";
import type { State } from "./model.ts";
import { boundOf, resourceOf, storeOf } from "./scan.ts";
import { HOSTILE, listOn, type World } from "./world.ts";

/** What readers did. */
export interface Read {
  walks: number;
  pages: number;
  /** Users that had to be on exactly one page. */
  stayed: number;
  unavailable: number;
  refused: number;
  /** What was not as it should be, one sentence each. */
  readonly wrong: string[];
}

const PAGE_MOST = 200;
const PAGES_MOST = 14;
/** A read may show what was until then. */
const SLACK_MS = HOSTILE.halfMs + 20;

/** How often a list may show a user. */
interface Seen {
  readonly least: 0 | 1;
  readonly most: number;
}
/** Nothing that the list knows of the user changes. */
const staying: Seen = { least: 1, most: 1 };
const away: Seen = { least: 0, most: 0 };
/**
 * The user changes. A list reads its values one after the other, so that it may miss the user, or meet it once in each
 * of its states.
 */
const changing = (states: readonly State[]): Seen => ({ least: 0, most: Math.max(2, states.length) });

/** Reads lists until `isOver`. */
export const reader = async (world: World, random: Random, pool: Pool, isOver: () => boolean, read: Read) => {
  while (!isOver()) {
    const ask = askFrom(random, pool, world);
    if (ask.version === 1) continue;
    try {
      await (random.chance(0.7) ? walk(world, ask, random, isOver, read) : onePage(world, ask, random, read));
    } catch (error) {
      const fault = error instanceof Fault ? error.fault : undefined;
      if (fault === "service.unavailable") read.unavailable += 1;
      else if (fault === "scim.too_many") read.refused += 1;
      else read.wrong.push(`${JSON.stringify(ask)}: ${(error as Error).stack}`);
    }
  }
};

/** All pages of a cursor. */
const walk = async (world: World, ask: Ask, random: Random, isOver: () => boolean, read: Read): Promise<void> => {
  const startedMs = performance.now() - SLACK_MS;
  const count = random.of([20 + random.upTo(PAGE_MOST - 19), PAGE_MOST]);
  const times: Showings = new Map();
  let cursor: string | undefined = "";
  for (let page = 0; cursor !== undefined; page += 1) {
    // What is not read to its end says nothing of who is missing.
    if (isOver() || page >= PAGES_MOST) {
      checkAll(world, ask, startedMs, times, { isWhole: false });
      return;
    }
    const shown = await listOn(world, world.hostile(), ask, { cursor, count });
    note(times, shown.users, page);
    cursor = shown.next;
    read.pages += 1;
  }
  read.stayed += checkAll(world, ask, startedMs, times, { isWhole: true }).least;
  read.walks += 1;
};

/** One page by offset, and the total. */
const onePage = async (world: World, ask: Ask, random: Random, read: Read): Promise<void> => {
  const startedMs = performance.now() - SLACK_MS;
  const startIndex = 1 + random.upTo(random.of([10, 300, world.users.size]));
  const shown = await listOn(world, world.hostile(), ask, { startIndex, count: random.upTo(PAGE_MOST + 1) });
  const times: Showings = new Map();
  note(times, shown.users, 0);
  const { least, most } = checkAll(world, ask, startedMs, times, { isWhole: false });
  if (shown.total < least || shown.total > most) {
    throw new Error(`the total is ${shown.total}, though ${least} users stayed and at most ${most} were there`);
  }
  read.pages += 1;
};

/** Checks how often users were shown since a time. Returns how many must be in the list, and how many may be. */
const checkAll = (
  world: World,
  ask: Ask,
  sinceMs: number,
  times: Showings,
  { isWhole }: { readonly isWhole: boolean },
): { readonly least: number; readonly most: number } => {
  const filters = new Map(world.stores.map((userStore) => [userStore, boundOf(ask, userStore)]));
  const tops = new Set(["userName", ...namesOf(ask, filters.values())]);
  let [leastOfAll, mostOfAll] = [0, 0];
  for (const tracked of world.users.values()) {
    const { least, most } = seenOf(tracked.since(sinceMs), filters, tops);
    const showings = times.get(tracked.id) ?? [];
    const shown = showings.length;
    if (shown > most) {
      const names = tracked
        .since(sinceMs)
        .map((state) => (state ? `${state.userName} of ${state.modifiedMs}` : "none"));
      const what = `shows ${tracked.id} ${shown} times, and not at most ${most} times; meanwhile it was`;
      throw new Error(`${what} ${names.join(", ")}; shown ${showings.join(", ")}`);
    }
    if (isWhole && shown < least) throw new Error(`does not show ${tracked.id}, who matched all the time`);
    leastOfAll += least;
    mostOfAll += most;
  }
  return { least: leastOfAll, most: mostOfAll };
};

/** Where each user was shown: the page, and the state. */
type Showings = Map<string, string[]>;

const note = (showings: Showings, users: Awaited<ReturnType<typeof listOn>>["users"], page: number): void => {
  for (const { id, userName, meta } of users) {
    const places = showings.get(String(id)) ?? [];
    places.push(`on page ${page} as ${JSON.stringify([userName, meta])}`);
    showings.set(String(id), places);
  }
};

/** The filter of each user store. */
type Filters = ReadonlyMap<string, BoundFilter | undefined>;

const seenOf = (states: readonly State[], filters: Filters, tops: ReadonlySet<string>): Seen => {
  const resources = states.flatMap((state) => (state ? [resourceOf(state)] : []));
  const [first, ...others] = resources;
  if (!first) return away;
  if (resources.length < states.length) return changing(states);
  if (others.some((other) => placeOf(other, tops) !== placeOf(first, tops))) return changing(states);
  const filter = filters.get(storeOf(first));
  return !filter || matches(filter, first) ? staying : away;
};

/** The attributes of which a filter or an order knows something. */
const namesOf = (ask: Ask, filters: Iterable<BoundFilter | undefined>): readonly string[] => {
  const leaves = [...filters].flatMap((filter) => (filter ? leavesOf(filter) : []));
  const paths = leaves.map((leaf) => (leaf.kind === "extension" ? "" : pathName(leaf.path)));
  return [...paths, ...(ask.sortBy === undefined ? [] : [ask.sortBy])].map((path) => path.split(".")[0] ?? "");
};

const placeOf = (resource: Resource, tops: ReadonlySet<string>): string =>
  canonical([...tops].map((name): Json => resource[name] ?? null));
