/** What the parts of `npm run index` share: the user stores, and a walk through the users of one of them. */
import type { DeclaredIndexes } from "#core/identities/users/declared-indexes.ts";
import type { User } from "#core/identities/users/model.ts";
import { type UserStore, userStore } from "#core/identities/users/store.ts";
import type { Table } from "#core/table/table.ts";

/** Users that are read together. */
const PAGE = 100;

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
  /** The tenants whose applications are indexed; whether they are all. */
  readonly tenants: readonly string[];
  readonly ofAllTenants: boolean;
  /** Users, or applications, per second that are read, and at most written. */
  readonly rate: number;
  /** How long containers that do not declare an attribute may still write users. */
  readonly settledMs: number;
  /** Milliseconds now. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Gets each line for people. */
  readonly print: (line: string) => void;
  /** Shows how far a walk through users is. */
  readonly progress: (title: string, total: number) => Progress;
}

/** A progress bar. */
export interface Progress {
  add(count: number): void;
  stop(): void;
}

/** A page of users, and the name after which the next page begins. */
export interface UserPage {
  readonly users: readonly User[];
  readonly after: string;
}

/** The name of a user store, for people. */
export function nameOf({ tenant, userStore }: StorePlace): string {
  return `${userStore} of ${tenant}`;
}

/** The users of a store in the order of their names, at the rate of the run. Two round trips for each 100. */
export async function* walk(
  { table, rate, now, wait, progress }: IndexWork,
  title: string,
  { tenant, userStore: store }: StorePlace,
  from?: string,
): AsyncGenerator<UserPage, void> {
  const users: UserStore = userStore(table);
  const names = users.names(tenant, store);
  const [total, before] = await Promise.all([names.total(), from === undefined ? 0 : names.rank(from)]);
  const bar = progress(title, total);
  bar.add(before);
  try {
    for (let after = from, more = true; more; ) {
      const beganMs = now();
      // What is too old is seen when it is read again.
      const page = await names.after(after, PAGE, { consistent: false });
      const last = page.entries.at(-1);
      if (!last) return;
      const found = await users.findMany(
        tenant,
        page.entries.map(({ id }) => id),
        { consistent: false },
      );
      yield { users: found.flatMap((user) => (user?.userStore === store ? [user] : [])), after: last.key };
      bar.add(page.entries.length);
      ({ more } = page);
      after = last.key;
      const leftMs = (page.entries.length / rate) * 1_000 - (now() - beganMs);
      if (more && leftMs > 0) await wait(leftMs);
    }
  } finally {
    bar.stop();
  }
}
