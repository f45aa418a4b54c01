/** What a user brings to a token at this moment, and from when on that is known to hold. */
import { roleIdsOf } from "../auth/held-roles.ts";
import type { Role } from "../identities/roles/store.ts";
import type { User } from "../identities/users/model.ts";
import { keys } from "../table/keys.ts";
import { markOf, subjects } from "../tokens/revocation.ts";
import type { OAuthContext } from "./context.ts";

/** A user with its roles and what was revoked of both. */
export interface UserStanding {
  readonly user: User;
  readonly roles: readonly Role[];
  /** When tokens of the user were revoked last. */
  readonly userFromMs: number;
  /** The same of the user and all its roles. */
  readonly knownMs: number;
}

/**
 * Reads a user that `find` finds. Where something was revoked since the request began, or so shortly before that the mark
 * lies ahead of it, what was read beside the mark may be older than the mark: then it is read again, behind it.
 */
export async function userStanding(
  tenant: string,
  find: () => Promise<User | undefined>,
  context: OAuthContext,
): Promise<UserStanding | undefined> {
  const first = await read(tenant, find, context);
  if (!first || first.knownMs <= context.now) return first;
  const second = await read(tenant, find, context);
  return second && { ...second, knownMs: first.knownMs };
}

async function read(
  tenant: string,
  find: () => Promise<User | undefined>,
  context: OAuthContext,
): Promise<UserStanding | undefined> {
  const user = await find();
  if (!user) return undefined;
  const { roles, table } = context;
  const roleIds = await roleIdsOf(context, tenant, user);
  const [found, marks] = await Promise.all([
    roles.findMany(tenant, roleIds),
    table.getMany(
      [subjects.user(user.id), ...roleIds.map(subjects.role)].map((subject) => keys.revocation(tenant, subject)),
    ),
  ]);
  const [userFromMs = 0, ...roleFromMs] = marks.map(markOf);
  return { user, roles: found, userFromMs, knownMs: Math.max(userFromMs, ...roleFromMs) };
}
