/**
 * From a user name and a password to a user: for the Basic scheme and the password grant.
 *
 * An unknown tenant, user store or user, a wrong password and a locked name cost the same work and get the same
 * response. A verified password is not hashed again while it is in the cache and still the user's password. Concurrent
 * requests with one credential share one hash. A sign-in that succeeded is repeated in one round trip
 * (known-sign-ins.ts).
 */

import type { Lookup } from "../../directory/users/identifiers.ts";
import { maySignIn, type User } from "../../directory/users/model.ts";
import type { Clock } from "../../kernel/clock.ts";
import { parseUsername, type QualifiedName } from "../../kernel/domain/username.ts";
import { addressFor, findAccount, isOf, newNameOf } from "./account.ts";
import type { ReadAhead, SignInAttempt, SignInStores } from "./attempt.ts";
import { newCandidates, type OnUser } from "./candidates.ts";
import { newKnownSignIns } from "./known-sign-ins.ts";
import { type Guesser, isSignInLocked, type LockoutStore, type LockState } from "./lockout-store.ts";
import type { ChangesIn } from "./role-changes.ts";
import { throttled } from "./source-names-store.ts";

/** Why a sign-in is refused: for the log, never for the caller. */
export type RefusalReason = "unknown" | "password" | "locked" | "inactive" | "many names at the source";

/** Reports a refused sign-in. */
export type OnRefused = (name: QualifiedName, reason: RefusalReason) => void;

/** The user who signed in. */
export interface SignedIn {
  readonly tenant: string;
  readonly user: User;
}

/**
 * The user with that name and password; `undefined` where the sign-in is refused. Two round trips while the password is
 * in the cache; one where `changesIn` is given, which reads the log of changes in parallel, and the sign-in is known.
 * Throws `service.unavailable` when too many passwords are being hashed, and `auth.throttled` where the source is held
 * up (decision 0147).
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

/**
 * The same where the text may also be an address or a number (decision 0186): one that no user name can be, such as a
 * number with a slash, is looked up in the tenant too.
 */
