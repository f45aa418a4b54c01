/** The account of a user as a token is issued for it: the user, its roles, and what was revoked of both. */
import type { ScopePlace } from "../api-resources/scope-store.ts";
import { roleIdsOf } from "../auth/role-ids.ts";
import type { Role } from "../identities/roles/store.ts";
import type { User } from "../identities/users/model.ts";
import { permissionOf } from "../tokens/model.ts";
import { revocationStore, subjects } from "../tokens/revocation-store.ts";
import type { OAuthContext } from "./context.ts";

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
}

/** Whose account is read, for which scopes of the tenant's own APIs. */
export interface AccountQuery {
  readonly tenant: string;
  readonly names: readonly string[];
  /** The client that gets the tokens, and the session that they end with. */
  readonly clientId: string;
  readonly sid?: string | undefined;
  /** The user, or `undefined` where there is none: then nothing else is read. */
  readonly find: () => Promise<User | undefined>;
}

/**
 * Reads the account of the user that `find` returns. Where a revocation is newer than the start of the request, the
 * user and roles may have been read before it: then they are read again. `knownMs` stays that of the first read,
 * because the second read can miss later changes in the same way.
 */
export async function readAccountStatus(
  query: AccountQuery,
  context: OAuthContext,
): Promise<AccountStatus | undefined> {
  const first = await read(query, context);
  if (!first || first.knownMs <= context.now) return first;
  const second = await read(query, context);
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
    context.apiResources.findScopes(tenant, names),
  ]);
  const userFromMs = Math.max(...fromMs.slice(0, 1 + grants.length));
  return { user, roles, places, userFromMs, knownMs: Math.max(...fromMs) };
}
