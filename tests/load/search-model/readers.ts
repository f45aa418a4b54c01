/** Lists that are read while users change: whoever stays as it is, is shown exactly once. */
import { Fault } from "#core/platform/faults.ts";
import { leavesOf, pathName } from "#core/scim/filter/bound.ts";
import { matches } from "#core/scim/filter/evaluate.ts";
import type { Json, Resource } from "#core/scim/schema/attribute.ts";
import { canonical } from "#tests/faults/ledger.ts";
import type { Random } from "#tests/support/random.ts";
import { type Ask, askFrom, type Pool } from "./asks.ts";
import { boundOf, resourceOf } from "./scan.ts";
import { HOSTILE, listOn, type World } from "./world.ts";

/** What readers did. */
export interface Read {
  walks: number;
  pages: number;
  /** Users that had to be on exactly one page. */
  stayed: number;
  unavailable: number;
  refused: number;
}

const PAGE_MOST = 200;
const PAGES_MOST = 40;
/** A read may show what was until then. */
const SLACK_MS = HOSTILE.halfMs + 20;

/** What became of a user in a list, from a time on. */
interface Seen {
  /** It is in the list all the time, and in one place. */
  readonly stays: boolean;
  /** It may be in the list. */
  readonly may: boolean;
}

/** Reads lists until `isOver`. */
export const reader = async (world: World, random: Random, pool: Pool, isOver: () => boolean, read: Read) => {
  while (!isOver()) {
    const ask = { ...askFrom(random, pool, world.groups), version: 2 } as const;
    if (ask.filter?.includes(" Eq ")) continue;
    try {
      await (random.chance(0.7) ? walk(world, ask, random, isOver, read) : onePage(world, ask, random, read));
    } catch (error) {
      if (!(error instanceof Fault)) throw new Error(`${JSON.stringify(ask)}: ${(error as Error).message}`, { cause: error });
      if (error.fault === "service.unavailable") read.unavailable += 1;
      else if (error.fault === "scim.too_many") read.refused += 1;
      else throw new Error(`${JSON.stringify(ask)}: ${error.fault} ${error.description}`, { cause: error });
    }
  }
};

/** All pages of a cursor. */
const walk = async (world: World, ask: Ask, random: Random, isOver: () => boolean, read: Read): Promise<void> => {
  const startedMs = performance.now() - SLACK_MS;
  const count = 20 + random.upTo(PAGE_MOST - 19);
  const times = new Map<string, number>();
  let cursor: string | undefined = "";
  let total = 0;
  for (let page = 0; cursor !== undefined; page += 1) {
    // What is not read to its end says nothing of who is missing.
    const isLeft = isOver() || page >= PAGES_MOST;
    if (isLeft) return checkAll(world, ask, startedMs, (id, { may }) => checkTimes(id, times.get(id) ?? 0, 0, may));
    const shown = await listOn(world.hostile(), ask, { cursor, count });
    total = shown.total;
    for (const { id } of shown.users) times.set(String(id), (times.get(String(id)) ?? 0) + 1);
    cursor = shown.next;
    read.pages += 1;
  }
  let stayed = 0;
  checkAll(world, ask, startedMs, (id, { stays, may }) => {
    stayed += Number(stays);
    checkTimes(id, times.get(id) ?? 0, Number(stays), may, stays ? 1 : 2);
  });
  read.stayed += stayed;
  read.walks += 1;
  if (total < 0) throw new Error("no total");
};

/** One page by offset, and the total. */
const onePage = async (world: World, ask: Ask, random: Random, read: Read): Promise<void> => {
  const startedMs = performance.now() - SLACK_MS;
  const startIndex = 1 + random.upTo(random.of([10, 300, world.users.size]));
  const shown = await listOn(world.hostile(), ask, { startIndex, count: random.upTo(PAGE_MOST + 1) });
  const ids = shown.users.map(({ id }) => String(id));
  const times = Map.groupBy(ids, (id) => id);
  let [least, most] = [0, 0];
  checkAll(world, ask, startedMs, (id, { stays, may }) => {
    least += Number(stays);
    most += stays ? 1 : may ? 2 : 0;
    checkTimes(id, times.get(id)?.length ?? 0, 0, may, stays ? 1 : 2);
  });
  if (shown.total < least || shown.total > most) {
    throw new Error(`the total is ${shown.total}, though at least ${least} users stayed and at most ${most} were there`);
  }
  read.pages += 1;
};

const checkTimes = (id: string, times: number, least: number, may: boolean, most = 1): void => {
  if (times > 0 && !may) throw new Error(`shows ${id}, who did not match at any time`);
  if (times < least) throw new Error(`does not show ${id}, who matched all the time`);
  if (times > most) throw new Error(`shows ${id} ${times} times`);
};

const checkAll = (world: World, ask: Ask, sinceMs: number, check: (id: string, seen: Seen) => void): void => {
  const filter = boundOf(ask);
  const tops = new Set(["userName", ...namesOf(ask)]);
  for (const tracked of world.users.values()) {
    const states = tracked.since(sinceMs);
    const resources = states.flatMap((state) => (state ? [resourceOf(state)] : []));
    const found = resources.filter((resource) => !filter || matches(filter, resource));
    const [first, ...others] = found.map((resource) => placeOf(resource, tops));
    const stays = found.length === states.length && others.every((other) => other === first);
    check(tracked.id, { stays, may: found.length > 0 });
  }
};

/** The attributes of which a filter or an order knows something. */
const namesOf = (ask: Ask): readonly string[] => {
  const filter = boundOf(ask);
  const leaves = filter ? leavesOf(filter) : [];
  const paths = leaves.map((leaf) => (leaf.kind === "extension" ? "" : pathName(leaf.path)));
  return [...paths, ...(ask.sortBy === undefined ? [] : [ask.sortBy])].map((path) => path.split(".")[0] ?? "");
};

const placeOf = (resource: Resource, tops: ReadonlySet<string>): string =>
  canonical([...tops].map((name): Json => resource[name] ?? null));