export function nameOrAddressIn(tenant: string, username: string, identifier: Lookup | undefined): QualifiedName {
  const name = nameIn(tenant, username);
  return name === UNKNOWN_NAME && identifier ? nameIn(tenant, identifier.value) : name;
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
    { sourceIp, meanwhile, identifier, readings: [entered] }: SignInAttempt,
    stores: SignInStores,
    now: number,
    ahead: ReadAhead | undefined,
  ) => {
    const address = addressFor(name, identifier, stores.users);
    const guesser = { name, sourceIp, entered };
    const onUser = meanwhile && ((userId: string) => meanwhile.onUser(userId, name));
    const { lockouts } = stores;
    if (address) return findByAddress(guesser, address, onUser, stores, now);
    const [tenant, candidate, lock] = await Promise.all([
      ahead?.tenant ? ahead.tenant.found : stores.tenants.find(name.tenant),
      candidateOf(name, stores, { ahead, onUser }),
      ahead ? (ahead.lock ?? lockouts.findBoth(guesser, now)) : lockouts.find(guesser, now),
    ]);
    if (tenant && knownTenants.size < TENANTS_KNOWN_MAX) knownTenants.add(name.tenant);
    return { guesser, tenant, candidate, lock, outage: undefined };
  };

  /**
   * The same of a text that may be an address: as many round trips for a user name, an address, and what is neither.
   * The lock is that of the account, whatever it was found by. One round trip more for a user who was renamed since the
   * address was written.
   */
  const findByAddress = async (
    entered: Guesser,
    address: Lookup,
    onUser: OnUser | undefined,
    stores: SignInStores,
    now: number,
  ) => {
    const { name } = entered;
    const { lockouts } = stores;
    const account = findAccount(name, address, stores.users);
    const [tenant, known, found, before] = await Promise.all([
      stores.tenants.find(name.tenant),
      account,
      account.then((known) => candidateOf(known.name, stores, { onUser, known })),
      account.then(({ name }) => lockouts.findBoth({ ...entered, name }, now)),
    ]);
    if (tenant && knownTenants.size < TENANTS_KNOWN_MAX) knownTenants.add(name.tenant);
    const candidate = found.user && !isOf(known, found.user) ? { ...found, user: undefined } : found;
    const renamed = newNameOf(known, candidate.user);
    const guesser = { ...entered, name: renamed ?? known.name };
    const lock = renamed ? await lockouts.findBoth(guesser, now) : before;
    return { guesser, tenant, candidate, lock, outage: known.outage };
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
    const success = found && (await verified(found, found === all[0], { attempt, stores, onRefused, now }));
    if (!success) return undefined;
    const { name, version: passwordVersion, verifiedMs, user } = success;
    if (changesIn && found.candidate.isInTable) {
      await knownSignIns.remember(attempt, { name, user, passwordVersion, verifiedMs }, changesIn);
    }
    return { tenant: name.tenant, user };
  };

  /**
   * What a sign-in as a reading of the name found; `undefined` where it is refused. Counts the attempt. While a
   * directory cannot be reached, every refusal throws that: it must not show which names there are, and an attempt with
   * an address is no failure.
   */
  async function verified(found: Awaited<ReturnType<typeof find>>, isFirst: boolean, { attempt, ...more }: Attempted) {
    const { password } = attempt;
    const { onRefused, now } = more;
    const { lockouts } = more.stores;
    const { guesser, tenant, lock, candidate, outage } = found;
    const { user } = candidate;
    const isCounted = Boolean(tenant && (user || isFirst || attempt.tellsLocks));
    const refuse = async (reason: RefusalReason, failed?: string): Promise<undefined> => {
      if (outage && !user) throw outage;
      onRefused(guesser.name, reason);
      const isHeldUp = await isHeldUpAfter(lockouts, { guesser, lock, now, isCounted, version: failed });
      if (outage) throw outage;
      if (isHeldUp) throw throttled();
      return undefined;
    };
    const maySucceed = tenant?.active === true && user !== undefined && maySignIn(user);
    // Failures of a user who may not sign in are counted too, but a lock of that time does not outlast it.
    const version = user && !maySucceed ? `inactive ${candidate.passwordVersion}` : candidate.passwordVersion;

    if (isSignInLocked(lock, version, now)) {
      await candidate.verifyNothing(password);
      return refuse(lockReason(lock));
    }
    const { isRight, isCached, verifiedMs } = await candidate.verify(password, maySucceed);
    if (!isRight || !maySucceed) {
      return refuse(!user ? "unknown" : isRight ? "inactive" : "password", version);
    }
    const isLockedNow = (state: LockState) => isSignInLocked(state, version, now);
    const [isAdmitted] = await Promise.all([
      admits(lockouts, { guesser, lock, isCached, isLockedNow, now }),
      attempt.meanwhile?.onVerified(user, guesser.name),
    ]);
    // As after a wrong password: a source that is held up since must not show that this one is right.
    if (!isAdmitted) {
      onRefused(guesser.name, lockReason(lock));
      if (outage) throw outage;
      return undefined;
    }
    return { name: guesser.name, user, version, verifiedMs };
  }
}

/** An attempt, and what it is made with. */
interface Attempted {
  readonly attempt: SignInAttempt;
  readonly stores: SignInStores;
  readonly onRefused: OnRefused;
  readonly now: number;
}

interface Failure {
  readonly guesser: Guesser;
  readonly lock: LockState;
  readonly now: number;
  /** False for attempts in unknown tenants: they are counted in one row, or strangers could fill the table. */
  readonly isCounted: boolean;
  /** The version of the password that was tried; none where the name is locked. */
  readonly version: string | undefined;
}

/** Counts a failed attempt. Returns whether its source is held up from now on. */
function isHeldUpAfter(lockouts: LockoutStore, { guesser, lock, now, isCounted, version }: Failure): Promise<boolean> {
  if (!isCounted) return lockouts.refuse({ ...guesser, name: UNKNOWN_NAME }, undefined, now, lock.names);
  return version === undefined ? lockouts.refuse(guesser, lock, now) : lockouts.fail(guesser, lock, now, version);
}

function lockReason({ names }: LockState): RefusalReason {
  return names?.isFull ? "many names at the source" : "locked";
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
