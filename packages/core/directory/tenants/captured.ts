/** The users of the super tenant whose names a new tenant would capture (decision 0062). */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { foldName } from "../../kernel/fold.ts";
import { bindFilter } from "../../scim/protocol/filter/bind.ts";
import { parseFilter } from "../../scim/protocol/filter/parse.ts";
import { userType } from "../../scim/protocol/schema/resource-types.ts";
import type { UserStore } from "../users/store.ts";

/** Users of a directory that are counted: each costs a read of its record. */
const COUNTED_MAX = 1_000;

/**
 * Counts the names that end in `@domain`, exactly in the table, up to 1,000 in each directory. `domain` has the
 * characters of a domain only. Reads the leaves of the name indexes: two round trips, and one more for each 280,000
 * names of a store.
 */
export async function capturedNames(users: UserStore, userStores: readonly string[], domain: string): Promise<number> {
  const end = `@${domain}`;
  const counts = await Promise.all(
    userStores.map(async (store) =>
      users.elsewhere?.has(SUPER_TENANT, store)
        ? inDirectory(users.elsewhere, store, end)
        : (await users.names(SUPER_TENANT, store).search((name) => name.endsWith(end), { offset: 0, limit: 0 })).total,
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function inDirectory(
  directories: NonNullable<UserStore["elsewhere"]>,
  store: string,
  end: string,
): Promise<number> {
  const filter = bindFilter(userType, parseFilter(`userName ew "${end}"`), { unknown: "refuse" });
  let count = 0;
  for await (const page of directories.walk(SUPER_TENANT, store, filter, COUNTED_MAX)) {
    count += page.filter(({ userName }) => foldName(userName).endsWith(end)).length;
    if (count >= COUNTED_MAX) break;
  }
  return count;
}
