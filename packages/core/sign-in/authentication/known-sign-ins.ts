/**
 * Sign-ins that succeeded in this container, for one minute: the next request with the same name, password and source
 * reads the user, its lock and the log of its tenant, all at once, instead of finding the user by its name first
 * (decision 0096).
 *
 * What is not read is proven. The row of the user has the version that it had, so that it still has its name. The log
 * shows no entry about the user, as every new password writes one, nor about its tenant.
 *
 * Only who sends the right password gets here: wrong passwords, of users that exist or not, cost what they cost before.
 * Where the proof fails, or a lock holds, the sign-in goes on as any other and reads only what was not read here, so
 * that a right password that is refused costs what a wrong one costs.
 */
import { maySignIn, type User } from "../../directory/users/model.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { foldName } from "../../kernel/fold.ts";
import { subjects } from "../../tokens/revocation-store.ts";
import { NO_USER_ID, type ReadAhead, type SignInAttempt, type SignInStores } from "./attempt.ts";
import { FRESH_MS, newFreshCache, newPrivateDigest } from "./fresh.ts";
import { type Guesser, isSignInLocked, type LockState } from "./lockout-store.ts";
import type { ChangesIn } from "./role-changes.ts";
import { sourceOf } from "./source.ts";
import type { Changes } from "./token-validity.ts";

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

/** A sign-in that is known. */
export interface KnownSignIn {
  /** `undefined` where it is not proven that it succeeds. */
  readonly again: Again | undefined;
  /** For the readings up to the known one, in their order. */
  readonly ahead: readonly ReadAhead[];
}

/** The sign-ins of one container. */
export interface KnownSignIns {
  /** One round trip; none and `undefined` for an attempt that is not known. */
  find(
    attempt: SignInAttempt,
    stores: SignInStores,
    nowMs: number,
    changesIn: ChangesIn,
  ): Promise<KnownSignIn | undefined>;
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
      const at = attempt.readings.findIndex((reading) => isSame(reading, name));
      const [changes, user, lock, ...tenants] = await Promise.all([
        changesIn(name.tenant),
        stores.users.find(name.tenant, userId, name.userStore),
        stores.lockouts.find(guesser, nowMs),
        ...attempt.readings.slice(0, at).map(({ tenant }) => stores.tenants.find(tenant)),
      ]);
      const isProven =
        nowMs < one.verifiedMs + FRESH_MS &&
        tenants.every((tenant) => tenant === undefined) &&
        isAsItWas(one, changes) &&
        user !== undefined &&
        isUserOf(one, user);
      if (!isProven) known.delete(key);
      return {
        again: isProven && !isSignInLocked(lock, one.passwordVersion, nowMs) ? { guesser, user, lock } : undefined,
        ahead: [
          ...tenants.map((found) => ({ userId: NO_USER_ID, tenant: { found } })),
          { userId, user: { found: user }, lock },
        ],
      };
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

/** Neither names nor passwords contain line breaks. At another source, the lock would have to be found first. */
function textOf({ readings, password, sourceIp }: SignInAttempt): string {
  const names = readings.map(({ tenant, userStore, name }) => `${tenant}\n${userStore}\n${name}`);
  return [sourceOf(sourceIp), ...names, password].join("\n");
}
