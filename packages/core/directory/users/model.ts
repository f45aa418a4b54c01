/** A user as the service stores it, for every protocol. */
import { PRIMARY, withStore } from "../../kernel/domain/username.ts";
import type { IndexedValue } from "../../scim/protocol/indexed.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";

/** One user. */
export interface User {
  readonly id: string;
  /** As it was written when it was set, without a store. Unique in its store, in any case. */
  readonly userName: string;
  readonly userStore: string;
  /** False: the user cannot sign in, but stays visible. */
  readonly active: boolean;
  /** True when the user has a password. */
  readonly hasPassword: boolean;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Grows with every change of what is shown of the user. */
  readonly version: number;
  /**
   * What clients store about the user, in canonical form; without `id`, `meta`, `userName`, `active`, `groups` and
   * `password`.
   */
  readonly profile: Resource;
  /** The groups that the user is a direct member of. A deleted group may still be among them. */
  readonly groupIds: readonly string[];
  /** The roles that are assigned to the user directly; as with groups. */
  readonly roleIds: readonly string[];
  /**
   * The addresses and numbers that the user wrote and that are not verified: they identify no user (`lookupText`).
   * Absent where there are none.
   */
  readonly unproven?: readonly string[] | undefined;
  /** True for the row of a user of a directory, which says itself which addresses the user has. Otherwise absent. */
  readonly isRecord?: boolean | undefined;
  /**
   * Links for a password that were sent until this time do not count: the address for mail was changed, or an
   * invitation withdrawn. Absent where neither has happened.
   */
  readonly linksEndedMs?: number | undefined;
  /** The attributes whose indexes hold the values that the user has. The store sets it. */
  readonly indexed: readonly string[];
  /** What the indexes of other attributes hold, where a change is too large for one transaction. The store sets it. */
  readonly unsettled?: Readonly<Record<string, readonly IndexedValue[]>> | undefined;
}

const SYSTEM_SCHEMA = "urn:scim:wso2:schema";

/** A new user: active, with nothing but its name. */
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
    indexed: [],
    ...more,
  };
}

/** The name with its store, where that is not PRIMARY. */
export function qualifiedName({ userStore, userName }: Pick<User, "userStore" | "userName">): string {
  return withStore(userStore, userName);
}

/** The account status: true for an active user whose account no client has locked or disabled. */
export function maySignIn({ active, profile }: Pick<User, "active" | "profile">): boolean {
  const { accountLocked, accountDisabled } = systemAttributes(profile);
  return active && accountLocked !== true && accountDisabled !== true;
}

/** Whether the user must choose a new password before signing in. */
export function mustChangePassword({ profile }: Pick<User, "profile">): boolean {
  return systemAttributes(profile).forcePasswordReset === true;
}

/** Whether the user chooses its first password by the link of an invitation. */
export function isInvited(profile: Resource): boolean {
  return systemAttributes(profile).askPassword === true;
}

/** Whether one-time codes are set up for the user. */
export function hasCodes({ profile }: Pick<User, "profile">): boolean {
  return systemAttributes(profile).totpEnabled === "true";
}

/** How `enabledAuthenticators` names passkeys: as authentication sequences do. */
const PASSKEYS = "FIDOAuthenticator";
/** The value that names nothing: an empty one would be none at all. */
const NOTHING = "none";

/** Whether the user has passkeys. */
export function hasPasskeys({ profile }: Pick<User, "profile">): boolean {
  return namesPasskeys(systemAttributes(profile).enabledAuthenticators);
}

/** Whether a value of `enabledAuthenticators` names passkeys. */
export function namesPasskeys(value: unknown): boolean {
  return authenticatorsIn(value).some((name) => isSame(name, PASSKEYS));
}

/** Whether a value of `enabledAuthenticators` says that there are none. */
export function namesNothing(value: unknown): boolean {
  return typeof value === "string" && isSame(value.trim(), NOTHING);
}

/** A value of `enabledAuthenticators` that names passkeys, or does not. `undefined` for one that names nothing. */
export function withPasskeys(value: unknown, has: boolean): string | undefined {
  const others = authenticatorsIn(value).filter((name) => !isSame(name, PASSKEYS) && !isSame(name, NOTHING));
  return [...others, ...(has ? [PASSKEYS] : [])].join(",") || undefined;
}

/** The names in a value, which separates them by commas. */
function authenticatorsIn(value: unknown): readonly string[] {
  const names = typeof value === "string" ? value.split(",") : [];
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

/** The attributes of a profile about the account and its state. */
export function systemAttributes(profile: Resource): Resource {
  const system = profile[SYSTEM_SCHEMA];
  return typeof system === "object" && system !== null && !Array.isArray(system) ? (system as Resource) : {};
}

/** A profile with other attributes about the account; `undefined` removes one. */
export function withSystemAttributes(profile: Resource, changes: Readonly<Record<string, unknown>>): Resource {
  const { [SYSTEM_SCHEMA]: _, ...rest } = profile;
  const all = Object.entries({ ...systemAttributes(profile), ...changes }).filter(([, value]) => value !== undefined);
  return all.length === 0 ? rest : ({ ...rest, [SYSTEM_SCHEMA]: Object.fromEntries(all) } as Resource);
}
