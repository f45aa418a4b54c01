/**
 * The user that an entered text stands for, and how its password is checked: against a hash in the table, which may be
 * another system's, or by a directory. A verified password is cached, and concurrent checks of one password are one.
 */

import type { Credential, CredentialStore } from "../../directory/credentials/store.ts";
import type { User } from "../../directory/users/model.ts";
import type { ExternalUsers, UserStore } from "../../directory/users/store.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import { passwordForms, preparedPassword } from "../../kernel/opaque-string.ts";
import { hashPassword, verifyNothing, verifyPassword } from "../../kernel/password.ts";
import type { Account } from "./account.ts";
import { NO_USER_ID, type ReadAhead } from "./attempt.ts";
import { type FreshCache, newFreshCache, newPrivateDigest } from "./fresh.ts";

const { isImportedPassword } = later(() => import("../../kernel/imported-password.ts"), "isImportedPassword");

/** What finding a user reads. */
export interface CandidateStores {
  readonly users: UserStore;
  readonly credentials: CredentialStore;
}

/** The most hashes at once in one container: more would take longer than the gateway waits. */
const HASHES_AT_ONCE_MAX = 64;
/** The same for hashes of other systems, of which each may take all of a thread: bcrypt has that of the requests. */
const IMPORTED_AT_ONCE_MAX = 4;

/** The result of a password check. */
interface PasswordCheck {
  readonly isRight: boolean;
  /** True when the result came from the cache. */
  readonly isCached: boolean;
  /** When it was computed. */
  readonly verifiedMs: number;
}

/** The user that a name identifies, if it exists. */
export interface Candidate {
  readonly user: User | undefined;
  /** False for a user of a directory, whose changes the log does not show. */
  readonly isInTable: boolean;
  /** What a lock holds for; empty where the password is not stored here. */
  readonly passwordVersion: string;
  /**
   * Checks the password. The result is cached only where `mayCache`: of a user who may not sign in, it must take as
   * long for the right password as for a wrong one.
   */
  verify(password: string, mayCache: boolean): Promise<PasswordCheck>;
  /** Does the work of checking a password. */
  verifyNothing(password: string): Promise<PasswordCheck>;
}

/**
 * Called with the id of the user that a name has, or with that of no user, before the user is read and its password
 * verified.
 */
export type OnUser = (userId: string) => void;

/** What is known of a candidate, and who hears of it. */
export interface Finding {
  readonly ahead?: ReadAhead | undefined;
  readonly onUser?: OnUser | undefined;
  /** The account that the entered text has been found to stand for. */
  readonly known?: Pick<Account, "id" | "named" | "directories"> | undefined;
}

type HashLimit = <R>(hash: () => Promise<R>) => Promise<R>;

/** Limits concurrent hashes, which wait for each other: refuses work that could not end in time. */
function newHashLimit(most: number): HashLimit {
  let running = 0;
  return async (hash) => {
    if (running >= most) {
      throw new Fault("service.unavailable", "Too many sign-ins at once. Try again in a moment.");
    }
    running += 1;
    try {
      return await hash();
    } finally {
      running -= 1;
    }
  };
}

async function checkForms(password: string, check: (form: string) => Promise<boolean>): Promise<boolean> {
  let isRight = false;
  for (const form of passwordForms(password)) isRight = (await check(form)) || isRight;
  return isRight;
}

/** A check while directories do the work of theirs, where an address was entered: it might be one of their users. */
async function withDirectories(check: Promise<boolean>, form: string, known: Finding["known"]): Promise<boolean> {
  const [isRight] = await Promise.all([check, known?.directories?.verifyNothing(form)]);
  return isRight;
}

interface Replacement {
  readonly hashing: HashLimit;
  /** Stores the service's own hash. */
  readonly replace: (passwordHash: string) => Promise<void>;
  readonly mayReplace: boolean;
}

/**
 * Checks a password against the hash of another system, and replaces that hash once the password is known (decision
 * 0098). A wrong password costs a second hash too.
 */
async function checkImported(
  password: string,
  { passwordHash }: Credential,
  { hashing, replace, mayReplace }: Replacement,
): Promise<boolean> {
  const { isRight, own } = await hashing(async () => {
    const isRight = await isImportedPassword(password, passwordHash);
    if (isRight && mayReplace) return { isRight, own: await hashPassword(preparedPassword(password)) };
    await verifyNothing(password);
    return { isRight };
  });
  if (own !== undefined) await replace(own);
  return isRight;
}

