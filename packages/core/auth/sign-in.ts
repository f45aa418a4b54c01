/**
 * From a user name and a password to a user: for the Basic scheme and the password grant.
 *
 * An unknown tenant, user store or user, a wrong password and a locked name cost the same work and get the same
 * response. A verified password is not hashed again while it is in the cache and still the user's password. Concurrent
 * requests with one credential share one hash. A sign-in that succeeded is repeated in one round trip
 * (known-sign-ins.ts).
 */

import type { TenantStore } from "../domain/tenant-store.ts";
import { parseUsername, type QualifiedName } from "../domain/username.ts";
import type { CredentialStore } from "../identities/credentials/store.ts";
import { maySignIn, type User } from "../identities/users/model.ts";
import type { UserStore } from "../identities/users/store.ts";
import type { Clock } from "../platform/clock.ts";
import { newCandidates } from "./candidates.ts";
import { newKnownSignIns, type ReadAhead } from "./known-sign-ins.ts";
import { type Guesser, isSignInLocked, type LockoutStore, type LockState } from "./lockout-store.ts";
import type { ChangesIn } from "./role-changes.ts";

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

/** One sign-in. */
export interface SignInAttempt {
  /** A name can have several readings: the first one whose tenant exists counts. */
  readonly readings: readonly QualifiedName[];
  readonly password: string;
  /** The address that the request came from, as the gateway saw it; never from a header. */
  readonly sourceIp: string;
  /** What the caller does meanwhile. */
  readonly meanwhile?: Meanwhile;
  /**
   * True for a page, which tells of locks. Then every reading is looked up, and the failures of a name that no user has
   * are counted whatever the name means: neither a lock nor the work shows which tenants there are.
   */
  readonly tellsLocks?: boolean;
}

/** What a caller does during a sign-in, so that it costs no round trip of its own. */
export interface Meanwhile {
  /** Begins to read what belongs to the user of each reading. It does the same for the id of no user. */
  readonly onUser: (userId: string, reading: QualifiedName) => void;
  /**
   * Runs after the password was verified, while the lock is read again. The sign-in may still be refused: what is done
   * here must be worthless then.
   */
  readonly onVerified: (user: User, reading: QualifiedName) => Promise<void>;
}

/**
 * The user with that name and password; `undefined` where the sign-in is refused. Two round trips while the password is
 * in the cache; one where `changesIn` is given, which reads the log of changes in parallel, and the sign-in is known.
 * Throws `service.unavailable` when too many passwords are being hashed.
 */
export type SignIn = (
  attempt: SignInAttempt,
  stores: SignInStores,
  onRefused: OnRefused,
  changesIn?: ChangesIn,
) => Promise<SignedIn | undefined>;

/**
 * The name under which attempts in unknown tenants are counted. No user can have it; trying it costs what any name
 * costs.
 */
export const UNKNOWN_NAME: QualifiedName = { tenant: "-", userStore: "-", name: "-" };

/**
 * The name of a user in a tenant. A name that does not end in that tenant is taken as a whole, e-mail addresses
 * included, so users of other tenants cannot sign in.
 */
export function nameIn(tenant: string, username: string): QualifiedName {
  const given = parseUsername(username);
  const isQualified = username.includes("@") && given?.tenant === tenant;
  return (isQualified ? given : parseUsername(`${username}@${tenant}`)) ?? UNKNOWN_NAME;
}

/** The most existing tenants that a container remembers. Tenants are never deleted. */
const TENANTS_KNOWN_MAX = 10_000;

/**
 * What a name means at an application that takes guests (decision 0134), the likeliest first: `kim@acme.com` is kim of
 * the tenant acme.com, where there is such a tenant, and otherwise the user of the application's tenant with that name.
 * Whether users exist never decides.
 */
export function namesAmongGuests(tenant: string, username: string): readonly QualifiedName[] {
  const own = nameIn(tenant, username);
  const given = username.includes("@") ? parseUsername(username) : undefined;
  return given && given.tenant !== tenant ? [given, own] : [own];
}

