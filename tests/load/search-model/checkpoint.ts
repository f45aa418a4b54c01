/** A moment without changes: what is in doubt is read, and lists are compared with a scan of the model. */

import { changeUser } from "#core/directory/provisioning/users.ts";
import { withStore } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { isSame } from "#core/scim/protocol/resource.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { CALM } from "#tests/support/hostile-database.ts";
import type { Random } from "#tests/support/random.ts";
import { type Ask, askFrom } from "./asks.ts";
import type { State } from "./model.ts";
import { nameOf, resourceOf, Scan, storeOf } from "./scan.ts";
import { listOn, type Shown, storesOn, TENANT, usersOn, type World } from "./world.ts";

/** What checkpoints compared. */
export interface Compared {
  lists: number;
  pages: number;
  refused: number;
  decided: number;
  /** Changes that ended between their transactions. */
  settled: number;
  /** What was not as it should be, one sentence each. */
  readonly wrong: string[];
}

/** Longer lists are walked by cursor in one of so many cases, otherwise their first pages. */
const WALKED_WHOLE = 600;
const WALKED_ONE_IN = 25;
const FIRST_PAGES = 2;
const PAGE_MOST = 200;
const USERS_AT_ONCE = 400;

/** Reads what is in doubt. Returns the users as they are for certain. */
export const decideAll = async (world: World, compared: Compared): Promise<readonly State[]> => {
  const { users, database } = world;
  database.set(CALM);
  database.settle();
  const open = [...users.values()].filter(({ isInDoubt }) => isInDoubt);
  const begun: string[] = [];
  await eachRead(
    world,
    open.map(({ id }) => id),
    (id, state) => {
      users.get(id)?.decide(state);
      if (state?.unsettled) begun.push(id);
    },
  );
  compared.decided += open.length;
  // The client repeats the request, which was not answered.
  for (const id of begun) {
    await changeUser(storesOn(world, world.calm()), { tenant: TENANT, now: Date.now() }, id, {
      change: (same) => same,
    });
  }
  compared.settled += begun.length;
  for (const tracked of users.values()) tracked.prune();
  const states = [...users.values()].flatMap(({ state }) => state ?? []);
  const names = new Set(states.map((state) => `${state.userStore}/${nameOf(resourceOf(state))}`));
  if (names.size !== states.length) throw new Error("two users have one name");
  return states;
};

/** Compares the rows of all users with the model. */
export const verifyAll = async (world: World): Promise<void> => {
  await eachRead(world, [...world.users.keys()], (id, state) => world.users.get(id)?.decide(state));
};

const eachRead = async (
  world: World,
  ids: readonly string[],
  seen: (id: string, state: State) => void,
): Promise<void> => {
  for (let at = 0; at < ids.length; at += USERS_AT_ONCE) {
    const some = ids.slice(at, at + USERS_AT_ONCE);
    const read = await usersOn(world, world.calm()).findMany(TENANT, some);
    for (const [place, id] of some.entries()) seen(id, read[place]);
  }
};

/** Compares so many random lists with a scan. */
export const compareLists = async (world: World, random: Random, count: number, compared: Compared): Promise<void> => {
  const states = await decideAll(world, compared);
  const scan = new Scan(
    states.flatMap((state) => state ?? []),
    world,
  );
  for (let turn = 0; turn < count; turn += 1) {
    const ask = askFrom(random, scan.resources, world);
    try {
      await compare(world, scan, ask, random, compared);
    } catch (error) {
      const isRefused = error instanceof Fault && error.fault === "scim.too_many" && scan.mayBeTooMany(ask);
      if (isRefused) compared.refused += 1;
      else compared.wrong.push(`${JSON.stringify(ask)}: ${(error as Error).stack}`);
    }
    compared.lists += 1;
  }
};

/** A part of a list, and what it showed. */
interface Part {
  readonly what: string;
  readonly offset: number;
  readonly ids: readonly string[];
}

