/**
 * The users of one directory: entries of the directory, joined with their directory records. A user without a record is
 * complete. A record without an entry is not a user.
 */

import { isStale, stale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";
import type { UndoFailure } from "../../http/observe.ts";
import { newId } from "../../kernel/ids.ts";
import type { BoundFilter } from "../../scim/protocol/filter/bound.ts";
import type { Lookup } from "../users/identifiers.ts";
import { isIdentifiedBy, lookupValue } from "../users/lookup-rows.ts";
import type { User } from "../users/model.ts";
import { nameTaken, notFound } from "../users/rules.ts";
import type { ExternalHolders, NamedUser } from "../users/store.ts";
import type { Adding, UserChange } from "../users/writing.ts";
import type { Connection, Entry } from "./connection.ts";
import { directoryEntries } from "./entries.ts";
import { idIn, markOf, nameIn, recordProfile, userOf } from "./entry.ts";
import { entryWriter } from "./entry-writer.ts";
import { codeOf, codes, readOnly } from "./faults.ts";
import { type DirectoryFilters, namesOtherStore } from "./filter.ts";
import type { DirectorySettings } from "./model.ts";
import { directoryRecords, type RecordsUse } from "./records.ts";

/** An id that no user has. */
const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";

/**
 * The most entries with one address of which it is found out whom it counts for: so many people of a directory that is
 * written to would have to enter the address of another to take it out of use.
 */
const ADDRESSED_MAX = 20;

/** One directory, as a container holds it. */
export interface Directory {
  readonly settings: DirectorySettings;
  readonly connection: Connection;
  readonly filters: DirectoryFilters;
  readonly reportUndoFailure: (failure: UndoFailure) => void;
}

/** The users of one directory, during one request. */
export type DirectoryUsers = ReturnType<typeof directoryUsers>;

/** The users of a directory with their records. */
export function directoryUsers(directory: Directory, use: RecordsUse) {
  const opened = open(directory, use);
  return { ...readingUsers(opened), ...writingUsers(opened) };
}

/** A directory and its records, during one request. */
type Opened = ReturnType<typeof open>;

function open(directory: Directory, use: RecordsUse) {
  const { settings, connection, filters } = directory;
  const entries = directoryEntries(settings, connection, filters);
  const writer = entryWriter(settings, connection, entries, directory.reportUndoFailure);
  const records = directoryRecords(use, settings, async (id) => {
    const entry = await entries.withId(id);
    return entry && nameIn(entry, settings);
  });

  const joined = (entry: Entry, record: User | undefined): User => {
    const id = idIn(entry, settings);
    const user = id === undefined ? undefined : userOf(entry, id, record, settings);
    if (user) return user;
    throw new Error(
      `An entry of ${settings.domain} has no ${settings.idAttribute} or no ${settings.usernameAttribute}.`,
    );
  };

  /**
   * The entry and the record of a user; no entry where it is gone. Throws `stale` where one of them has changed since
   * the user was read.
   */
  const unchanged = async (user: User) => {
    const [entry, record] = await Promise.all([entries.withId(user.id), records.find(user.id)]);
    if (entry && joined(entry, record).version !== user.version) throw stale();
    return { entry, record };
  };

  const partOf = (user: User): User => ({ ...user, profile: recordProfile(user.profile, settings) });

  return { settings, connection, filters, entries, writer, records, joined, unchanged, partOf };
}

function readingUsers({ settings, connection, filters, entries, records, joined }: Opened) {
  const isUser = (entry: Entry) => idIn(entry, settings) !== undefined && nameIn(entry, settings) !== undefined;
  const unknownName = () => `unknown-${newId()}`;
  /** The work of verifying a password: a bind that fails. */
  const verifyNothing = (dn: string) => async (password: string) => {
    await connection.verify(dn, password);
    return false;
  };

  /** The same work for a name that no user has: also a read of a record. */
  const unknownUser = async (): Promise<NamedUser> => {
    const dn = entries.dnOf(unknownName());
    await records.find(UNKNOWN_ID);
    return { user: undefined, mark: dn, verify: verifyNothing(dn) };
  };

  const namedBy = (entry: Entry, user: User): NamedUser => ({
    user,
    mark: markOf(entry),
    verify: (password) => connection.verify(entry.dn, password),
  });

  return {
    async find(id: string, record: User | undefined): Promise<User | undefined> {
      const entry = await entries.withId(id);
      return entry && joined(entry, record);
    },

    /** `records`: those that the caller has read. */
    async findMany(ids: readonly string[], known: ReadonlyMap<string, User>): Promise<ReadonlyMap<string, User>> {
      const found = await entries.withIds(ids);
      return new Map([...found].map(([id, entry]) => [id, joined(entry, known.get(id))]));
    },

    async idOf(name: string): Promise<string | undefined> {
      const entry = await entries.named(name);
      return entry && idIn(entry, settings);
    },

    async lookUp(name: string): Promise<NamedUser> {
      const entry = await entries.named(name);
      const id = entry && idIn(entry, settings);
      if (!entry || id === undefined) return unknownUser();
      return namedBy(entry, joined(entry, await records.find(id)));
    },

    /**
     * The users with an address that counts. It takes two searches and a read of records, whether or not there are any.
     * A name that several entries have signs in no one, by an address either.
     */
    async holdersOf(address: Lookup): Promise<ExternalHolders> {
      const sought = { ...address, value: lookupValue(address) };
      const found = (await entries.addressed(sought, ADDRESSED_MAX + 1)).filter(isUser);
      const ids = found.map((entry) => idIn(entry, settings) ?? "");
      const known = await records.findMany(ids.length > 0 ? ids : [UNKNOWN_ID]);
      const users = found.map((entry, at) => ({ entry, user: joined(entry, known[at]) }));
      const holders = users.filter(({ user }) => isIdentifiedBy(user, address));
      // Of too many, some were not read.
      const count = found.length > ADDRESSED_MAX ? found.length : holders.length;
      const [only] = count === 1 ? holders : [];
      const named = await entries.named(only?.user.userName ?? unknownName());
      return {
        count,
        only: only && named?.dn === only.entry.dn ? namedBy(only.entry, only.user) : undefined,
        verifyNothing: (password) => verifyNothing(entries.dnOf(unknownName()))(password).catch(() => false),
      };
    },

    async *walk(filter: BoundFilter | undefined, limit: number): AsyncIterable<readonly User[]> {
      if (filter && namesOtherStore(filter, settings.domain)) return;
      for await (const page of connection.pages(filters.matching(filter), limit)) {
        const users = page.filter(isUser);
        const known = await records.findMany(users.map((entry) => idIn(entry, settings) ?? ""));
        yield users.map((entry, at) => joined(entry, known[at]));
      }
    },
  };
}

function writingUsers({ settings, connection, entries, writer, records, joined, unchanged, partOf }: Opened) {
  const { domain } = settings;
  return {
    async add(
      user: User,
      { steps = [], taken = () => nameTaken(user.userName), allowed, password }: Adding,
    ): Promise<User> {
      if (settings.isReadOnly) throw readOnly(domain);
      const [sameName] = await Promise.all([entries.withName(user.userName, 1), allowed]);
      if (sameName.length > 0) throw taken();
      return writer.create(user, password, taken, async (dn) => {
        // The directory assigned the id.
        const entry = await connection.read(dn);
        if (!entry) throw new Error(`An entry that was just created in ${domain} cannot be read.`);
        const { id, userName } = joined(entry, undefined);
        const after = { ...user, id, userName };
        const noted = { after, hasNewPassword: password !== undefined };
        return joined(entry, await records.merge({ after: partOf(after), steps, noted }));
      });
    },

    /** Throws `stale` where another writer committed first; what the directory holds is then as it was. */
    async change(before: User, change: UserChange): Promise<User> {
      await change.allowed;
      const { entry, record } = await unchanged(before);
      if (!entry) throw notFound(before.id);
      const undo = await writer.update(entry, before, change);
      const { after, steps = [], password } = change;
      const noted = { before, after, hasNewPassword: password !== undefined };
      const ofRecord = { before: partOf(before), after: partOf({ ...after, id: before.id }), record, steps, noted };
      // With a new password there is no way back: the steps that belong to it must be committed.
      const written = await (undo ? records.write(ofRecord) : records.merge(ofRecord)).catch(async (error: unknown) => {
        if (isStale(error)) await undo?.();
        throw error;
      });
      const current = await entries.withId(before.id);
      if (!current) throw notFound(before.id);
      return joined(current, written);
    },

    /**
     * Commits `steps`, then removes the entry. The caller removes the record, which exists from here on. Throws `stale`
     * where another writer committed first.
     */
    async remove(user: User, steps: readonly Step[]): Promise<void> {
      if (settings.isReadOnly) throw readOnly(domain);
      const { record } = await unchanged(user);
      const part = partOf(user);
      await records.write({ before: part, after: part, record, steps, noted: { before: user } });
      await records.anchor([user]);
      const entry = await entries.withId(user.id);
      if (!entry) return;
      try {
        await connection.remove(entry.dn);
      } catch (error) {
        if (codeOf(error) !== codes.noSuchObject) throw error;
      }
    },

    anchor: (users: readonly User[]): Promise<void> =>
      records.anchor(users.filter(({ userStore }) => userStore === domain)),
  };
}
