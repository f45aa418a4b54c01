/** The account of a user as a token is issued for it: the user, its roles, and what was revoked of both. */
import type { ScopePlace } from "../../applications/apis/scope-store.ts";
import type { Role } from "../../directory/roles/store.ts";
import type { User } from "../../directory/users/model.ts";
import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { permissionOf } from "../../tokens/model.ts";
import { revocationStore, subjects } from "../../tokens/revocation-store.ts";
import { roleIdsOf } from "../authentication/role-ids.ts";
import { type MembershipStores, type Memberships, readingAhead } from "../openid/memberships.ts";
import type { OAuthContext } from "./context.ts";
import { ownNames } from "./scopes.ts";

export interface AccountStatus {
  readonly user: User;
  readonly roles: readonly Role[];
  /** The APIs of the named scopes that exist. */
  readonly places: ReadonlyMap<string, ScopePlace>;
  /**
   * The latest revocation of the user, of what it allows the client, and of the session: tokens that were issued before
   * it are not valid.
   */
  readonly userFromMs: number;
  /** The latest of these and of all its roles: a token for this status is dated after it. */
  readonly knownMs: number;
  /** Groups and roles, where some were read before. */
  readonly stores: MembershipStores;
}

/** Whose account is read, for which requested scopes. */
export interface AccountQuery {
  readonly tenant: string;
  readonly names: readonly string[];
  /** The client that gets the tokens, and the session that they end with. */
  readonly clientId: string;
  readonly sid?: string | undefined;
  /** The user, or `undefined` where there is none: then nothing else is read. */
  readonly find: () => Promise<User | undefined>;
}

/** An account whose user is known before it is read. */
export interface KnownAccountQuery extends AccountQuery {
  readonly userId: string;
  /** The tenant of the user, of which roles and revocations are: for a guest not that of the scopes. */
  readonly home: string;
  /** What the user was a member of a moment ago; absent where that is not known. */
  readonly likely?: Memberships | undefined;
  /** Whether claims need the roles, so that they are read although no requested scope is of an API. */
  readonly needsRoles: (user: User) => Promise<boolean>;
}

/**
 * Reads the account of the user that `find` returns. Where a revocation is newer than the start of the request, the
 * user and roles may have been read before it: then they are read again. `knownMs` stays that of the first read,
 * because the second read can miss later changes in the same way.
 */
export function readAccountStatus(query: AccountQuery, context: OAuthContext): Promise<AccountStatus | undefined> {
  return readTwice(() => read(query, context), context);
}

/**
 * The same for a user whose id is known. One round trip, and up to two more for the roles, which are read where a name
 * is a scope of an API, or claims need them.
 */
export function readKnownAccount(query: KnownAccountQuery, context: OAuthContext): Promise<AccountStatus | undefined> {
  return readTwice((isFirst) => readKnown(isFirst ? query : { ...query, likely: undefined }, context), context);
}

async function readTwice(
  once: (isFirst: boolean) => Promise<AccountStatus | undefined>,
  { now }: OAuthContext,
): Promise<AccountStatus | undefined> {
  const first = await once(true);
  if (!first || first.knownMs <= now) return first;
  const second = await once(false);
  return second && { ...second, knownMs: first.knownMs };
}

async function read(
  { tenant, names, clientId, sid, find }: AccountQuery,
  context: OAuthContext,
): Promise<AccountStatus | undefined> {
  const user = await find();
  if (!user) return undefined;
  const roleIds = await roleIdsOf(context, tenant, user);
  const grants = [permissionOf(user.id, clientId), ...(sid === undefined ? [] : [sid])];
  const marked = [subjects.user(user.id), ...grants.map(subjects.grant), ...roleIds.map(subjects.role)];
  const [roles, fromMs, places] = await Promise.all([
    context.roles.findMany(tenant, roleIds),
    revocationStore(context.table).validFrom(tenant, marked),
    context.apiResources.findScopes(tenant, ownNames(names)),
  ]);
  const userFromMs = Math.max(...fromMs.slice(0, 1 + grants.length));
  return { user, roles, places, userFromMs, knownMs: Math.max(...fromMs), stores: context };
}

async function readKnown(query: KnownAccountQuery, context: OAuthContext): Promise<AccountStatus | undefined> {
  const { tenant, home, names, clientId, sid, find, userId, likely, needsRoles } = query;
  const marks = revocationStore(context.table);
  const ahead = likely?.roleIds ?? [];
  const stores = likely && likely.groupIds.length + ahead.length > 0 ? readingAhead(context, home, likely) : context;
  const grants = [permissionOf(userId, clientId), ...(sid === undefined ? [] : [sid])];
  const owned = [subjects.user(userId), ...grants.map(subjects.grant)];
  const [user, places, fromMs] = await Promise.all([
    find(),
    context.apiResources.findScopes(tenant, ownNames(names)),
    marks.validFrom(home, [...owned, ...ahead.map(subjects.role)]),
  ]);
  if (!user) return undefined;
  const userFromMs = Math.max(...fromMs.slice(0, owned.length));
  const ofApi = names.some((name) => name !== SIGNED_IN && (systemScopes.has(name) || places.has(name)));
  if (!ofApi && !(await needsRoles(user))) {
    return { user, roles: [], places, userFromMs, knownMs: userFromMs, stores };
  }
  const roleIds = await roleIdsOf(stores, home, user);
  const others = roleIds.filter((id) => !ahead.includes(id));
  const [roles, otherMs] = await Promise.all([
    stores.roles.findMany(home, roleIds),
    others.length > 0 ? marks.validFrom(home, others.map(subjects.role)) : [],
  ]);
  return { user, roles, places, userFromMs, knownMs: Math.max(...fromMs, ...otherMs), stores };
}