const compare = async (world: World, scan: Scan, ask: Ask, random: Random, compared: Compared): Promise<void> => {
  const orders = scan.answer(ask);
  const total = orders[0]?.length ?? 0;
  const byId = new Map(scan.resources.map((resource) => [String(resource.id), resource]));
  const parts: Part[] = [];
  const read = async (what: string, offset: number, page: Resource): Promise<Shown> => {
    const shown = await listOn(world, world.calm(), ask, page);
    if (shown.total !== total) throw new Error(`${what} has the total ${shown.total}, not ${total}`);
    for (const user of shown.users) checkShown(user, byId.get(String(user.id)), what);
    parts.push({ what, offset, ids: shown.users.map(({ id }) => String(id)) });
    compared.pages += 1;
    return shown;
  };
  if (random.chance(0.3)) await read("the total alone", 0, { count: 0 });
  for (const offset of [random.of([0, Math.max(0, total - random.upTo(PAGE_MOST))]), random.upTo(total + 2)]) {
    const count = 1 + random.upTo(PAGE_MOST);
    await read(`the page of ${count} at ${offset}`, offset, { startIndex: offset + 1, count });
  }
  if (ask.version === 2) await walk(random, total, read);
  const isIn = (order: readonly string[], { offset, ids, what }: Part): boolean => {
    const isWhole =
      what.startsWith("the total") || ids.length === Math.max(0, Math.min(order.length - offset, pageSize(what)));
    return isWhole && ids.every((id, at) => id === order[offset + at]);
  };
  if (orders.some((order) => parts.every((part) => isIn(order, part)))) return;
  throw new Error(difference(orders, parts, isIn));
};

const pageSize = (what: string): number => Number(/ of (\d+)/.exec(what)?.[1]);

const walk = async (
  random: Random,
  total: number,
  read: (what: string, offset: number, page: Resource) => Promise<Shown>,
): Promise<void> => {
  const isWhole = total <= WALKED_WHOLE || random.upTo(WALKED_ONE_IN) === 0;
  const count = total > WALKED_WHOLE ? PAGE_MOST : 20 + random.upTo(PAGE_MOST - 19);
  let offset = 0;
  let cursor: string | undefined = "";
  for (let page = 0; cursor !== undefined && (isWhole || page < FIRST_PAGES); page += 1) {
    const shown: Shown = await read(`the page of ${count} by cursor, ${page} pages in`, offset, { cursor, count });
    cursor = shown.next;
    offset += count;
  }
  if (isWhole && offset < total) throw new Error(`the pages by cursor end after ${offset} of ${total}`);
};

/** Says where the pages leave the order that they follow furthest. */
const difference = (
  orders: readonly (readonly string[])[],
  parts: readonly Part[],
  isIn: (order: readonly string[], part: Part) => boolean,
): string => {
  const [order = []] = orders.toSorted(
    (a, b) => parts.filter((part) => isIn(b, part)).length - parts.filter((part) => isIn(a, part)).length,
  );
  const wrong = parts.filter((part) => !isIn(order, part));
  const [first] = wrong;
  const end = first ? first.ids.length + first.offset : 0;
  const expected = first ? order.slice(first.offset, end) : [];
  const at = first ? first.ids.findIndex((id, place) => id !== expected[place]) : -1;
  const known = new Set(order);
  const strange = first?.ids.filter((id) => !known.has(id)).length;
  return [
    `${wrong.length} of ${parts.length} pages are in no order of a scan with ${order.length} users.`,
    `${first?.what} shows ${first?.ids.length} users, ${strange} of them no match; from place ${at} on it differs:`,
    `${first?.ids.slice(at, at + 4)} and not ${expected.slice(at, at + 4)}`,
  ].join(" ");
};

const shownMembers = ["userName", "active", "name", "displayName", "emails", "phoneNumbers", "externalId", "title"];

/** Whether a user is shown as it is. */
const checkShown = (shown: Resource, resource: Resource | undefined, what: string): void => {
  if (!resource) throw new Error(`${what} shows ${shown.id}, who does not exist`);
  // Lists of SCIM 1.1 show some members otherwise.
  if (!("schemas" in shown) || shown.meta === undefined) return;
  const expected: Resource = { ...resource, userName: withStore(storeOf(resource), String(resource.userName)) };
  for (const name of shownMembers) {
    if (!isSame(shown[name], expected[name])) {
      throw new Error(`${what} shows ${name} of ${shown.id} as ${JSON.stringify(shown[name])}`);
    }
  }
};
