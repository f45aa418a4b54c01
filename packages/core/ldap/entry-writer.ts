/**
 * Changes of directory entries. LDAP has no transactions over several operations: where a later operation of a change
 * fails, the earlier ones are undone. An undo that fails leaves the entry half changed; it is reported, because only an
 * operator can repair it.
 */
import type { UndoFailure } from "../http/observe.ts";
import type { User } from "../identities/users/model.ts";
import { nameTaken } from "../identities/users/rules.ts";
import type { UserChange } from "../identities/users/store.ts";
import { stale } from "../table/stale.ts";
import type { Connection, Entry } from "./connection.ts";
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
  const { tenant, domain, usernameAttribute } = settings;
  const writesAttribute = settings.passwordWrite === "attribute";

  const undoAll = async (undos: readonly Undo[], userId: string | undefined): Promise<void> => {
    for (const undo of undos) {
      await undo().catch((cause: unknown) => {
        // Without the entry nothing is left to undo. Values that another writer has changed since are that writer's.
        if (!overtaken.has(codeOf(cause))) reportUndoFailure({ tenant, userStore: domain, userId, cause });
      });
    }
  };

  /** Throws `scim.unique` where another user has the name. */
  const checkFree = async (id: string, name: string): Promise<void> => {
    const found = await entries.withName(name, 2);
    if (found.some((entry) => idIn(entry, settings) !== id)) throw nameTaken(name);
  };

  /** Changes the user name, in the distinguished name where that contains it. Returns the new distinguished name. */
  const rename = async (dn: string, from: string, to: string): Promise<string> => {
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
  };

  const setPassword = (dn: string, password: string): Promise<void> =>
    writesAttribute
      ? connection.modify(dn, [{ operation: "replace", attribute: "userPassword", values: [password] }])
      : connection.setPassword(dn, password);

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
        if (password !== undefined && !writesAttribute) await setPassword(dn, password);
        return await complete(dn);
      } catch (error) {
        await undoAll([() => connection.remove(dn)], undefined);
        throw error;
      }
    },

    async update(entry, before, { after, password }) {
      const changes = valueChanges(before, after, entry, settings);
      const isRenamed = after.userName !== before.userName;
      if (changes.length === 0 && !isRenamed && password === undefined) return async () => undefined;
      if (settings.isReadOnly) throw readOnly(domain);
      if (isRenamed) await checkFree(before.id, after.userName);
      const undos: Undo[] = [];
      try {
        let { dn } = entry;
        if (changes.length > 0) {
          await connection.modify(dn, changes);
          for (const attribute of new Set(changes.map((change) => change.attribute))) {
            const own = inverse(changes.filter((change) => change.attribute === attribute));
            undos.unshift(() => connection.modify(entry.dn, own));
          }
        }
        if (isRenamed) {
          dn = await rename(dn, before.userName, after.userName);
          const renamed = dn;
          undos.unshift(() => rename(renamed, after.userName, before.userName));
        }
        // Last, because a password cannot be undone.
        if (password !== undefined) await setPassword(dn, password);
        return password === undefined ? () => undoAll(undos, before.id) : undefined;
      } catch (error) {
        await undoAll(undos, before.id);
        switch (codeOf(error)) {
          case codes.entryExists:
            throw nameTaken(after.userName);
          case codes.noSuchObject:
          case codes.noSuchAttribute:
            throw stale();
          case codes.valueExists: {
            // Another writer committed first, or the directory takes two values as equal.
            const current = await entries.withId(before.id);
            throw current && markOf(current) === markOf(entry) ? writeFault(domain, error) : stale();
          }
          default:
            throw error;
        }
      }
    },
  };
}
