/**
 * From a user name and a password to a user: for the Basic scheme and the password grant.
 *
 * An unknown tenant, user store or user, a wrong password and a locked name cost the same work and get the same
 * response. A verified password is not hashed again while it is in the cache and still the user's password. Concurrent
 * requests with one credential share one hash.
 */

import type { TenantStore } from "../domain/tenant-store.ts";
import type { QualifiedName } from "../domain/username.ts";
import type { CredentialStore } from "../identities/credentials/store.ts";
import { maySignIn, type User } from "../identities/users/model.ts";
import type { ExternalUsers, UserStore } from "../identities/users/store.ts";
import type { Clock } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import { verifyNothing, verifyPassword } from "../platform/password.ts";
import { type FreshCache, newFreshCache, newPrivateDigest } from "./fresh.ts";
import { isLocked, type LockoutStore } from "./lockout-store.ts";

/** What a sign-in reads. */
export interface SignInStores {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly lockouts: LockoutStore;
}

/** Why a sign-in is refused: for the log, never for the caller. */
export type RefusalReason = "unknown" | "password" | "locked" | "inactive";

/** Reports a refused sign-in. */
export type OnRefused = (name: QualifiedName, reason: RefusalReason) => void;

/** The user who signed in. */
export interface SignedIn {
  readonly tenant: string;
  readonly user: User;
}

/**
 * The user with that name and password; `undefined` where the sign-in is refused. A name can have several readings: the
 * first one whose tenant exists counts. Two round trips while the password is in the cache. Throws
 * `service.unavailable` when too many passwords are being hashed.
 */
export type SignIn = (
  readings: readonly QualifiedName[],
  password: string,
  stores: SignInStores,
  onRefused: OnRefused,
) => Promise<SignedIn | undefined>;

/** The id of no user. Reading it costs what reading a user costs. */
const NO_USER_ID = "00000000-0000-0000-0000-000000000000";

/**
 * The name under which attempts in unknown tenants are counted. No user can have it; trying it costs what any name
 * costs.
 */
export const UNKNOWN_NAME: QualifiedName = { tenant: "-", userStore: "-", name: "-" };

/** The most existing tenants that a container remembers. Tenants are never deleted. */
const TENANTS_KNOWN_MAX = 10_000;

/** The most hashes at once in one container: more would take longer than the gateway waits. */
const HASHES_AT_ONCE_MAX = 64;

/** The result of a password check. */
interface PasswordCheck {
  readonly isRight: boolean;
  /** True when the result came from the cache. */
  readonly isCached: boolean;
}

/** The user that a name identifies, if it exists. */
interface Candidate {
  readonly user: User | undefined;
  /** What a lock holds for; `undefined` where the password is not stored here. */
  readonly passwordVersion: string | undefined;
  verify(password: string): Promise<PasswordCheck>;
}

