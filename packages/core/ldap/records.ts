/**
 * Directory records: user rows of the table for the users of a directory, each with an entry in the name index of its
 * user store, so that groups and roles treat them as any other user. A directory may rename and remove users without
 * notice. A record whose name another user needs is repaired at that moment.
 */
import { isDeepStrictEqual } from "node:util";
import type { User } from "../identities/users/model.ts";
import type { NotedUsers, UserStore } from "../identities/users/store.ts";
import { Fault } from "../platform/faults.ts";
import { foldName } from "../platform/fold.ts";
import type { Step } from "../table/table.ts";
import { revokingUser } from "../tokens/revocation-store.ts";
import type { DirectorySettings } from "./model.ts";

/** A change of a record that follows the directory: no request made it. */
const UNNOTED: NotedUsers = {};

/** The records of one directory. */
export interface DirectoryRecords {
  find(id: string): Promise<User | undefined>;
  findMany(ids: readonly string[]): Promise<readonly (User | undefined)[]>;
  /**
   * Stores what the directory does not hold of a user, and the change of the user in `noted`, for its change record.
   * Returns `undefined` where there is nothing to store and no record.
   */
  write(user: User, steps: readonly Step[], noted?: NotedUsers): Promise<User | undefined>;
  /** Creates the missing records of users, and renames those whose users have another name now. */
  anchor(users: readonly User[]): Promise<void>;
}

/** What records are opened with. */
export interface RecordsUse {
  /** The users of the table, among them the records. */
  readonly table: UserStore;
  /** False for a function without the right to remove users. */
  readonly removesUsers: boolean;
}

/**
 * Opens the records. `currentName` reads the user name of an id in the directory; `undefined` where it has no such
 * entry.
 */
export function directoryRecords(
  { table, removesUsers }: RecordsUse,
  { tenant, domain }: DirectorySettings,
  currentName: (id: string) => Promise<string | undefined>,
): DirectoryRecords {
  const own = (user: User | undefined): User | undefined => (user?.userStore === domain ? user : undefined);
  const find: DirectoryRecords["find"] = async (id) => own(await table.find(tenant, id));

  const renameTo = (id: string, userName: string): Promise<User> =>
    table.update(tenant, id, (before) => ({ after: { ...before, userName }, noted: UNNOTED }), {
      userStore: domain,
      name: userName,
    });

  /**
   * Frees a name that the record of another user holds, where that user is deleted or has another name now. Returns the
   * work to do after the name is taken: where two users swapped their names, one record holds its id as its name in
   * between. The record of a deleted user keeps its id as its name where the function does not remove users.
   */
  const free = async (name: string, id: string, nowMs: number): Promise<() => Promise<unknown>> => {
    const nothing = () => Promise.resolve();
    const other = await table.idOf({ tenant, userStore: domain, name });
    if (other === undefined || other === id) return nothing;
    const current = await currentName(other);
    if (current !== undefined && foldName(current) === foldName(name)) return nothing;
    if (current === undefined && !removesUsers) {
      await renameTo(other, other);
      return nothing;
    }
    if (current === undefined) {
      const removal = { check: () => undefined, steps: () => revokingUser(tenant, other), isFinal: true } as const;
      await table.remove(tenant, other, nowMs, removal);
      return nothing;
    }
    try {
      await renameTo(other, current);
      return nothing;
    } catch (error) {
      if (!isTaken(error)) throw error;
      await renameTo(other, other);
      // Where a third record holds that name, this one is repaired when it is next needed.
      return () => renameTo(other, current).catch(() => undefined);
    }
  };

  const unlessTaken = async <R>({ userName, id, modifiedMs }: User, write: () => Promise<R>): Promise<R> => {
    try {
      return await write();
    } catch (error) {
      if (!isTaken(error)) throw error;
      const finish = await free(userName, id, modifiedMs);
      const written = await write();
      await finish();
      return written;
    }
  };

  const add = (user: User, steps: readonly Step[], noted: NotedUsers): Promise<User> => {
    const record: User = { ...user, userStore: domain, hasPassword: false, version: 1, groupIds: [], roleIds: [] };
    return unlessTaken(record, async () => {
      try {
        return await table.add(tenant, record, { steps, noted });
      } catch (error) {
        // A concurrent request may have created it.
        if (!(await find(user.id))) throw error;
        return update(record, steps, noted);
      }
    });
  };

  const update = (user: User, steps: readonly Step[], noted: NotedUsers): Promise<User> =>
    unlessTaken(user, () =>
      table.update(
        tenant,
        user.id,
        (before) => {
          const { userName, active, profile } = user;
          const after: User = { ...before, userName, active, profile };
          if (steps.length === 0 && !isNoted(noted) && isDeepStrictEqual(after, before)) return undefined;
          return { after: { ...after, modifiedMs: Math.max(user.modifiedMs, before.modifiedMs) }, steps, noted };
        },
        { userStore: domain, name: user.userName },
      ),
    );

  return {
    find,

    findMany: async (ids) => (await table.findMany(tenant, ids)).map(own),

    async write(user, steps, noted = UNNOTED) {
      if (await find(user.id)) return update(user, steps, noted);
      const isEmpty = user.active && Object.keys(user.profile).length === 0 && steps.length === 0 && !isNoted(noted);
      return isEmpty ? undefined : add(user, steps, noted);
    },

    async anchor(users) {
      const found = await table.findMany(
        tenant,
        users.map(({ id }) => id),
      );
      for (const [at, user] of users.entries()) {
        const record = own(found[at]);
        // A user without a record has no attribute outside the directory.
        if (!record) await add({ ...user, profile: {} }, [], UNNOTED);
        else if (record.userName !== user.userName) await update({ ...record, userName: user.userName }, [], UNNOTED);
      }
    },
  };
}

/** Whether the record of a change has something to show. */
function isNoted({ before, after, hasNewPassword = false }: NotedUsers): boolean {
  return hasNewPassword || !isDeepStrictEqual(shownOf(before), shownOf(after));
}

function shownOf(user: User | undefined) {
  return user && [user.userName, user.active, user.profile];
}

function isTaken(error: unknown): boolean {
  return error instanceof Fault && error.fault === "scim.unique";
}