/** Finds the user that a name identifies, and how its password is checked. */
export function newCandidates(clock: Clock) {
  const hashing = newHashLimit(HASHES_AT_ONCE_MAX);
  const importing = newHashLimit(IMPORTED_AT_ONCE_MAX);
  const digest = newPrivateDigest();
  /** When the password was verified. */
  const cached: FreshCache<number> = newFreshCache(clock);
  const running = new Map<string, Promise<boolean>>();

  /**
   * Checks a password once while a right result is in the cache, and once for concurrent requests; in each form that it
   * can be stored in, also after the right one, so that the work shows none.
   */
  const checkOnce = async (
    key: string,
    mayCache: boolean,
    password: string,
    check: (form: string) => Promise<boolean>,
  ): Promise<PasswordCheck> => {
    const cachedMs = mayCache ? cached.get(key) : undefined;
    if (cachedMs !== undefined) return { isRight: true, isCached: true, verifiedMs: cachedMs };
    const verifiedMs = clock.now();
    const other = running.get(key);
    // The lock may have begun since this request read it: only a result from the cache needs no second look.
    if (other) return { isRight: await other, isCached: false, verifiedMs };
    const result = checkForms(password, check).finally(() => running.delete(key));
    running.set(key, result);
    const isRight = await result;
    if (mayCache && isRight) cached.set(key, verifiedMs);
    return { isRight, isCached: false, verifiedMs };
  };

  const verifyingNothing = ({ tenant, userStore, name }: QualifiedName, known?: Finding["known"]) => {
    const place = `${tenant}/${userStore}/${name}`;
    return (password: string) =>
      checkOnce(digest(`nothing\n${place}\n${password}`), false, password, (form) =>
        withDirectories(
          hashing(() => verifyNothing(form)),
          form,
          known,
        ),
      );
  };

  /** A user whose password hash is in the table. */
  const inTable = async (
    name: QualifiedName,
    stores: CandidateStores,
    { ahead, onUser, known }: Finding,
  ): Promise<Candidate> => {
    const rowsOf = (id: string, read?: ReadAhead["user"]) =>
      Promise.all([
        stores.credentials.find(name.tenant, id),
        read ? read.found : stores.users.find(name.tenant, id, name.userStore),
      ]);
    const finding = known ? Promise.resolve(known.id) : stores.users.idOf(name).then((id) => id ?? NO_USER_ID);
    const expected = ahead && (await Promise.all([rowsOf(ahead.userId, ahead.user), finding]))[0];
    const userId = await finding;
    onUser?.(userId);
    const [stored, user] = expected && ahead.userId === userId ? expected : await rowsOf(userId);
    const nothing = verifyingNothing(name, known);
    return {
      user,
      isInTable: true,
      passwordVersion: stored?.version ?? "",
      async verify(password, mayCache) {
        if (!stored) return nothing(password);
        const { passwordHash, version, isImported } = stored;
        const key = digest(`${version}\n${userId}\n${password}`);
        const { tenant } = name;
        const check = (form: string) =>
          isImported
            ? checkImported(form, stored, {
                hashing: importing,
                replace: (own) => stores.credentials.replaceImported(tenant, userId, stored, own),
                mayReplace: mayCache,
              })
            : hashing(() => verifyPassword(form, passwordHash));
        return checkOnce(key, mayCache, password, (form) => withDirectories(check(form), form, known));
      },
      verifyNothing: nothing,
    };
  };

  /**
   * A user of a directory, which checks passwords itself. Where an address was entered, it might as well be that of a
   * user of the table: a hash is made, too.
   */
  const inDirectory = async (
    name: QualifiedName,
    directories: ExternalUsers,
    { onUser, known }: Finding,
  ): Promise<Candidate> => {
    const { user, mark, verify } = known?.named ?? (await directories.lookUp(name));
    onUser?.(user?.id ?? NO_USER_ID);
    const check = async (form: string) => {
      const [isRight] = await Promise.all([verify(form), known && hashing(() => verifyNothing(form))]);
      return isRight;
    };
    return {
      user,
      isInTable: false,
      passwordVersion: "",
      verify: (password, mayCache) =>
        checkOnce(
          digest(`directory\n${name.tenant}/${name.userStore}\n${mark}\n${password}`),
          mayCache,
          password,
          check,
        ),
      verifyNothing: verifyingNothing(name, known),
    };
  };

  return (name: QualifiedName, stores: CandidateStores, finding: Finding = {}): Promise<Candidate> => {
    const { elsewhere } = stores.users;
    return elsewhere?.has(name.tenant, name.userStore)
      ? inDirectory(name, elsewhere, finding)
      : inTable(name, stores, finding);
  };
}
