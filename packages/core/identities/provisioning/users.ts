/**
 * Changes of users, for every protocol. Users are created and changed by resources in canonical form
 * (scim/schema/attribute.ts). Passwords are hashed here and never returned.
 */
import { isDeepStrictEqual } from "node:util";
import { SUPER_TENANT } from "../../domain/tenant.ts";
import type { TenantStore } from "../../domain/tenant-store.ts";
import { splitStore, tenantNamedIn } from "../../domain/username.ts";
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import { checkTogether } from "../../platform/together.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { stale } from "../../table/stale.ts";
import type { Step } from "../../table/table.ts";
import { endingSessionsOf } from "../../tokens/logout-store.ts";
import { revokingUser } from "../../tokens/revocation-store.ts";
import { hashRefused, importedCredential, isHash } from "../credentials/imported.ts";
import {
  addingCredential,
  type Credential,
  newCredential,
  puttingCredentialAside,
  removingCredential,
  replacingCredential,
} from "../credentials/store.ts";
import type { GroupStore } from "../groups/store.ts";
import type { RoleStore } from "../roles/store.ts";
import { EMAILS_MAX, lookupsOf } from "../users/lookup-rows.ts";
import { freshUser, maySignIn, mustChangePassword, qualifiedName, type User } from "../users/model.ts";
import { checkName, checkPassword } from "../users/rules.ts";
import { type StoreName, USER_BYTES_MAX, type UserChange, type UserStore } from "../users/store.ts";
import { type FactorKind, settledFlags } from "./account-flags.ts";
import { type Caller, checkAccountChange } from "./escalation.ts";
import { factorEnding, factorRemoving } from "./factor-steps.ts";
import { missing, refuse, textOf } from "./resource.ts";

/** The stores that changes of users need. */
export interface UserStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tenants: TenantStore;
  /** The names of the user stores, in the order in which they are listed. */
  readonly userStores: readonly string[];
}

/** The caller and the time of a change. */
export interface ChangeContext extends Caller {
  readonly now: number;
}

/** The parts of a user's resource, which are stored in different places. */
interface Account {
  readonly name: StoreName;
  readonly password: string | undefined;
  readonly active: boolean | undefined;
  readonly profile: Resource;
}

/** A requested change of a user. */
export interface UserChangeRequest {
  /** Throws where the user must not be changed. */
  readonly check?: ((before: User) => void | Promise<void>) | undefined;
  /** Returns the new resource, or the one it was given for no change. */
  readonly change: (before: Resource) => Resource;
  /** The user name that the change sets, where it is known beforehand: saves a round trip. */
  readonly userName?: string | undefined;
  /** The second factor that a sign-in sets up, and the step that stores it. */
  readonly factor?: { readonly kind: FactorKind; readonly storing: Step } | undefined;
}

/** The store and the bare name of a user name, which may be one that no new user can have. Throws `request.invalid`. */
export function nameIn(userName: string, userStores: readonly string[]): StoreName {
  const { userStore, name } = splitStore(userName.trim());
  if (!userStores.includes(userStore)) throw refuse(`Invalid user store domain: ${userStore.slice(0, 50)}.`);
  return { userStore, name };
}

/** A user as the resource that changes apply to: all attributes that clients can write, without the password. */
export function storedResource(user: User): Resource {
  return {
    id: user.id,
    userName: qualifiedName(user),
    active: user.active,
    ...user.profile,
  };
}

/**
 * Creates a user. From a caller that may import hashes, the password may be one (decision 0098). Throws
 * `request.invalid` and `scim.unique`. Two round trips.
 */
export async function createUser(
  { users, tenants, userStores }: UserStores,
  context: ChangeContext,
  resource: Resource,
  { needsPassword }: { readonly needsPassword: boolean },
): Promise<User> {
  const { tenant, now } = context;
  const { name, password, active = true, ...account } = accountOf(resource, userStores);
  const { profile } = settledFlags(account);
  const isImported = password !== undefined && isHash(password, context.scopes);
  checkTogether(
    () => {
      if (password === undefined && needsPassword && !isInvited(profile)) throw missing("password");
    },
    () => checkName(name.name),
    () => {
      if (password !== undefined && !isImported) checkPassword(password);
    },
  );
  const { userStore } = name;
  const elsewhere = isExternal(users, tenant, name);
  if (isImported && elsewhere) throw hashRefused(`a user store of an LDAP directory cannot take: ${userStore}`);
  const hasPassword = password !== undefined && !elsewhere;
  const user = freshUser(newId(), name.name, now, { userStore, active, profile, hasPassword });
  const inUse = () => new Error("a new user id is in use");
  const steps: Step[] = [];
  if (hasPassword) {
    const credential = isImported ? importedCredential(password) : await newCredential(password);
    steps.push(addingCredential(tenant, user.id, credential, inUse));
  }
  const allowed = checkTenantIn(tenants, context, name);
  return users.add(tenant, user, { steps, allowed, ...(elsewhere && { password }) });
}

