/**
 * The users of one directory. Their attributes are the directory's; what it has no place for lies beside it, in a user item of
 * the table under the same id (the shadow), made when it is first needed. A user without a shadow is a whole user; a shadow
 * without an entry is nobody.
 */

import type { User } from "../identities/users/model.ts";
import { nameTaken, notFound } from "../identities/users/rules.ts";
import type { Adding, NamedUser, UserChange, UserStore } from "../identities/users/store.ts";
import { foldName } from "../platform/fold.ts";
import { newId } from "../platform/ids.ts";
import type { BoundFilter } from "../scim/filter/bound.ts";
import { stale } from "../table/stale.ts";
import type { Step } from "../table/table.ts";
import type { Connection, Entry } from "./connection.ts";
import { idIn, isPossibleId, markOf, nameIn, opposite, restOf, userOf, valueChanges, wishedValues } from "./entry.ts";
import { dnValue, isNamedBy } from "./escape.ts";
import { codeOf, codes, readOnly, writeFault } from "./faults.ts";
import { type filtersOf, namesElsewhere } from "./filter.ts";
import type { DirectorySettings } from "./model.ts";
import { type Shadows, shadowsOf } from "./records.ts";

/** An id that no user has. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Entries that are asked for by their ids at once. */
const IDS_AT_ONCE = 100;

/** What a container keeps of one directory. */
export interface Directory {
  readonly settings: DirectorySettings;
  readonly connection: Connection;
  readonly filters: ReturnType<typeof filtersOf>;
}

/** The users of one directory, during one request. */
export interface DirectoryUsers {
  find(id: string, shadow: User | undefined): Promise<User | undefined>;
  /** Several; `shadows` are those that were read. */
  findMany(ids: readonly string[], shadows: ReadonlyMap<string, User>): Promise<ReadonlyMap<string, User>>;
  idOf(name: string): Promise<string | undefined>;
  lookUp(name: string): Promise<NamedUser>;
  walk(filter: BoundFilter | undefined, limit: number): AsyncIterable<readonly User[]>;
  add(user: User, adding: Adding): Promise<User>;
  /** Writes what a change makes of a user that was read. Throws `stale` where somebody else was faster. */
  change(before: User, change: UserChange): Promise<User>;
  /** Removes a user from the directory, behind `steps`. Its shadow, which it has by then, is the caller's to remove. */
  remove(user: User, steps: readonly Step[]): Promise<void>;
  anchor(users: readonly User[]): Promise<void>;
}

