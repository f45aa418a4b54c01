/**
 * From a name and a password to a user: what the Basic scheme and the password grant have in common.
 *
 * An unknown tenant, store or user, a wrong password and a locked name cost the same work and get the same answer. A
 * verified password is not hashed again while it is fresh and the user's password is still that one; concurrent requests
 * with one credential share one hash.
 */

import type { TenantStore } from "../domain/tenant-store.ts";
import type { QualifiedName } from "../domain/username.ts";
import type { CredentialStore } from "../identities/credentials/store.ts";
import { maySignIn, type User } from "../identities/users/model.ts";
import type { UserStore, UsersElsewhere } from "../identities/users/store.ts";
import type { Clock } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import { verifyNothing, verifyPassword } from "../platform/password.ts";
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

/** Who signed in. */
export interface SignedIn {
  readonly tenant: string;
  readonly user: User;
}

/**
 * Who has that name and that password; `undefined` for whoever may not enter, whatever the reason. Of several readings of a
 * name the first counts whose tenant exists. Two round trips while the password is fresh.
 */
export type SignIn = (
  readings: readonly QualifiedName[],
  password: string,
  stores: SignInStores,
  onRefused: OnRefused,
) => Promise<SignedIn | undefined>;

/** An id that no user has; looking it up costs what looking up a user costs. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The name under which attempts in unknown tenants are counted; no real name is one of it. Trying it costs what trying another costs. */
export const NOWHERE: QualifiedName = { tenant: "-", userStore: "-", name: "-" };

/** Tenants that a container remembers to exist; none ever goes. */
const TENANTS_KNOWN_MAX = 10_000;

/** Hashes that one container works on at once; more would take longer than the gateway waits. */
const HASHES_AT_ONCE_MAX = 64;

/** What is known of a password, and whether it was known before. */
interface Verdict {
  readonly isRight: boolean;
  readonly isFresh: boolean;
}

/** Who is meant by a name, as far as anybody is. */
interface Candidate {
  readonly user: User | undefined;
  /** What a lock holds for; `undefined` where there is no password here. */
  readonly passwordVersion: string | undefined;
  verify(password: string): Promise<Verdict>;
}

/** Finds who is meant by a name. */
type Meant = (name: QualifiedName, stores: SignInStores) => Promise<Candidate>;

/** Opens the sign-in of one container. */
export function newSignIn(clock: Clock): SignIn {
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

  /** The verdict on a password, once while it is fresh. A wrong one is not remembered. */
  const verdictOn = async (key: string, ask: () => Promise<boolean>): Promise<Verdict> => {
    const known = verified.get(key);
    if (known) return { isRight: await known, isFresh: true };
    const verdict = ask();
    verified.set(key, verdict);
    const isRight = await verdict.catch((error: unknown) => {
      verified.delete(key);
      throw error;
    });
    if (!isRight) verified.delete(key);
    return { isRight, isFresh: false };
  };

  /** Whoever is meant, where passwords are hashes in the table. */
  const inTable: Meant = async (name, stores) => {
    const userId = (await stores.users.idOf(name)) ?? NOBODY;
    const [stored, user] = await Promise.all([
      stores.credentials.find(name.tenant, userId),
      stores.users.find(name.tenant, userId, name.userStore),
    ]);
    return {
      user,
      passwordVersion: stored?.version,
      verify: async (password) => {
        if (!stored) return { isRight: await hashed(() => verifyNothing(password)), isFresh: false };
        const { passwordHash, version } = stored;
        const key = digest(`${version}\n${userId}\n${password}`);
        return verdictOn(key, () => hashed(() => verifyPassword(password, passwordHash)));
      },
    };
  };

  /** Whoever is meant, where the user store itself judges passwords. */
  const outside =
    (elsewhere: UsersElsewhere): Meant =>
    async (name) => {
      const { user, mark, verify } = await elsewhere.lookUp(name);
      return {
        user,
        passwordVersion: undefined,
        verify: (password) => verdictOn(digest(`${mark}\n${password}`), () => verify(password)),
      };
    };

  const knownTenants = new Set<string>();

  /** What is known of one reading of a name. */
  const look = async (name: QualifiedName, stores: SignInStores, now: number) => {
    const { elsewhere } = stores.users;
    const meant = elsewhere?.has(name.tenant, name.userStore) ? outside(elsewhere) : inTable;
    const [tenant, candidate, lock] = await Promise.all([
      stores.tenants.find(name.tenant),
      meant(name, stores),
      stores.lockouts.find(name, now),
    ]);
    if (tenant && knownTenants.size < TENANTS_KNOWN_MAX) knownTenants.add(name.tenant);
    return { name, tenant, candidate, lock };
  };

  return async (readings, password, stores, onRefused) => {
    const now = clock.now();
    // Side by side, so that a name with an address in it takes no longer than others.
    const sure = readings.findIndex(({ tenant }) => knownTenants.has(tenant));
    const looks = await Promise.all(
      (sure < 0 ? readings : readings.slice(0, sure + 1)).map((reading) => look(reading, stores, now)),
    );
    const found = looks.find(({ tenant }) => tenant) ?? looks[0];
    if (!found) return undefined;
    const { name, tenant, lock } = found;
    const { user, passwordVersion, verify } = found.candidate;

    if (isLocked(lock, passwordVersion, now)) {
      await hashed(() => verifyNothing(password));
      await stores.lockouts.refuse(name);
      onRefused(name, "locked");
      return undefined;
    }
    const mayEnter = tenant?.active === true && user !== undefined && maySignIn(user);
    const { isRight, isFresh } = await verify(password);
    if (!isRight || !user || !mayEnter) {
      // What is tried in tenants that do not exist is counted in one place, or strangers could fill the table.
      const isAnywhere = tenant && (user || found === looks[0]);
      if (!isRight)
        await (isAnywhere ? stores.lockouts.fail(name, lock, now, passwordVersion) : stores.lockouts.refuse(NOWHERE));
      onRefused(name, !user ? "unknown" : isRight ? "inactive" : "password");
      return undefined;
    }
    // Of many guesses at once the right one must not get in behind those that locked the name while it was hashed.
    const meanwhile = isFresh ? lock : await stores.lockouts.find(name, now);
    if (isLocked(meanwhile, passwordVersion, now)) {
      onRefused(name, "locked");
      return undefined;
    }
    if (meanwhile.hasFailures) await stores.lockouts.clear(name, meanwhile);
    return { tenant: name.tenant, user };
  };
}
