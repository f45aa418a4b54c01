/**
 * Directory records: user rows of the table for the users of a directory, each with an entry in the name index of its
 * user store, so that groups and roles treat them as any other user. A directory may rename and remove users without
 * notice. A record whose name another user needs is repaired at that moment.
 */
import { isDeepStrictEqual } from "node:util";
import { stale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";
import { Fault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import type { Json, Resource } from "../../scim/protocol/schema/attribute.ts";
import { isObject } from "../../scim/protocol/values.ts";
import { revokingUser } from "../../tokens/revocation-store.ts";
import type { User } from "../users/model.ts";
import type { UserStore } from "../users/store.ts";
import type { NotedUsers } from "../users/writing.ts";
import type { DirectorySettings } from "./model.ts";

/** A change of a record that follows the directory: no request made it. */
const UNNOTED: NotedUsers = {};

/** What a request makes of the part of a user that the directory does not hold: profiles have nothing else here. */
export interface RecordChange {
  /** The user for which it was decided; absent for a new one. */
  readonly before?: User;
  readonly after: User;
  /** The record of that user, if there was one. */
  readonly record?: User | undefined;
  readonly steps: readonly Step[];
  /** For its change record. */
  readonly noted: NotedUsers;
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
) {
  const own = (user: User | undefined): User | undefined => (user?.userStore === domain ? user : undefined);
  const find = async (id: string) => own(await table.find(tenant, id));

  const { renameTo, unlessTaken } = recordNames({ table, removesUsers }, { tenant, domain }, currentName);

  /** `isBound`: to the record for which the change was decided. */
  const add = (change: RecordChange, isBound: boolean): Promise<User> => {
    const { after, steps, noted } = change;
    const own = { userStore: domain, isRecord: true, hasPassword: false, version: 1, groupIds: [], roleIds: [] };
    const record: User = { ...after, ...own };
    return unlessTaken(record, async () => {
      try {
        return await table.add(tenant, record, { steps, noted, owned: () => new OtherRecord() });
      } catch (error) {
        // A concurrent request may have created it.
        if (!(await find(after.id))) throw error;
        return update(change, isBound);
      }
    });
  };

  const update = (change: RecordChange, isBound: boolean): Promise<User> => {
    const { after, record, steps, noted } = change;
    return unlessTaken(after, () =>
      table.update(
        tenant,
        after.id,
        (now) => {
          const isSame = now.version === record?.version;
          if (isBound && !isSame) throw new OtherRecord();
          const { active, profile, unproven } = isSame ? after : merged(change, now);
          const made: User = { ...now, userName: after.userName, active, profile, unproven };
          if (steps.length === 0 && !isNoted(noted) && isDeepStrictEqual(made, now)) return undefined;
          return { after: { ...made, modifiedMs: Math.max(after.modifiedMs, now.modifiedMs) }, steps, noted };
        },
        { userStore: domain, name: after.userName },
      ),
    );
  };

  const put = async (change: RecordChange, isBound: boolean): Promise<User | undefined> => {
    const { after, record, steps, noted } = change;
    if (record) return update(change, isBound);
    const isPlain = after.active && Object.keys(after.profile).length === 0 && !after.unproven;
    return isPlain && steps.length === 0 && !isNoted(noted) ? undefined : add(change, isBound);
  };

  return {
    find,

    findMany: async (ids: readonly string[]) => (await table.findMany(tenant, ids)).map(own),

    /**
     * Writes a change. Returns the record, or `undefined` where there is nothing to store and no record. Throws `stale`
     * where the record is another one than that for which the change was decided.
     */
    write: (change: RecordChange) =>
      put(change, true).catch((error: unknown) => {
        throw error instanceof OtherRecord || isGone(error) ? stale() : error;
      }),

    /**
     * Writes a change to any record. What another request has changed since stays, where this one does not change it.
     */
    merge: (change: RecordChange) => put(change, false),

    /** Creates the missing records of users, and renames those whose users have another name now. */
    async anchor(users: readonly User[]): Promise<void> {
      const found = await table.findMany(
        tenant,
        users.map(({ id }) => id),
      );
      for (const [at, user] of users.entries()) {
        const record = own(found[at]);
        // A user without a record has no attribute outside the directory.
        if (!record) await add({ after: { ...user, profile: {} }, steps: [], noted: UNNOTED }, false);
        // Nothing else of the user, who was read earlier than the record.
        else if (record.userName !== user.userName) await unlessTaken(user, () => renameTo(user.id, user.userName));
      }
    },
  };
}

/** Gives records their names, also those that records of others hold. */
function recordNames(
  { table, removesUsers }: RecordsUse,
  { tenant, domain }: Pick<DirectorySettings, "tenant" | "domain">,
  currentName: (id: string) => Promise<string | undefined>,
) {
  const renameTo = (id: string, userName: string): Promise<User> =>
    table.update(
      tenant,
      id,
      (before) => (before.userName === userName ? undefined : { after: { ...before, userName }, noted: UNNOTED }),
      { userStore: domain, name: userName },
    );

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

  return { renameTo, unlessTaken };
}

/**
 * The record is not the one for which a change was decided. Not `stale`: the store would repeat the same change, and
 * the record stays another one.
 */
class OtherRecord extends Error {}

/** A change of the record as it is now: of what the request changed, and of nothing else. */
function merged({ before, after }: RecordChange, now: User): Pick<User, "active" | "profile" | "unproven"> {
  const base: Pick<User, "active" | "profile" | "unproven"> = before ?? { active: true, profile: {} };
  const marked = now.unproven?.filter((one) => !base.unproven?.includes(one)) ?? [];
  const unproven = [...new Set([...(after.unproven ?? []), ...marked])];
  return {
    active: after.active === base.active ? now.active : after.active,
    profile: mergedMembers(base.profile, after.profile, now.profile),
    unproven: unproven.length > 0 ? unproven : undefined,
  };
}

/** The members of `now` with what differs between `before` and `after`, in objects down to their members. */
function mergedMembers(before: Resource, after: Resource, now: Resource): Resource {
  const names = [...new Set([...Object.keys(now), ...Object.keys(after)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = mergedValue(before[name], after[name], now[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function mergedValue(before: Json | undefined, after: Json | undefined, now: Json | undefined): Json | undefined {
  if (isDeepStrictEqual(before, after)) return now;
  const [was, made, is] = [before ?? {}, after ?? {}, now ?? {}];
  if (!(isObject(was) && isObject(made) && isObject(is))) return after;
  const object = mergedMembers(was, made, is);
  return Object.keys(object).length > 0 ? object : undefined;
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

function isGone(error: unknown): boolean {
  return error instanceof Fault && error.fault === "scim.not_found";
}
