/**
 * From a name and a password to a user: what the Basic scheme and the password grant have in common.
 *
 * An unknown tenant, store or user, a wrong password and a locked name cost the same work and get the same answer. A
 * verified password is not hashed again while it is fresh and the user's password is still that one; concurrent requests
 * with one credential share one hash.
 */
import { Fault } from "../faults/faults.ts";
import type { Clock } from "../platform/clock.ts";
import { verifyNothing, verifyPassword } from "../platform/password.ts";
import type { TenantStore } from "../tenants/tenant.ts";
import { maySignIn, type User } from "../users/model.ts";
import type { UserStore } from "../users/store.ts";
import type { QualifiedName } from "../users/username.ts";
import type { Credential, CredentialStore } from "./credentials.ts";
import { type Fresh, newFresh, newPrivateDigest } from "./fresh.ts";
import { isLocked, type LockoutStore } from "./lockout.ts";

/** What a sign-in reads. */
export interface SignInStores {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly lockouts: LockoutStore;
}

/** Why a sign-in is refused. Callers are not told. */
export type RefusalReason = "unknown" | "password" | "locked" | "inactive";

/** Tells about a refused sign-in. */
export type OnRefused = (name: QualifiedName, reason: RefusalReason) => void;

/** Who has that name and that password; `undefined` for whoever may not enter, whatever the reason. Two round trips while the password is fresh. */
export type SignIn = (
  name: QualifiedName,
  password: string,
  stores: SignInStores,
  onRefused: OnRefused,
) => Promise<User | undefined>;

/** An id that no user has; looking it up costs what looking up a user costs. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The name under which attempts in unknown tenants are counted; no real name is one of it. Trying it costs what trying another costs. */
export const NOWHERE: QualifiedName = { tenant: "-", userStore: "-", name: "-" };

/** Hashes that one container works on at once; more would take longer than the gateway waits. */
const HASHES_AT_ONCE_MAX = 64;

/** Opens the sign-in of one container. */
export const newSignIn = (clock: Clock): SignIn => {
  const digest = newPrivateDigest();
  let hashesUnderWay = 0;
  const verified: Fresh<Promise<boolean>> = newFresh(clock);

  /** Refuses work that could not be done in time: hashes wait for each other. */
  const hashed = async <R>(hash: () => Promise<R>): Promise<R> => {
    if (hashesUnderWay >= HASHES_AT_ONCE_MAX) {
      throw new Fault("service.unavailable", "Too many sign-ins at once. Try again in a moment.");
    }
    hashesUnderWay += 1;
    try {
      return await hash();
    } finally {
      hashesUnderWay -= 1;
    }
  };

  /** The verdict on a password; one hash per credential while it is fresh. A wrong one is not remembered. */
  const verify = async (userId: string, password: string, { passwordHash, version }: Credential) => {
    const key = digest(`${version}\n${userId}\n${password}`);
    const known = verified.get(key);
    if (known) return { isRight: await known, isFresh: true };
    const verdict = hashed(() => verifyPassword(password, passwordHash));
    verified.set(key, verdict);
    const isRight = await verdict.catch((error: unknown) => {
      verified.delete(key);
      throw error;
    });
    if (!isRight) verified.delete(key);
    return { isRight, isFresh: false };
  };

  return async (name, password, stores, onRefused) => {
    const now = clock.now();
    const [tenant, userId, lock] = await Promise.all([
      stores.tenants.find(name.tenant),
      stores.users.idOf(name),
      stores.lockouts.find(name, now),
    ]);
    const [stored, user] = await Promise.all([
      stores.credentials.find(name.tenant, userId ?? NOBODY),
      stores.users.find(name.tenant, userId ?? NOBODY),
    ]);

    if (isLocked(lock, stored?.version, now)) {
      await hashed(() => verifyNothing(password));
      await stores.lockouts.refuse(name);
      onRefused(name, "locked");
      return undefined;
    }
    const mayEnter = tenant?.active === true && user !== undefined && maySignIn(user);
    const { isRight, isFresh } = stored
      ? await verify(userId ?? NOBODY, password, stored)
      : { isRight: await hashed(() => verifyNothing(password)), isFresh: false };
    if (!isRight || !user || !mayEnter) {
      // What is tried in tenants that do not exist is counted in one place, or strangers could fill the table.
      if (!isRight)
        await (tenant ? stores.lockouts.fail(name, lock, now, stored?.version) : stores.lockouts.refuse(NOWHERE));
      onRefused(name, !user ? "unknown" : isRight ? "inactive" : "password");
      return undefined;
    }
    // Of many guesses at once the right one must not get in behind those that locked the name while it was hashed.
    const meanwhile = isFresh ? lock : await stores.lockouts.find(name, now);
    if (isLocked(meanwhile, stored?.version, now)) {
      onRefused(name, "locked");
      return undefined;
    }
    if (meanwhile.hasFailures) await stores.lockouts.clear(name, meanwhile);
    return user;
  };
};