/** Opens the sign-in of one container. */
export function newSignIn(clock: Clock): SignIn {
  const hashing = newHashLimit();
  const candidateOf = newCandidates(clock, hashing);
  const knownTenants = new Set<string>();

  const find = async (name: QualifiedName, stores: SignInStores, now: number) => {
    const [tenant, candidate, lock] = await Promise.all([
      stores.tenants.find(name.tenant),
      candidateOf(name, stores),
      stores.lockouts.find(name, now),
    ]);
    if (tenant && knownTenants.size < TENANTS_KNOWN_MAX) knownTenants.add(name.tenant);
    return { name, tenant, candidate, lock };
  };

  /**
   * All readings up to the first whose tenant is known, in parallel: a name with an `@` takes no longer than others.
   */
  const findAll = (readings: readonly QualifiedName[], stores: SignInStores, now: number) => {
    const known = readings.findIndex(({ tenant }) => knownTenants.has(tenant));
    const possible = known < 0 ? readings : readings.slice(0, known + 1);
    return Promise.all(possible.map((reading) => find(reading, stores, now)));
  };

  return async (readings, password, stores, onRefused) => {
    const now = clock.now();
    const all = await findAll(readings, stores, now);
    const found = all.find(({ tenant }) => tenant) ?? all[0];
    if (!found) return undefined;
    const { name, tenant, lock } = found;
    const { user, passwordVersion, verify } = found.candidate;

    if (isLocked(lock, passwordVersion, now)) {
      await hashing(() => verifyNothing(password));
      await stores.lockouts.refuse(name);
      onRefused(name, "locked");
      return undefined;
    }
    const maySucceed = tenant?.active === true && user !== undefined && maySignIn(user);
    const { isRight, isCached } = await verify(password);
    if (!isRight || !user || !maySucceed) {
      // Attempts in unknown tenants are counted in one row: otherwise strangers could fill the table.
      const isCounted = tenant && (user || found === all[0]);
      if (!isRight) {
        await (isCounted
          ? stores.lockouts.fail(name, lock, now, passwordVersion)
          : stores.lockouts.refuse(UNKNOWN_NAME));
      }
      onRefused(name, !user ? "unknown" : isRight ? "inactive" : "password");
      return undefined;
    }
    // Of many guesses at once, the right one must not succeed after the others locked the name while it was hashed.
    const lockNow = isCached ? lock : await stores.lockouts.find(name, now);
    if (isLocked(lockNow, passwordVersion, now)) {
      onRefused(name, "locked");
      return undefined;
    }
    if (lockNow.hasFailures) await stores.lockouts.clear(name, lockNow);
    return { tenant: name.tenant, user };
  };
}

type HashLimit = <R>(hash: () => Promise<R>) => Promise<R>;

/** Limits concurrent hashes, which wait for each other: refuses work that could not end in time. */
function newHashLimit(): HashLimit {
  let running = 0;
  return async (hash) => {
    if (running >= HASHES_AT_ONCE_MAX) {
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

/** Finds the user that a name identifies, and how its password is checked. */
function newCandidates(clock: Clock, hashing: HashLimit) {
  const digest = newPrivateDigest();
  const verified: FreshCache<Promise<boolean>> = newFreshCache(clock);

  /** Checks a password once while the result is in the cache. Wrong passwords are not cached. */
  const checkOnce = async (key: string, check: () => Promise<boolean>): Promise<PasswordCheck> => {
    const cached = verified.get(key);
    if (cached) return { isRight: await cached, isCached: true };
    const result = check();
    verified.set(key, result);
    const isRight = await result.catch((error: unknown) => {
      verified.delete(key);
      throw error;
    });
    if (!isRight) verified.delete(key);
    return { isRight, isCached: false };
  };

  /** A user whose password hash is in the table. */
  const inTable = async (name: QualifiedName, stores: SignInStores): Promise<Candidate> => {
    const userId = (await stores.users.idOf(name)) ?? NO_USER_ID;
    const [stored, user] = await Promise.all([
      stores.credentials.find(name.tenant, userId),
      stores.users.find(name.tenant, userId, name.userStore),
    ]);
    return {
      user,
      passwordVersion: stored?.version,
      verify: async (password) => {
        if (!stored) return { isRight: await hashing(() => verifyNothing(password)), isCached: false };
        const { passwordHash, version } = stored;
        const key = digest(`${version}\n${userId}\n${password}`);
        return checkOnce(key, () => hashing(() => verifyPassword(password, passwordHash)));
      },
    };
  };

  /** A user of a directory, which checks passwords itself. */
  const inDirectory = async (name: QualifiedName, directories: ExternalUsers): Promise<Candidate> => {
    const { user, mark, verify } = await directories.lookUp(name);
    return {
      user,
      passwordVersion: undefined,
      verify: (password) => checkOnce(digest(`${mark}\n${password}`), () => verify(password)),
    };
  };

  return (name: QualifiedName, stores: SignInStores): Promise<Candidate> => {
    const { elsewhere } = stores.users;
    return elsewhere?.has(name.tenant, name.userStore) ? inDirectory(name, elsewhere) : inTable(name, stores);
  };
}
