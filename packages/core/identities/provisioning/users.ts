/**
 * What provisioning does with users, whatever protocol it speaks: users are made and changed by resources in canonical
 * form (scim/schema/attribute.ts). Passwords are hashed here and never come back.
 */
import { isDeepStrictEqual } from "node:util";
import type { TenantStore } from "../../domain/tenant.ts";
import { splitStore } from "../../domain/username.ts";
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { stale } from "../../table/stale.ts";
import type { Step } from "../../table/table.ts";
import { revokingUser } from "../../tokens/revocation-store.ts";
import { addingCredential, newCredential, removingCredential, replacingCredential } from "../credentials/store.ts";
import type { GroupStore } from "../groups/store.ts";
import type { RoleStore } from "../roles/store.ts";
import { EMAILS_MAX, lookupsOf } from "../users/lookups.ts";
import { freshUser, maySignIn, qualifiedName, type User } from "../users/model.ts";
import { checkName, checkPassword } from "../users/rules.ts";
import { type StoreName, USER_BYTES_MAX, type UserStore } from "../users/store.ts";
import { type Caller, checkTouch } from "./escalation.ts";

/** What provisioning of users uses. */
export interface UserStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tenants: TenantStore;
  /** The names of the user stores, in the order in which they are listed. */
  readonly userStores: readonly string[];
}

/** On whose behalf, and when. */
export interface Occasion extends Caller {
  readonly now: number;
}

/** A resource taken apart into what is kept where. */
interface Account {
  readonly name: StoreName;
  readonly password: string | undefined;
  readonly active: boolean | undefined;
  readonly profile: Resource;
}

/** How a user is to be changed. */
export interface UserWish {
  /** Looks at the user that is there, and throws where nothing may be done to it. */
  readonly check?: ((before: User) => void | Promise<void>) | undefined;
  /** Answers the resource that shall be, or the very one it was given. */
  readonly change: (before: Resource) => Resource;
  /** The user name that the change sets, where it is known beforehand: saves a round trip. */
  readonly userName?: string | undefined;
}

/** The store and the bare name of a user name. Throws `request.invalid`. */
export function nameIn(userName: string, userStores: readonly string[]): StoreName {
  const { userStore, name } = splitStore(userName.trim());
  if (!userStores.includes(userStore)) throw refuse(`Invalid user store domain: ${userStore.slice(0, 50)}.`);
  checkName(name);
  return { userStore, name };
}

/** A user as the resource that changes are made to: everything that clients may write, but for the password. */
export function storedResource(user: User): Resource {
  return {
    id: user.id,
    userName: qualifiedName(user),
    active: user.active,
    ...user.profile,
  };
}

/** Makes a user. Throws `request.invalid` and `scim.unique`. Two round trips. */
export async function createUser(
  { users, userStores }: UserStores,
  { tenant, now }: Occasion,
  resource: Resource,
  { needsPassword }: { readonly needsPassword: boolean },
): Promise<User> {
  const { name, password, active = true, profile } = accountOf(resource, userStores);
  if (password === undefined && needsPassword && !isInvited(profile)) {
    throw refuse("Required attribute password is missing in the SCIM object.");
  }
  if (password !== undefined) checkPassword(password);
  const isElsewhere = users.elsewhere?.has(tenant, name.userStore) === true;
  const user = freshUser(newId(), name.name, now, {
    userStore: name.userStore,
    active,
    profile,
    hasPassword: password !== undefined && !isElsewhere,
  });
  const steps =
    password === undefined || isElsewhere
      ? []
      : [
          addingCredential(
            tenant,
            user.id,
            await newCredential(password),
            () => new Error("a fresh user id is in use"),
          ),
        ];
  return users.add(tenant, user, { steps, ...(isElsewhere && { password }) });
}

/** Whether a user is to set its password by an invitation. */
function isInvited(profile: Resource): boolean {
  return (profile["urn:scim:wso2:schema"] as Resource | undefined)?.askPassword === true;
}

/**
 * Changes a user. Answers it as it is then; one to which nothing changes keeps its version and its time.
 * Another password, and whatever keeps the user out, end its tokens.
 * Throws `scim.not_found`, `scim.unique`, `request.invalid`, `scim.forbidden`, and what `check` and `change` throw.
 */
