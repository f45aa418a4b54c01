/**
 * From a Basic credential to a principal and its scopes.
 *
 * An unknown tenant, store or user, a wrong password and a locked name cost the same work and get the same answer. A
 * verified credential is not hashed again while it is fresh and the user's password is still that one; concurrent
 * requests with one credential share one hash.
 */

import type { Principal } from "../context.ts";
import { Fault } from "../faults/faults.ts";
import { unauthenticated } from "../http/decision.ts";
import type { Clock } from "../platform/clock.ts";
import { verifyNothing, verifyPassword } from "../platform/password.ts";
import { type RoleStore, scopesOf } from "../roles/store.ts";
import type { TenantStore } from "../tenants/tenant.ts";
import type { UserStore } from "../users/store.ts";
import { parseUsername, type QualifiedName } from "../users/username.ts";
import { type BasicCredential, readBasic } from "./basic.ts";
import type { Credential, CredentialStore } from "./credentials.ts";
import { type Fresh, newFresh, newPrivateDigest } from "./fresh.ts";
import type { LockoutStore } from "./lockout.ts";

/** Who calls and what it may do. */
export interface Authenticated {
  readonly principal: Principal;
  readonly scopes: ReadonlySet<string>;
}

/** What authentication reads. */
export interface AuthenticationStores {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly roles: RoleStore;
  readonly credentials: CredentialStore;
  readonly lockouts: LockoutStore;
}

/** Tells about a refused sign-in. */
export type OnRefused = (name: QualifiedName, reason: "unknown" | "password" | "locked" | "inactive") => void;

/** Authenticates the `Authorization` header of a request. Throws `auth.unauthenticated`. */
export type Authenticate = (
  header: string | undefined,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

/** An id that no user has; looking it up costs what looking up a user costs. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The name under which attempts in unknown tenants are counted; no real name is one of it. */
const NOWHERE: QualifiedName = { tenant: "-", userStore: "-", name: "-" };

/** Hashes that one container works on at once; more would take longer than the gateway waits. */
const HASHES_AT_ONCE_MAX = 64;

/** The one answer to every credential that does not let in. */
const refused = (): Fault => unauthenticated("The user name or the password is wrong, or the user may not sign in.");

/** Opens the authentication of one container. `everyScope` is what the administrator's role stands for. */
export const newAuthenticate = (clock: Clock, everyScope: ReadonlySet<string>): Authenticate => {
  const digest = newPrivateDigest();
  let hashesUnderWay = 0;
  const verified: Fresh<Promise<boolean>> = newFresh(clock);
  const rolePermissions: Fresh<ReadonlySet<string>> = newFresh(clock);

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
  const verify = async ({ username, password }: BasicCredential, { passwordHash, version }: Credential) => {
    const key = digest(`${version}\n${username}\n${password}`);
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

  const scopesOfRoles = async (roles: RoleStore, tenant: string, ids: readonly string[]) => {
    const keyOf = (id: string) => `${tenant}#${id}`;
    const known = ids.map((id) => rolePermissions.get(keyOf(id)));
    const read = await roles.findMany(
      tenant,
      ids.filter((_, index) => !known[index]),
    );
    const permissions = read.map((role) => {
      const scopes = scopesOf([role], everyScope);
      rolePermissions.set(keyOf(role.id), scopes);
      return scopes;
    });
    return new Set([...known, ...permissions].flatMap((scopes) => [...(scopes ?? [])]));
  };

  return async (header, stores, onRefused) => {
    if (!header) throw unauthenticated("Send a credential: Authorization: Basic, with user name and password.");
    const credential = readBasic(header);
    const name = credential && parseUsername(credential.username);
    if (!credential || !name) throw refused();

    const now = clock.now();
    const [tenant, userId, lock] = await Promise.all([
      stores.tenants.find(name.tenant),
      stores.users.idOf(name),
      stores.lockouts.find(name, now),
    ]);
    const [stored, user] = await Promise.all([
      stores.credentials.find(name.tenant, userId ?? NOBODY),
      stores.users.findWithRoles(name.tenant, userId ?? NOBODY),
    ]);

    if (lock.lockedUntilMs > now) {
      await hashed(() => verifyNothing(credential.password));
      await stores.lockouts.refuse(name);
      onRefused(name, "locked");
      throw refused();
    }
    const mayEnter = tenant?.active === true && user?.active === true;
    const { isRight, isFresh } = stored
      ? await verify(credential, stored)
      : { isRight: await hashed(() => verifyNothing(credential.password)), isFresh: false };
    if (!isRight || !user || !mayEnter) {
      // What is tried in tenants that do not exist is counted in one place, or strangers could fill the table.
      if (!isRight) await (tenant ? stores.lockouts.fail(name, lock, now) : stores.lockouts.refuse(NOWHERE));
      onRefused(name, !user ? "unknown" : isRight ? "inactive" : "password");
      throw refused();
    }
    // Of many guesses at once the right one must not get in behind those that locked the name while it was hashed.
    const meanwhile = isFresh ? lock : await stores.lockouts.find(name, now);
    if (meanwhile.lockedUntilMs > now) {
      onRefused(name, "locked");
      throw refused();
    }
    if (meanwhile.hasFailures) await stores.lockouts.clear(name, meanwhile);
    return {
      principal: {
        kind: "user",
        tenant: name.tenant,
        subject: user.id,
        username: user.userName,
        userStore: user.userStore,
      },
      scopes: await scopesOfRoles(stores.roles, name.tenant, user.roleIds),
    };
  };
};
