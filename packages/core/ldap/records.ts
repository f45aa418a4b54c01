/**
 * The shadows of a directory's users: user items of the table, with an entry in the name index of their user store as those of
 * any user, so that groups and roles deal with them as with any. The directory may rename and remove users without a word; a
 * shadow that is in the way of another one is looked after then.
 */
import { isDeepStrictEqual } from "node:util";
import type { User } from "../identities/users/model.ts";
import type { UserStore } from "../identities/users/store.ts";
import { Fault } from "../platform/faults.ts";
import { foldName } from "../platform/fold.ts";
import type { Step } from "../table/table.ts";
import { revokingUser } from "../tokens/revocation-store.ts";
import type { DirectorySettings } from "./model.ts";

/** The shadows of one directory. */
export interface Shadows {
  find(id: string): Promise<User | undefined>;
  findMany(ids: readonly string[]): Promise<readonly (User | undefined)[]>;
  /** Keeps what the directory has no place for. Answers the shadow; `undefined` where there is nothing to keep and none was. */
  write(wished: User, steps: readonly Step[]): Promise<User | undefined>;
  /** Sees to it that users have shadows under the names they have. */
  anchor(users: readonly User[]): Promise<void>;
}

/** Opens the shadows. `nameNow` asks the directory what the user of an id is called; `undefined` for one that is gone. */
export function shadowsOf(
  table: UserStore,
  { tenant, domain }: DirectorySettings,
  nameNow: (id: string) => Promise<string | undefined>,
): Shadows {
  const own = (user: User | undefined): User | undefined => (user?.userStore === domain ? user : undefined);
  const find: Shadows["find"] = async (id) => own(await table.find(tenant, id));

  const renameTo = (id: string, userName: string): Promise<User> =>
    table.update(tenant, id, (before) => ({ after: { ...before, userName } }), { userStore: domain, name: userName });

  /**
   * Frees a name that the shadow of another user has, who is gone or is called otherwise by now. Answers what is left to do
   * behind that: of users who took each other's names, one waits under its id, which is nobody's name.
   */
  const free = async (name: string, id: string, nowMs: number): Promise<() => Promise<unknown>> => {
    const nothing = () => Promise.resolve();
    const other = await table.idOf({ tenant, userStore: domain, name });
    if (other === undefined || other === id) return nothing;
    const now = await nameNow(other);
    if (now !== undefined && foldName(now) === foldName(name)) return nothing;
    if (now === undefined) {
      const removal = { check: () => undefined, steps: () => revokingUser(tenant, other) };
      await table.remove(tenant, other, nowMs, removal);
      return nothing;
    }
    try {
      await renameTo(other, now);
      return nothing;
    } catch (error) {
      if (!isTaken(error)) throw error;
      await renameTo(other, other);
      // Where somebody else has its name even then, it is looked after when it is needed.
      return () => renameTo(other, now).catch(() => undefined);
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

  const add = (wished: User, steps: readonly Step[]): Promise<User> => {
    const user: User = { ...wished, userStore: domain, hasPassword: false, version: 1, groupIds: [], roleIds: [] };
    return unlessTaken(user, async () => {
      try {
        return await table.add(tenant, user, { steps });
      } catch (error) {
        // Another request may have made it meanwhile.
        if (!(await find(user.id))) throw error;
        return update(user, steps);
      }
    });
  };

  const update = (wished: User, steps: readonly Step[]): Promise<User> =>
    unlessTaken(wished, () =>
      table.update(
        tenant,
        wished.id,
        (before) => {
          const { userName, active, profile } = wished;
          const after: User = { ...before, userName, active, profile };
          if (steps.length === 0 && isDeepStrictEqual(after, before)) return undefined;
          return { after: { ...after, modifiedMs: Math.max(wished.modifiedMs, before.modifiedMs) }, steps };
        },
        { userStore: domain, name: wished.userName },
      ),
    );

  return {
    find,

    findMany: async (ids) => (await table.findMany(tenant, ids)).map(own),

    async write(wished, steps) {
      if (await find(wished.id)) return update(wished, steps);
      const isEmpty = wished.active && Object.keys(wished.profile).length === 0 && steps.length === 0;
      return isEmpty ? undefined : add(wished, steps);
    },

    async anchor(users) {
      const found = await table.findMany(
        tenant,
        users.map(({ id }) => id),
      );
      for (const [at, user] of users.entries()) {
        const shadow = own(found[at]);
        // What the directory knows of a user is not repeated: without a shadow there is nothing else.
        if (!shadow) await add({ ...user, profile: {} }, []);
        else if (shadow.userName !== user.userName) await update({ ...shadow, userName: user.userName }, []);
      }
    },
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof Fault && error.fault === "scim.unique";
}