export async function changeUser(
  stores: UserStores,
  occasion: Occasion,
  id: string,
  { check, change, userName }: UserWish,
): Promise<User> {
  const { tenant, now } = occasion;
  let hashed: ReturnType<typeof newCredential> | undefined;
  const isElsewhere = ({ userStore }: User) => stores.users.elsewhere?.has(tenant, userStore) === true;
  const credentialSteps = async (before: User, password: string | undefined): Promise<Step[]> => {
    if (password === undefined) return [];
    checkPassword(password);
    if (isElsewhere(before)) return [];
    // One hash, however often the change is tried.
    hashed ??= newCredential(password);
    const setting = before.hasPassword ? replacingCredential : addingCredential;
    return [setting(tenant, id, await hashed, stale)];
  };
  const wishedName = userName === undefined ? undefined : nameIn(userName, stores.userStores);
  // Read beside the user where it may be needed; it is not waited for where something else fails first.
  const administrator = wishedName && isAdministrator(stores, tenant, id);
  administrator?.catch(() => undefined);
  return stores.users.update(
    tenant,
    id,
    async (before) => {
      await check?.(before);
      const was = storedResource(before);
      const wished = change(was);
      if (wished === was) return undefined;
      const { name, password, active = before.active, profile } = accountOf(wished, stores.userStores);
      if (name.userStore !== before.userStore) throw refuse("A user cannot be moved to another user store.");
      const steps = await credentialSteps(before, password);
      const same = { userName: before.userName, active: before.active, profile: before.profile };
      if (password === undefined && isDeepStrictEqual({ userName: name.name, active, profile }, same)) return undefined;
      const after: User = {
        ...before,
        userName: name.name,
        active,
        profile,
        hasPassword: before.hasPassword || steps.length > 0,
        modifiedMs: Math.max(now, before.modifiedMs + 1),
      };
      const isKeptOut = maySignIn(before) && !maySignIn(after);
      const isRenamed = after.userName !== before.userName;
      if ((isKeptOut || isRenamed) && (await (administrator ?? isAdministrator(stores, tenant, id)))) {
        throw administratorStays();
      }
      const takesOver = isRenamed || password !== undefined;
      const isTouched = takesOver || maySignIn(before) !== maySignIn(after);
      const isEnded = password !== undefined || isKeptOut;
      return {
        after,
        steps: [...steps, ...(isEnded ? revokingUser(tenant, id) : [])],
        ...(isElsewhere(before) && { password }),
        ...(isTouched && { allowed: checkTouch(stores, occasion, before, { takesOver }) }),
      };
    },
    wishedName,
  );
}

/** Deletes a user and everything that hangs on it. Throws `scim.not_found`, `scim.forbidden`, and what `check` throws. */
export function deleteUser(
  stores: UserStores,
  occasion: Occasion,
  id: string,
  check?: (before: User) => void,
): Promise<void> {
  const { tenant, now } = occasion;
  const administrator = isAdministrator(stores, tenant, id);
  // Looked at only once the user is read; a failure before that must not go unheard as a rejection of its own.
  administrator.catch(() => undefined);
  return stores.users.remove(tenant, id, now, {
    async check(user) {
      if (await administrator) throw administratorStays();
      check?.(user);
      await checkTouch(stores, occasion, user, { takesOver: false });
    },
    steps: ({ hasPassword }) => [
      ...(hasPassword ? [removingCredential(tenant, id, stale)] : []),
      ...revokingUser(tenant, id),
    ],
  });
}

function accountOf(resource: Resource, userStores: readonly string[]): Account {
  const { id: _, meta: __, groups: ___, userName, active, password, ...profile } = resource;
  if (typeof userName !== "string") throw refuse("Required attribute userName is missing in the SCIM object.");
  const name = nameIn(userName, userStores);
  if (lookupsOf(profile).filter(({ attribute }) => attribute === "emails").length > EMAILS_MAX)
    throw refuse(`A user can have at most ${EMAILS_MAX} e-mail addresses.`);
  const bytes = Buffer.byteLength(JSON.stringify(profile));
  if (bytes > USER_BYTES_MAX) throw refuse(`The user has ${bytes} bytes; at most ${USER_BYTES_MAX} can be kept.`);
  return {
    name,
    password: typeof password === "string" ? password : undefined,
    active: typeof active === "boolean" ? active : undefined,
    profile,
  };
}

function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

async function isAdministrator({ tenants }: UserStores, tenant: string, userId: string): Promise<boolean> {
  return (await tenants.find(tenant))?.administrator === userId;
}

function administratorStays(): Fault {
  return new Fault(
    "scim.forbidden",
    "The administrator of the tenant cannot be renamed, deleted, deactivated, locked or disabled.",
  );
}