/**
 * Refuses a name of the super tenant that sign-ins would read as a user of another tenant (decision 0062). One round
 * trip for a name with a domain, none for others. A caller that does not await the result gets no unhandled rejection.
 */
export function checkTenantIn(
  tenants: TenantStore,
  { tenant, now }: ChangeContext,
  { name }: StoreName,
): Promise<void> {
  const domain = tenant === SUPER_TENANT ? tenantNamedIn(name) : undefined;
  const check = async () => {
    if (domain === undefined || !(await tenants.isInUse(domain, now))) return;
    throw refuse(
      `userName must not end in @${domain}: sign-ins read it as a user of the tenant ${domain}. Create the user there, or choose another name.`,
    );
  };
  const checked = check();
  checked.catch(() => undefined);
  return checked;
}

/** Whether the user sets its password through an invitation. */
function isInvited(profile: Resource): boolean {
  return (profile["urn:scim:wso2:schema"] as Resource | undefined)?.askPassword === true;
}

/**
 * Changes a user and returns its new state; a user to which nothing changes keeps its version and its time.
 * Another password, an account status that prevents sign-in, and a second factor that is taken away revoke the user's
 * tokens and end its sessions.
 * Throws `scim.not_found`, `scim.unique`, `request.invalid`, `scim.forbidden`, and what `check` and `change` throw.
 */
export async function changeUser(
  stores: UserStores,
  context: ChangeContext,
  id: string,
  { check, change, userName, factor }: UserChangeRequest,
): Promise<User> {
  const { tenant, now } = context;
  const newName = userName === undefined ? undefined : nameIn(userName, stores.userStores);
  const credentialSteps = passwordSetter(context, stores.users);
  // Read concurrently with the user where it may be needed; not awaited where another check fails first.
  const administrator = newName && isAdministrator(stores, tenant, id);
  administrator?.catch(() => undefined);
  const newNameChecked = newName && checkTenantIn(stores.tenants, context, newName);
  const changeOf = async (before: User): Promise<UserChange | undefined> => {
    await check?.(before);
    const was = storedResource(before);
    const resource = change(was);
    if (resource === was && !factor) return undefined;
    const given = accountOf(resource, stores.userStores);
    const { profile, takenAway } = settledFlags({
      before,
      profile: given.profile,
      setsUp: factor?.kind,
      choosesPassword: given.password !== undefined && context.subject === id,
      isOwn: context.subject === id,
    });
    const isWeaker = takenAway.length > 0;
    if (isWeaker && context.subject === id) throw ownFactor();
    const account = { ...given, profile };
    if (account.name.userStore !== before.userStore) throw refuse("A user cannot be moved to another user store.");
    // A user whose name was valid once, or comes from a directory, can be changed under that name.
    if (account.name.name !== before.userName) checkName(account.name.name);
    const { password } = account;
    const credential = await credentialSteps(before, password);
    const after = changedUser(before, account, now, {
      isForced: factor !== undefined,
      hasPassword: credential.length > 0,
    });
    if (!after) return undefined;
    const ofFactors = [
      ...(factor ? [factor.storing] : []),
      ...takenAway.map((kind) => factorRemoving[kind](tenant, id)),
    ];
    const isBlocked = maySignIn(before) && !maySignIn(after);
    const isRenamed = after.userName !== before.userName;
    // A user who must change the password signs in on pages alone.
    const isHeldUp = !mustChangePassword(before) && mustChangePassword(after);
    if ((isBlocked || isHeldUp || isRenamed) && (await (administrator ?? isAdministrator(stores, tenant, id)))) {
      throw protectedAdministrator();
    }
    // Without its second factor, a user is easier to take over.
    const takesOver = isRenamed || password !== undefined || isWeaker;
    const isStatus = maySignIn(before) !== maySignIn(after) || mustChangePassword(before) !== mustChangePassword(after);
    const isRestricted = takesOver || isStatus;
    const allowed = async () => {
      const checked = isRenamed ? (newNameChecked ?? checkTenantIn(stores.tenants, context, account.name)) : undefined;
      await Promise.all([checkAccountChange(stores, context, before, { takesOver }), checked]);
    };
    return {
      after,
      steps: [
        ...credential,
        ...ofFactors,
        ...(password !== undefined || isBlocked || isWeaker ? signingOut(tenant, id, "user", now) : []),
      ],
      ...(isExternal(stores.users, tenant, before) && { password }),
      ...(isRestricted && { allowed: allowed() }),
    };
  };
  return stores.users.update(tenant, id, changeOf, newName);
}