/** Opens the users of a directory over the table's, where their shadows are. */
export function directoryUsers({ settings, connection, filters }: Directory, table: UserStore): DirectoryUsers {
  const { domain, baseDn, usernameAttribute } = settings;

  /** The entries of some ids, by their ids. */
  const entriesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> => {
    const known = [...new Set(ids)].filter(isPossibleId);
    const found = new Map<string, Entry>();
    // One after the other: a directory works on what it is asked by one connection in its turn anyway.
    for (let at = 0; at < known.length; at += IDS_AT_ONCE) {
      const some = known.slice(at, at + IDS_AT_ONCE);
      for (const entry of await connection.search(filters.withIds(some), some.length)) {
        const id = idIn(entry, settings);
        if (id !== undefined) found.set(id, entry);
      }
    }
    return found;
  };
  const entryOf = async (id: string): Promise<Entry | undefined> => (await entriesOf([id])).get(id);

  /** The entry of a name; `undefined` also where several have it, because nobody could say which is meant. */
  const entryNamed = async (name: string): Promise<Entry | undefined> => {
    if (name.includes("\0")) return undefined;
    const found = await connection.search(filters.named(name), 2);
    const same = found.filter((entry) => foldName(nameIn(entry, settings) ?? "") === foldName(name));
    return same.length === 1 ? same[0] : undefined;
  };

  const shadows: Shadows = shadowsOf(table, settings, async (id) => {
    const entry = await entryOf(id);
    return entry && nameIn(entry, settings);
  });

  const dnOf = (name: string): string => `${usernameAttribute}=${dnValue(name)},${baseDn}`;

  const assembled = (entry: Entry, shadow: User | undefined): User => {
    const id = idIn(entry, settings);
    const user = id === undefined ? undefined : userOf(entry, id, shadow, settings);
    if (!user) throw new Error(`an entry of ${domain} has no ${settings.idAttribute} or no ${usernameAttribute}`);
    return user;
  };

  /** Throws `scim.unique` where another user has a name. */
  const checkFree = async (id: string, name: string): Promise<void> => {
    const found = await connection.search(filters.named(name), 2);
    if (found.some((entry) => idIn(entry, settings) !== id)) throw nameTaken(name);
  };

  /** Names an entry anew: by its name in the tree where it is named so there, or by the attribute. Answers its name in the tree. */
  const rename = async (dn: string, from: string, to: string): Promise<string> => {
    if (!isNamedBy(dn, usernameAttribute)) {
      await connection.modify(dn, [
        { operation: "delete", attribute: usernameAttribute, values: [from] },
        { operation: "add", attribute: usernameAttribute, values: [to] },
      ]);
      return dn;
    }
    const first = `${usernameAttribute}=${dnValue(to)}`;
    await connection.rename(dn, first);
    return [first, ...dn.split(/(?<!\\),/).slice(1)].join(",");
  };

  const setPassword = (dn: string, password: string): Promise<void> =>
    settings.passwordWrite === "attribute"
      ? connection.modify(dn, [{ operation: "replace", attribute: "userPassword", values: [password] }])
      : connection.setPassword(dn, password);

  /** Writes what the directory holds of a change. */
  const writeEntry = async (before: User, { after, password }: UserChange): Promise<void> => {
    const entry = await entryOf(before.id);
    if (!entry) throw notFound(before.id);
    const changes = valueChanges(before, after, entry, settings);
    const isRenamed = after.userName !== before.userName;
    if (changes.length === 0 && !isRenamed && password === undefined) return;
    if (settings.isReadOnly) throw readOnly(domain);
    if (isRenamed) await checkFree(before.id, after.userName);
    /** Takes back what was done, the last first: a change is made as a whole or not at all, as far as a directory lets us. */
    const undoing: (() => Promise<unknown>)[] = [];
    try {
      let { dn } = entry;
      if (changes.length > 0) {
        await connection.modify(dn, changes);
        undoing.unshift(() => connection.modify(entry.dn, opposite(changes)));
      }
      if (isRenamed) {
        dn = await rename(dn, before.userName, after.userName);
        const renamed = dn;
        undoing.unshift(() => rename(renamed, after.userName, before.userName));
      }
      // Last, because it cannot be taken back.
      if (password !== undefined) await setPassword(dn, password);
    } catch (error) {
      for (const undo of undoing) await undo().catch(() => undefined);
      switch (codeOf(error)) {
        case codes.entryExists:
          throw nameTaken(after.userName);
        case codes.noSuchObject:
        case codes.noSuchAttribute:
          throw stale();
        case codes.valueExists: {
          // Somebody else was faster, or two values are one to the directory.
          const now = await entryOf(before.id);
          throw now && markOf(now) === markOf(entry) ? writeFault(domain, error) : stale();
        }
        default:
          throw error;
      }
    }
  };

  const addEntry = async (user: User, dn: string, password: string | undefined): Promise<void> => {
    const values = Object.fromEntries([...wishedValues(user, settings)].filter(([, list]) => list.length > 0));
    await connection.add(dn, {
      objectClass: settings.objectClasses,
      ...values,
      [usernameAttribute]: [user.userName],
      ...(settings.passwordWrite === "attribute" && password !== undefined && { userPassword: [password] }),
    });
  };

  /** What a new entry has beside its attributes. The directory gave it its id. */
  const finishEntry = async (user: User, dn: string, { steps = [], password }: Adding): Promise<User> => {
    if (password !== undefined && settings.passwordWrite !== "attribute") await setPassword(dn, password);
    const entry = await connection.read(dn);
    if (!entry) throw new Error(`an entry that was just made in ${domain} cannot be read`);
    const made = assembled(entry, undefined);
    const shadow = await shadows.write(
      { ...user, id: made.id, userName: made.userName, profile: restOf(user.profile, settings) },
      steps,
    );
    return assembled(entry, shadow);
  };

  return {
    async find(id, shadow) {
      const entry = await entryOf(id);
      return entry && assembled(entry, shadow);
    },

    async findMany(ids, known) {
      const entries = await entriesOf(ids);
      return new Map([...entries].map(([id, entry]) => [id, assembled(entry, known.get(id))]));
    },

    async idOf(name) {
      const entry = await entryNamed(name);
      return entry && idIn(entry, settings);
    },

    async lookUp(name) {
      const entry = await entryNamed(name);
      const id = entry && idIn(entry, settings);
      if (!entry || id === undefined) {
        // A bind as nobody is refused as a wrong password is; a shadow is looked for as that of anybody.
        const nobody = dnOf(`nobody-${newId()}`);
        await shadows.find(NOBODY);
        return {
          user: undefined,
          mark: nobody,
          verify: async (password) => {
            await connection.verify(nobody, password);
            return false;
          },
        };
      }
      return {
        user: assembled(entry, await shadows.find(id)),
        mark: markOf(entry),
        verify: (password) => connection.verify(entry.dn, password),
      };
    },

    async *walk(filter, limit) {
      if (filter && namesElsewhere(filter, domain)) return;
      for await (const entries of connection.pages(filters.matching(filter), limit)) {
        const users = entries.filter((entry) => idIn(entry, settings) !== undefined && nameIn(entry, settings));
        const known = await shadows.findMany(users.map((entry) => idIn(entry, settings) ?? ""));
        yield users.map((entry, at) => assembled(entry, known[at]));
      }
    },

    async add(user, adding) {
      const { taken = () => nameTaken(user.userName), password } = adding;
      if (settings.isReadOnly) throw readOnly(domain);
      const dn = dnOf(user.userName);
      if ((await connection.search(filters.named(user.userName), 1)).length > 0) throw taken();
      try {
        await addEntry(user, dn, password);
      } catch (error) {
        throw codeOf(error) === codes.entryExists ? taken() : error;
      }
      try {
        return await finishEntry(user, dn, adding);
      } catch (error) {
        // Half of a user is nobody's wish. One that cannot be cleared up either is there, and the next attempt says so.
        await connection.remove(dn).catch(() => undefined);
        throw error;
      }
    },

    async change(before, change) {
      await change.allowed;
      await writeEntry(before, change);
      const { after, steps = [] } = change;
      const shadow = await shadows.write({ ...after, id: before.id, profile: restOf(after.profile, settings) }, steps);
      const entry = await entryOf(before.id);
      if (!entry) throw notFound(before.id);
      return assembled(entry, shadow);
    },

    async remove(user, steps) {
      if (settings.isReadOnly) throw readOnly(domain);
      await shadows.write({ ...user, profile: restOf(user.profile, settings) }, steps);
      await shadows.anchor([user]);
      const entry = await entryOf(user.id);
      if (!entry) return;
      try {
        await connection.remove(entry.dn);
      } catch (error) {
        if (codeOf(error) !== codes.noSuchObject) throw error;
      }
    },

    anchor: (users) => shadows.anchor(users.filter(({ userStore }) => userStore === domain)),
  };
}
