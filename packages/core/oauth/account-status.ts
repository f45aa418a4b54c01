/** The account of a user as a token is issued for it: the user, its roles, and what was revoked of both. */
import type { ScopePlace } from "../api-resources/scope-store.ts";
import { roleIdsOf } from "../auth/role-ids.ts";
import type { Role } from "../identities/roles/store.ts";
import type { User } from "../identities/users/model.ts";
import { revocationStore, subjects } from "../tokens/revocation-store.ts";
import type { OAuthContext } from "./context.ts";

export interface AccountStatus {
  readonly user: User;
  readonly roles: readonly Role[];
  /** The APIs of the named scopes that exist. */
  readonly places: ReadonlyMap<string, ScopePlace>;
  /** The latest revocation of the user: tokens that were issued before it are not valid. */
  readonly userFromMs: number;
  /** The latest revocation of the user and of all its roles: a token for this status is dated after it. */
  readonly knownMs: number;
}

/** Whose account is read, for which scopes of the tenant's own APIs. */
export interface AccountQuery {
  readonly tenant: string;
  readonly names: readonly string[];
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

async function read({ tenant, names, find }: AccountQuery, context: OAuthContext): Promise<AccountStatus | undefined> {
  const user = await find();
  if (!user) return undefined;
  const roleIds = await roleIdsOf(context, tenant, user);
  const [roles, [userFromMs = 0, ...roleFromMs], places] = await Promise.all([
    context.roles.findMany(tenant, roleIds),
    revocationStore(context.table).validFrom(tenant, [subjects.user(user.id), ...roleIds.map(subjects.role)]),
    context.apiResources.findScopes(tenant, names),
  ]);
  return { user, roles, places, userFromMs, knownMs: Math.max(userFromMs, ...roleFromMs) };
}