/** Opens the sign-in of one container. */
export function newSignIn(clock: Clock): SignIn {
  const candidateOf = newCandidates(clock);
  const knownTenants = new Set<string>();
  const knownSignIns = newKnownSignIns(clock);

  const find = async (
    name: QualifiedName,
    { sourceIp, meanwhile }: SignInAttempt,
    stores: SignInStores,
    now: number,
    ahead: ReadAhead | undefined,
  ) => {
    const guesser = { name, sourceIp };
    const onUser = meanwhile && ((userId: string) => meanwhile.onUser(userId, name));
    const { lockouts } = stores;
    const [tenant, candidate, lock] = await Promise.all([
      ahead?.tenant ? ahead.tenant.found : stores.tenants.find(name.tenant),
      candidateOf(name, stores, ahead, onUser),
      ahead ? (ahead.lock ?? lockouts.findBoth(guesser, now)) : lockouts.find(guesser, now),
    ]);
    if (tenant && knownTenants.size < TENANTS_KNOWN_MAX) knownTenants.add(name.tenant);
    return { guesser, tenant, candidate, lock };
  };

  /**
   * All readings up to the first whose tenant is known, in parallel: a name with an `@` takes no longer than others. At
   * a page all of them, so that the work is the same whichever tenants there are.
   */
  const findAll = (attempt: SignInAttempt, stores: SignInStores, now: number, ahead: readonly ReadAhead[] = []) => {
    const known = attempt.readings.findIndex(({ tenant }) => knownTenants.has(tenant));
    const isAll = known < 0 || attempt.tellsLocks;
    const possible = isAll ? attempt.readings : attempt.readings.slice(0, known + 1);
    return Promise.all(possible.map((reading, at) => find(reading, attempt, stores, now, ahead[at])));
  };

  return async (attempt, stores, onRefused, changesIn) => {
    const { password, sourceIp } = attempt;
    const { lockouts } = stores;
    const now = clock.now();
    const known = changesIn && (await knownSignIns.find(attempt, stores, now, changesIn));
    if (known?.again) {
      const { guesser, user } = known.again;
      await settleKnown(lockouts, known.again, now);
      return { tenant: guesser.name.tenant, user };
    }
    const all = await findAll(attempt, stores, now, known?.ahead);
    const found = all.find(({ tenant }) => tenant) ?? all[0];
    if (!found) return undefined;
    const { guesser, tenant, lock, candidate } = found;
    const { user } = candidate;
    const refuse = (reason: RefusalReason): undefined => {
      onRefused(guesser.name, reason);
      return undefined;
    };
    const maySucceed = tenant?.active === true && user !== undefined && maySignIn(user);
    // Failures of a user who may not sign in are counted too, but a lock of that time does not outlast it.
    const version = user && !maySucceed ? `inactive ${candidate.passwordVersion}` : candidate.passwordVersion;

    if (isSignInLocked(lock, version, now)) {
      await candidate.verifyNothing(password);
      await lockouts.refuse(guesser, lock, now);
      return refuse("locked");
    }
    const { isRight, isCached, verifiedMs } = await candidate.verify(password, maySucceed);
    if (!isRight || !maySucceed) {
      // Attempts in unknown tenants are counted in one row: otherwise strangers could fill the table.
      const isCounted = tenant && (user || found === all[0] || attempt.tellsLocks);
      await (isCounted
        ? lockouts.fail(guesser, lock, now, version)
        : lockouts.refuse({ name: UNKNOWN_NAME, sourceIp }, undefined, now));
      return refuse(!user ? "unknown" : isRight ? "inactive" : "password");
    }
    const isLockedNow = (state: LockState) => isSignInLocked(state, version, now);
    const [isAdmitted] = await Promise.all([
      admits(lockouts, { guesser, lock, isCached, isLockedNow, now }),
      attempt.meanwhile?.onVerified(user, guesser.name),
    ]);
    if (!isAdmitted) return refuse("locked");
    const { name } = guesser;
    if (changesIn && candidate.isInTable) {
      await knownSignIns.remember(attempt, { name, user, passwordVersion: version, verifiedMs }, changesIn);
    }
    return { tenant: name.tenant, user };
  };
}

interface Success {
  readonly guesser: Guesser;
  readonly lock: LockState;
  readonly isCached: boolean;
  readonly isLockedNow: (state: LockState) => boolean;
  readonly now: number;
}

/**
 * Whether a right password is still admitted after it was hashed: of many guesses at once, the right one must not
 * succeed after the others locked the name. Writes what a success changes. One round trip, none if the result came from
 * the cache; one more where there are failures to clear.
 */
async function admits(lockouts: LockoutStore, { guesser, lock, isCached, isLockedNow, now }: Success) {
  if (isCached) {
    await settleKnown(lockouts, { guesser, lock }, now);
    return true;
  }
  // A new source is written while the lock is read again, so that it costs no round trip.
  const isRemembered = !lock.source.hasFailures && lockouts.isDue(lock, now);
  const [lockNow] = await Promise.all([
    lockouts.findAgain(guesser, lock, now),
    isRemembered ? lockouts.succeed(guesser, lock, now) : undefined,
  ]);
  if (isLockedNow(lockNow)) {
    await lockouts.takeBack(guesser, lock, now);
    return false;
  }
  if (lockNow.source.hasFailures) await lockouts.succeed(guesser, lockNow, now);
  return true;
}

/** Writes what a success changes that needs no second look: there may be failures to clear. */
async function settleKnown(lockouts: LockoutStore, { guesser, lock }: Pick<Success, "guesser" | "lock">, now: number) {
  if (lock.source.hasFailures) await lockouts.succeed(guesser, lock, now);
}
