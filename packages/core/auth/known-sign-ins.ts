/**
 * Sign-ins that succeeded in this container, for one minute: the next request with the same name and password reads the
 * user, its lock and the log of its tenant, all at once, instead of finding the user by its name first (decision 0096).
 *
 * What is not read is proven. The row of the user has the version that it had, so that it still has its name. The log
 * shows no entry about the user, as every new password writes one, nor about its tenant. A request for which that does
 * not hold is a sign-in like any other. Only who sends the right password gets here: wrong passwords, of users that
 * exist or not, cost what they cost before.
 */
import type { QualifiedName } from "../domain/username.ts";
import { maySignIn, type User } from "../identities/users/model.ts";
import type { Clock } from "../platform/clock.ts";
import { foldName } from "../platform/fold.ts";
import { subjects } from "../tokens/revocation-store.ts";
import type { Changes } from "../tokens/validity.ts";
import { FRESH_MS, newFreshCache, newPrivateDigest } from "./fresh.ts";
import { type Guesser, isSignInLocked, type LockState } from "./lockout-store.ts";
import type { ChangesIn } from "./role-changes.ts";
import type { SignInAttempt, SignInStores } from "./sign-in.ts";

/** A sign-in that succeeded. Its user is in the table. */
export interface Succeeded {
  readonly name: QualifiedName;
  readonly user: User;
  readonly passwordVersion: string;
  /** When the password was verified. */
  readonly verifiedMs: number;
}

/** A sign-in that succeeds again, before it is written what a success changes. */
export interface Again {
  readonly guesser: Guesser;
  readonly user: User;
  readonly lock: LockState;
}

/** The sign-ins of one container. */
export interface KnownSignIns {
  /** One round trip; none for an attempt that is not known. `undefined` where it is not proven that it succeeds. */
  find(attempt: SignInAttempt, stores: SignInStores, nowMs: number, changesIn: ChangesIn): Promise<Again | undefined>;
  remember(attempt: SignInAttempt, succeeded: Succeeded, changesIn: ChangesIn): Promise<void>;
}

interface Known extends Omit<Succeeded, "user"> {
  readonly userId: string;
  readonly userVersion: number;
  /** A moment from before the sign-in was read, by which the log is compared. */
  readonly order: number;
}

/** Knows none. */
export function newKnownSignIns(clock: Clock): KnownSignIns {
  const digest = newPrivateDigest();
  const known = newFreshCache<Known>(clock);

  return {
    async find(attempt, stores, nowMs, changesIn) {
      const key = digest(textOf(attempt));
      const one = known.get(key);
      if (!one) return undefined;
      const { name, userId } = one;
      const guesser = { name, sourceIp: attempt.sourceIp };
      // A reading precedes the known one where a tenant of that name is created.
      const preceding = attempt.readings.slice(
        0,
        attempt.readings.findIndex((reading) => isSame(reading, name)),
      );
      const [changes, user, lock, ...tenants] = await Promise.all([
        changesIn(name.tenant),
        stores.users.find(name.tenant, userId, name.userStore),
        stores.lockouts.find(guesser, nowMs),
        ...preceding.map(({ tenant }) => stores.tenants.find(tenant)),
      ]);
      const isProven =
        nowMs < one.verifiedMs + FRESH_MS &&
        tenants.every((tenant) => tenant === undefined) &&
        isAsItWas(one, changes) &&
        user !== undefined &&
        isUserOf(one, user);
      if (isProven && !isSignInLocked(lock, one.passwordVersion, nowMs)) return { guesser, user, lock };
      if (!isProven) known.delete(key);
      return undefined;
    },

    async remember(attempt, { name, user, passwordVersion, verifiedMs }, changesIn) {
      const changes = await changesIn(name.tenant);
      const one: Known = {
        name,
        userId: user.id,
        userVersion: user.version,
        passwordVersion,
        verifiedMs,
        order: changes.before,
      };
      // Not after the first read of the log, which does not say what was changed while the user was read.
      if (isAsItWas(one, changes)) known.set(digest(textOf(attempt)), one);
    },
  };
}

/** Whether neither the password nor the tenant has changed. */
function isAsItWas({ userId, order }: Known, { isUnchangedSince }: Changes): boolean {
  return [subjects.user(userId), subjects.tenant].every((subject) => isUnchangedSince(subject, order));
}

/** Whether the row is that of the user who signed in, under the same name, and may do so now. */
function isUserOf({ name, userVersion }: Known, user: User): boolean {
  const isNamed = user.userStore === name.userStore && foldName(user.userName) === foldName(name.name);
  return isNamed && user.version === userVersion && maySignIn(user);
}

function isSame(a: QualifiedName, b: QualifiedName): boolean {
  return a.tenant === b.tenant && a.userStore === b.userStore && a.name === b.name;
}

/** Neither names nor passwords contain line breaks. */
function textOf({ readings, password }: SignInAttempt): string {
  return [...readings.map(({ tenant, userStore, name }) => `${tenant}\n${userStore}\n${name}`), password].join("\n");
}
