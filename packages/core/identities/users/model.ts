/** A user as the service keeps it, whatever protocol asks. */

import { PRIMARY } from "../../domain/username.ts";
import type { Resource } from "../../scim/schema/attribute.ts";

/** One user. */
export interface User {
  readonly id: string;
  /** As it was written when it was set, without a store. Unique in its store, whatever the case. */
  readonly userName: string;
  readonly userStore: string;
  /** False keeps the user out; it stays visible. */
  readonly active: boolean;
  /** True when the user has a password. */
  readonly hasPassword: boolean;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of what is shown of the user. */
  readonly version: number;
  /** What clients store about the user, in canonical form; without `id`, `meta`, `userName`, `active`, `groups` and `password`. */
  readonly profile: Resource;
  /** The groups that the user is a direct member of. A group that was deleted may still be among them. */
  readonly groupIds: readonly string[];
  /** The roles given to the user directly; as with groups. */
  readonly roleIds: readonly string[];
}

const SYSTEM_SCHEMA = "urn:scim:wso2:schema";

/** A user that was just made: active, with nothing but its name. */
export function freshUser(
  id: string,
  userName: string,
  nowMs: number,
  more: Partial<Omit<User, "id" | "userName" | "createdMs" | "modifiedMs" | "version">> = {},
): User {
  return {
    id,
    userName,
    userStore: PRIMARY,
    active: true,
    hasPassword: false,
    createdMs: nowMs,
    modifiedMs: nowMs,
    version: 1,
    profile: {},
    groupIds: [],
    roleIds: [],
    ...more,
  };
}

/** The name with its store, where that is not PRIMARY: how other things name the user. */
export function qualifiedName({ userStore, userName }: Pick<User, "userStore" | "userName">): string {
  return userStore === PRIMARY ? userName : `${userStore}/${userName}`;
}

/** Whether a user may sign in at all (reference scim.md section 7.4): it is active, and no client locked or disabled the account. */
export function maySignIn({ active, profile }: Pick<User, "active" | "profile">): boolean {
  const system = profile[SYSTEM_SCHEMA];
  const flags = typeof system === "object" && system !== null && !Array.isArray(system) ? (system as Resource) : {};
  return active && flags.accountLocked !== true && flags.accountDisabled !== true;
}