/** Makes the steps that store a new password. It is hashed once, however often the change is tried. */
function passwordSetter({ tenant, scopes }: ChangeContext, users: UserStore) {
  let hashed: Promise<Credential> | undefined;
  return async (user: User, password: string | undefined): Promise<Step[]> => {
    if (password === undefined) return [];
    // Set as a plain password, the hash itself would sign in.
    if (isHash(password, scopes)) throw hashRefused("is accepted only when the user is created");
    checkPassword(password);
    if (isExternal(users, tenant, user)) return [];
    hashed ??= newCredential(password);
    const setting = user.hasPassword ? replacingCredential : addingCredential;
    return [setting(tenant, user.id, await hashed, stale)];
  };
}

function isExternal(users: UserStore, tenant: string, { userStore }: Pick<User, "userStore">): boolean {
  return users.elsewhere?.has(tenant, userStore) === true;
}

/** A password or a token alone must not take a second factor away. */
function ownFactor(): Fault {
  return new Fault(
    "scim.forbidden",
    "You cannot take your own one-time codes or passkeys away. Set up another app or passkey when you sign in, or ask another administrator.",
  );
}

/** The new state of a user; `undefined` where it equals the current one. */
function changedUser(
  before: User,
  account: Account,
  now: number,
  { isForced, hasPassword }: { readonly isForced: boolean; readonly hasPassword: boolean },
): User | undefined {
  const { name, password, active = before.active, profile } = account;
  const fields = { userName: name.name, active, profile };
  const same = { userName: before.userName, active: before.active, profile: before.profile };
  if (password === undefined && !isForced && isDeepStrictEqual(fields, same)) return undefined;
  return {
    ...before,
    ...fields,
    hasPassword: before.hasPassword || hasPassword,
    modifiedMs: Math.max(now, before.modifiedMs + 1),
  };
}

/**
 * Deletes a user and everything that belongs to it. Throws `scim.not_found`, `scim.forbidden`, and what `check` throws.
 */
export function deleteUser(
  stores: UserStores,
  context: ChangeContext,
  id: string,
  check?: (before: User) => void,
): Promise<void> {
  const { tenant, now } = context;
  const administrator = isAdministrator(stores, tenant, id);
  // Awaited only once the user is read; a failure before that must not become an unhandled rejection.
  administrator.catch(() => undefined);
  const ending = factorEnding(tenant, id);
  return stores.users.remove(tenant, id, now, {
    async check(user) {
      if (await administrator) throw protectedAdministrator();
      check?.(user);
      await checkAccountChange(stores, context, user, { takesOver: false });
    },
    steps: (user, untilSeconds) => [
      ...(user.hasPassword ? [endingCredential(tenant, id, untilSeconds)] : []),
      ...ending(user, untilSeconds),
      ...signingOut(tenant, id, "deletion", now),
    ],
  });
}

/** The steps that end the tokens and the sessions of a user, and have the clients of the sessions told. */
function signingOut(tenant: string, id: string, kind: "user" | "deletion", nowMs: number): Step[] {
  return [...revokingUser(tenant, id), endingSessionsOf(tenant, id, kind, nowMs)];
}

function endingCredential(tenant: string, id: string, untilSeconds: number | undefined): Step {
  return untilSeconds === undefined
    ? removingCredential(tenant, id, stale)
    : puttingCredentialAside(tenant, id, untilSeconds, stale);
}

function accountOf(resource: Resource, userStores: readonly string[]): Account {
  const { id: _, meta: __, groups: ___, userName: ____, active, password, ...profile } = resource;
  const name = nameIn(textOf(resource, "userName"), userStores);
  if (lookupsOf(profile).filter(({ attribute }) => attribute === "emails").length > EMAILS_MAX)
    throw refuse(`emails: a user can have at most ${EMAILS_MAX} e-mail addresses.`);
  const bytes = Buffer.byteLength(JSON.stringify(profile));
  if (bytes > USER_BYTES_MAX) throw refuse(`The user has ${bytes} bytes; at most ${USER_BYTES_MAX} can be stored.`);
  return {
    name,
    password: typeof password === "string" ? password : undefined,
    active: typeof active === "boolean" ? active : undefined,
    profile,
  };
}

async function isAdministrator({ tenants }: UserStores, tenant: string, userId: string): Promise<boolean> {
  return (await tenants.find(tenant))?.administrator === userId;
}

function protectedAdministrator(): Fault {
  return new Fault(
    "scim.forbidden",
    "The administrator of the tenant cannot be renamed, deleted, deactivated, locked, disabled or made to change the password.",
  );
}
