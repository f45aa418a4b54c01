/** What the parts of `npm run index` share: walking, waiting, and comparing until nothing differs. */

import type { Table } from "#core/database/table/table.ts";
import type { DeclaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { heldNames } from "#core/directory/users/index-plan.ts";
import type { User } from "#core/directory/users/model.ts";
import { type UserStore, userStore } from "#core/directory/users/store.ts";
import { settleIndexes } from "#core/directory/users/write-store.ts";

/** Users, or applications, that are read together. */
export const PAGE = 100;
/** Rounds until nothing is left to mend. */
const ROUNDS = 4;

/** A user store of a tenant, in the table. */
export interface StorePlace {
  readonly tenant: string;
  readonly userStore: string;
}

/** What a run needs. */
export interface IndexWork {
  readonly table: Table;
  readonly declared: DeclaredIndexes;
  readonly stores: readonly StorePlace[];
  /** The tenants whose applications are indexed. */
  readonly tenants: readonly string[];
  /** Users, or applications, per second that are read, and at most written. */
  readonly rate: number;
  /** How long containers that do not declare an attribute may still write users. */
  readonly settledMs: number;
  /** Milliseconds now. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Gets each line for people. */
  readonly print: (line: string) => void;
  /** Shows how far a walk is. */
  readonly progress: (title: string, total: number) => Progress;
}

/** A progress bar. */
export interface Progress {
  add(count: number): void;
  stop(): void;
}

/** A page of a walk: what was found in it, and the name after which the next page begins. */
export interface Page<Found> {
  readonly found: readonly Found[];
  readonly after: string;
}

/** The name of a user store, for people. */
export function nameOf({ tenant, userStore }: StorePlace): string {
  return `${userStore} of ${tenant}`;
}

/**
 * Brings a user into indexes. It stays in all others that hold it: functions with other settings may use them. Returns
 * whether anything changed.
 */
export function bringIn(table: Table, tenant: string, id: string, attributes: readonly string[]): Promise<boolean> {
  const namesOf = (user: User) => [...new Set([...attributes, ...heldNames(user)])];
  return settleIndexes({ table, tenant, declared: undefined }, id, namesOf);
}

/** Says which complete indexes the file of this run does not declare. Lists of functions that declare them use them. */
export function printUndeclared({ declared, print }: IndexWork, store: StorePlace, ready: readonly string[]): void {
  const others = ready.filter((name) => !declared.attributes.includes(name));
  if (others.length === 0) return;
  print(
    `${nameOf(store)}: there are complete indexes that deployment.toml does not declare: ${others.join(", ")}. They were left as they are. If the functions declare them, set DEPLOYMENT_TOML to their file and run this again; if not, the next change of a user takes them out of use.`,
  );
}

/** The users of a store in the order of their names, at the rate of the run. Two round trips for each 100. */
export async function* walkUsers(
  work: IndexWork,
  title: string,
  { tenant, userStore: store }: StorePlace,
  from?: string,
): AsyncGenerator<Page<User>, void> {
  const users: UserStore = userStore(work.table);
  const names = users.names(tenant, store);
  const [total, before] = await Promise.all([names.total(), from === undefined ? 0 : names.rank(from)]);
  yield* walk(work, { title, total, before, from }, async (after) => {
    // What is too old is seen when it is read again.
    const { entries, more } = await names.after(after, PAGE, { consistent: false });
    const ids = entries.map(({ id }) => id);
    const read = ids.length > 0 ? await users.findMany(tenant, ids, { consistent: false }) : [];
    const found = read.flatMap((user) => (user?.userStore === store ? [user] : []));
    return { found, names: entries.map(({ key }) => key), more };
  });
}

/** What a walk goes through, for its progress bar. */
interface Way {
  readonly title: string;
  readonly total: number;
  /** How many are before the name where the walk begins. */
  readonly before: number;
  readonly from: string | undefined;
}

/** Reads pages of at most `PAGE` names one after the other, at the rate of the run. */
export async function* walk<Found>(
  { rate, now, wait, progress }: IndexWork,
  { title, total, before, from }: Way,
  read: (after: string | undefined) => Promise<{
    readonly found: readonly Found[];
    readonly names: readonly string[];
    readonly more: boolean;
  }>,
): AsyncGenerator<Page<Found>, void> {
  const bar = progress(title, total);
  bar.add(before);
  try {
    for (let after = from, more = true; more; ) {
      const beganMs = now();
      const page = await read(after);
      const last = page.names.at(-1);
      if (last === undefined) return;
      yield { found: page.found, after: last };
      bar.add(page.names.length);
      ({ more } = page);
      after = last;
      const leftMs = (page.names.length / rate) * 1_000 - (now() - beganMs);
      if (more && leftMs > 0) await wait(leftMs);
    }
  } finally {
    bar.stop();
  }
}

/** Waits until functions are gone that were there when a build began, and may not declare its attributes. */
export async function settle({ settledMs, now, wait, print }: IndexWork, beganMs: number): Promise<void> {
  const leftMs = beganMs + settledMs - now();
  if (leftMs <= 0) return;
  print(`Waits ${Math.ceil(leftMs / 1_000)} seconds for functions that do not declare the attributes yet.`);
  await wait(leftMs);
}

/**
 * Compares, and mends, until nothing is left to mend: what differs may be the work of another writer. `compare` returns
 * how many things were wrong. True where nothing is wrong in the end.
 */
export async function inRounds(isMending: boolean, compare: () => Promise<number>): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const wrong = await compare();
    if (wrong === 0 || !isMending) return wrong === 0;
  }
  return false;
}

/** What an index may hold wrongly, or not at all, by id; with the texts that were met of it in the index. */
export type Suspects = Map<string, Set<string>>;

/** Adds a suspect, or a text that was met of it. */
export function suspect(suspects: Suspects, id: string, text?: string): void {
  const texts = suspects.get(id) ?? new Set();
  suspects.set(id, text === undefined ? texts : texts.add(text));
}
