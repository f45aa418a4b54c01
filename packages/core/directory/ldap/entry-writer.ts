/**
 * Changes of directory entries. LDAP has no transactions over several operations: where a later operation of a change
 * fails, the earlier ones are undone. An undo that fails leaves the entry half changed; it is reported, because only an
 * operator can repair it.
 */

import { stale } from "../../database/table/stale.ts";
import type { UndoFailure } from "../../http/observe.ts";
import type { User } from "../users/model.ts";
import { nameTaken } from "../users/rules.ts";
import type { UserChange } from "../users/writing.ts";
import type { Connection, Entry, ValueChange } from "./connection.ts";
import type { DirectoryEntries } from "./entries.ts";
import { entryValues, idIn, inverse, markOf, valueChanges } from "./entry.ts";
import { dnValue, isNamedBy, rdnsOf } from "./escape.ts";
import { codeOf, codes, readOnly, writeFault } from "./faults.ts";
import type { DirectorySettings } from "./model.ts";

type Undo = () => Promise<unknown>;

const overtaken: ReadonlySet<number | undefined> = new Set([
  codes.noSuchObject,
  codes.noSuchAttribute,
  codes.valueExists,
]);

export interface EntryWriter {
  /**
   * Creates an entry with its password, then runs `complete`. Deletes the entry where one of them fails. Throws what
   * `taken` returns where the name is taken, the directory's refusals, and what `complete` throws.
   */
  create<R>(
    user: User,
    password: string | undefined,
    taken: () => Error,
    complete: (dn: string) => Promise<R>,
  ): Promise<R>;
  /**
   * Writes what the directory holds of a change. `entry`: as it was when the change was decided. Returns what undoes
   * it; `undefined` after a new password, which cannot be undone. Throws `scim.unique`, `stale` and the directory's
   * refusals.
   */
  update(entry: Entry, before: User, change: UserChange): Promise<(() => Promise<void>) | undefined>;
}

export function entryWriter(
  settings: DirectorySettings,
  connection: Connection,
  entries: DirectoryEntries,
  reportUndoFailure: (failure: UndoFailure) => void,
): EntryWriter {
  const directory: Directory = { settings, connection, entries, reportUndoFailure };
  const { domain, usernameAttribute } = settings;
  const writesAttribute = settings.passwordWrite === "attribute";
  return {
    async create(user, password, taken, complete) {
      const dn = entries.dnOf(user.userName);
      const values = [...entryValues(user, settings)].filter(([, list]) => list.length > 0);
      try {
        await connection.add(dn, {
          objectClass: settings.objectClasses,
          ...Object.fromEntries(values),
          [usernameAttribute]: [user.userName],
          ...(writesAttribute && password !== undefined && { userPassword: [password] }),
        });
      } catch (error) {
        throw codeOf(error) === codes.entryExists ? taken() : error;
      }
      try {
        if (password !== undefined && !writesAttribute) await connection.setPassword(dn, password);
        return await complete(dn);
      } catch (error) {
        await undoAll([() => connection.remove(dn)], undefined, directory);
        throw error;
      }
    },

    async update(entry, before, { after, password }) {
      const changes = valueChanges(before, after, entry, settings);
      const isRenamed = after.userName !== before.userName;
      if (changes.length === 0 && !isRenamed && password === undefined) return async () => undefined;
      if (settings.isReadOnly) throw readOnly(domain);
      if (isRenamed) await checkFree(before.id, after.userName, directory);
      const undos: Undo[] = [];
      try {
        if (changes.length > 0) undos.unshift(...(await modify(entry.dn, changes, connection)));
        let { dn } = entry;
        if (isRenamed) {
          const renamed = await rename(dn, before.userName, after.userName, directory);
          undos.unshift(() => rename(renamed, after.userName, before.userName, directory));
          dn = renamed;
        }
        // Last, because a password cannot be undone.
        if (password !== undefined) await setPassword(dn, password, directory);
        return password === undefined ? () => undoAll(undos, before.id, directory) : undefined;
      } catch (error) {
        await undoAll(undos, before.id, directory);
        throw await updateFault(error, entry, { id: before.id, userName: after.userName }, directory);
      }
    },
  };
}

/** What the steps of a change share. */
interface Directory {
  readonly settings: DirectorySettings;
  readonly connection: Connection;
  readonly entries: DirectoryEntries;
  readonly reportUndoFailure: (failure: UndoFailure) => void;
}

async function undoAll(undos: readonly Undo[], userId: string | undefined, directory: Directory): Promise<void> {
  const { tenant, domain } = directory.settings;
  for (const undo of undos) {
    await undo().catch((cause: unknown) => {
      // Without the entry nothing is left to undo. Values that another writer has changed since are that writer's.
      if (!overtaken.has(codeOf(cause))) directory.reportUndoFailure({ tenant, userStore: domain, userId, cause });
    });
  }
}

/** Throws `scim.unique` where another user has the name. */
async function checkFree(id: string, name: string, { entries, settings }: Directory): Promise<void> {
  const found = await entries.withName(name, 2);
  if (found.some((entry) => idIn(entry, settings) !== id)) throw nameTaken(name);
}

/** Changes values. Returns what undoes that, one step for each attribute. */
async function modify(dn: string, changes: readonly ValueChange[], connection: Connection): Promise<Undo[]> {
  await connection.modify(dn, changes);
  const byAttribute = Map.groupBy(changes, ({ attribute }) => attribute);
  return [...byAttribute.values()].reverse().map((own) => () => connection.modify(dn, inverse(own)));
}

/** Changes the user name, in the distinguished name where that contains it. Returns the new distinguished name. */
async function rename(dn: string, from: string, to: string, { settings, connection }: Directory): Promise<string> {
  const { usernameAttribute } = settings;
  if (!isNamedBy(dn, usernameAttribute)) {
    await connection.modify(dn, [
      { operation: "delete", attribute: usernameAttribute, values: [from] },
      { operation: "add", attribute: usernameAttribute, values: [to] },
    ]);
    return dn;
  }
  const rdn = `${usernameAttribute}=${dnValue(to)}`;
  await connection.rename(dn, rdn);
  return [rdn, ...rdnsOf(dn).slice(1)].join(",");
}

function setPassword(dn: string, password: string, { settings, connection }: Directory): Promise<void> {
  return settings.passwordWrite === "attribute"
    ? connection.modify(dn, [{ operation: "replace", attribute: "userPassword", values: [password] }])
    : connection.setPassword(dn, password);
}

/** What an update throws for a refusal of the directory. */
async function updateFault(
  error: unknown,
  entry: Entry,
  { id, userName }: { readonly id: string; readonly userName: string },
  { settings, entries }: Directory,
): Promise<unknown> {
  switch (codeOf(error)) {
    case codes.entryExists:
      return nameTaken(userName);
    case codes.noSuchObject:
    case codes.noSuchAttribute:
      return stale();
    case codes.valueExists: {
      // Another writer committed first, or the directory takes two values as equal.
      const current = await entries.withId(id);
      return current && markOf(current) === markOf(entry) ? writeFault(settings.domain, error) : stale();
    }
    default:
      return error;
  }
}
