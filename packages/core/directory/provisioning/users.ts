/**
 * Changes of users, for every protocol. Users are created and changed by resources in canonical form
 * (scim/protocol/schema/attribute.ts). Passwords are hashed here and never returned.
 */
import { isDeepStrictEqual } from "node:util";
import { stale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";
import { Fault, refuse } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import { newId } from "../../kernel/ids.ts";
import type { Proof } from "../../kernel/operation/context.ts";
import { checkTogether } from "../../kernel/together.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { revokingUser } from "../../tokens/revocation-store.ts";
import { hashRefused, importedCredential, isHash } from "../credentials/imported.ts";
import type { PasswordLimits } from "../credentials/password-limits.ts";
import { checkPassword } from "../credentials/password-rules.ts";
import { addingCredential, newCredential, puttingCredentialAside, removingCredential } from "../credentials/store.ts";
import type { GroupStore } from "../groups/store.ts";
import type { RoleStore } from "../roles/store.ts";
import type { TenantStore } from "../tenant-store.ts";
import { freshUser, isInvited, maySignIn, mustChangePassword, qualifiedName, type User } from "../users/model.ts";
import { checkName, type UserNameRules } from "../users/rules.ts";
import type { UserStore } from "../users/store.ts";
import type { UserChange } from "../users/writing.ts";
import { type Account, accountOf, checkProfile, checkStore, nameIn } from "./account.ts";
import { type FactorKind, settledFlags } from "./account-flags.ts";
import { unprovenAfter } from "./addresses.ts";
import { type Caller, checkAccountChange } from "./escalation.ts";
import { checkInvitation, linksEndedMs, mailsOfChange, mailsOfDeletion, mailsOfNew, readdresses } from "./mails.ts";
import { checkProof, guardedChanges, ownFactor } from "./own-account.ts";
import { factorEnding, factorRemoving, isExternal, passwordSetter } from "./password-steps.ts";
import { missing } from "./resource.ts";
import { checkTenantIn } from "./tenant-names.ts";

/** The stores that changes of users need. */
export interface UserStores {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly roles: RoleStore;
  readonly tenants: TenantStore;
  /** The names of the user stores, in the order in which they are listed. */
  readonly userStores: readonly string[];
  /** The rules for new user names. Default: those of a deployment that sets none. */
  readonly nameRules?: UserNameRules | undefined;
  /** For new passwords. */
  readonly passwords: PasswordLimits;
  /** Whether the deployment sends mail. Default: it does not. */
  readonly sendsMail?: boolean | undefined;
}

/** The caller and the time of a change, and what shows that the person is there, where the caller changes itself. */
export interface ChangeContext extends Caller {
  readonly now: number;
  readonly proof?: Proof | undefined;
  /** Where the request came from. */
  readonly sourceIp?: string | undefined;
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
  /** An e-mail address of the user that counts from now on, because the person has shown to read it. */
  readonly confirms?: string | undefined;
  /** Further steps of the same transaction, made again for every attempt. */
  readonly also?: (() => readonly Step[]) | undefined;
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

/** What a new user needs besides its resource. */
interface NewUser {
  readonly needsPassword: boolean;
  /** A new id, where the caller needs it before. */
  readonly id?: string;
  /** Further steps of the same transaction. */
  readonly also?: readonly Step[];
}

/**
 * Creates a user. From a caller that may import hashes, the password may be one (decision 0098). Throws
 * `request.invalid` and `scim.unique`. Two round trips.
 */
export async function createUser(
  { users, tenants, userStores, nameRules, passwords, sendsMail = false }: UserStores,
  context: ChangeContext,
  resource: Resource,
  { needsPassword, id = newId(), also = [] }: NewUser,
): Promise<User> {
  const { tenant, now } = context;
  const account = accountOf(resource);
  const { name, password, active = true } = account;
  const { profile } = settledFlags(account);
  const isImported = password !== undefined && isHash(password, context.scopes);
  const invites = password === undefined && isInvited(profile);
  const elsewhere = isExternal(users, tenant, name);
  checkTogether(
    () => {
      if (password === undefined && needsPassword && !invites) throw missing("password");
    },
    () =>
      checkInvitation(undefined, { ...name, profile, hasPassword: password !== undefined }, { sendsMail, elsewhere }),
    () => checkStore(name, userStores),
    () => checkName(name.name, nameRules),
    () => {
      if (password !== undefined && !isImported) checkPassword(password, { tenant, ...name }, passwords);
    },
    () => checkProfile(account),
  );
  const { userStore } = name;
  if (isImported && elsewhere) throw hashRefused(`a user store of an LDAP directory cannot take: ${userStore}`);
  const hasPassword = password !== undefined && !elsewhere;
  const user = freshUser(id, name.name, now, { userStore, active, profile, hasPassword });
  const inUse = () => new Error("a new user id is in use");
  const { history } = passwords;
  const steps: Step[] = [...also];
  if (hasPassword) {
    const credential = isImported
      ? importedCredential(password)
      : await newCredential(password, { userId: user.id, history });
    steps.push(addingCredential(tenant, user.id, credential, inUse));
  }
  if (sendsMail) steps.push(...mailsOfNew(user, { tenant, now, elsewhere }));
  const allowed = checkTenantIn(tenants, context, name);
  return users.add(tenant, user, { steps, allowed, ...(elsewhere && { password }) });
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
  request: UserChangeRequest,
): Promise<User> {
  const { tenant } = context;
  const newName = request.userName === undefined ? undefined : nameIn(request.userName, stores.userStores);
  // Read concurrently with the user where it may be needed; not awaited where another check fails first.
  const administrator = newName && isAdministrator(stores, tenant, id);
  administrator?.catch(() => undefined);
  const newNameChecked = newName && checkTenantIn(stores.tenants, context, newName);
  const changing = { stores, context, setter: passwordSetter(context, stores), administrator, newNameChecked };
  return stores.users.update(tenant, id, (before) => changeOf(before, request, changing), newName);
}

/** What the change of a user needs besides the request. */
interface Changing {
  readonly stores: UserStores;
  readonly context: ChangeContext;
  readonly setter: ReturnType<typeof passwordSetter>;
  readonly administrator: Promise<boolean> | undefined;
  readonly newNameChecked: Promise<void> | undefined;
}

/** The change of a user as it is stored; `undefined` where nothing changes. */
async function changeOf(
  before: User,
  { check, change, factor, confirms, also }: UserChangeRequest,
  { stores, context, setter, administrator, newNameChecked }: Changing,
): Promise<UserChange | undefined> {
  const { tenant, now } = context;
  const { id } = before;
  await check?.(before);
  const was = storedResource(before);
  const resource = change(was);
  const isForced = factor !== undefined || confirms !== undefined;
  if (resource === was && !isForced) return undefined;
  const { account, takenAway, unproven } = accountAfter(before, resource, { setsUp: factor?.kind, confirms }, context);
  checkTogether(
    () => checkNewName(before, account, stores),
    () => setter.check(account),
    () => checkProfile(account),
  );
  const credential = await setter.steps(before, account);
  const after = changedUser(before, account, now, { isForced, unproven, hasPassword: credential.length > 0 });
  if (!after) return undefined;
  const { password } = account;
  const { sendsMail = false } = stores;
  const elsewhere = isExternal(stores.users, tenant, before);
  checkInvitation(before, after, { sendsMail, elsewhere });
  const isWeaker = takenAway.length > 0;
  const isBlocked = maySignIn(before) && !maySignIn(after);
  const isRenamed = after.userName !== before.userName;
  // A user who must change the password signs in on pages alone.
  const isHeldUp = !mustChangePassword(before) && mustChangePassword(after);
  const signsOut = password !== undefined || isBlocked || isWeaker;
  // Read while the checks are made. The store awaits it; a failure before that must not become an unhandled rejection.
  const ending = signsOut ? stores.users.endingSessions(tenant, id, "user", now) : undefined;
  ending?.catch(() => undefined);
  if ((isBlocked || isHeldUp || isRenamed) && (await (administrator ?? isAdministrator(stores, tenant, id)))) {
    throw protectedAdministrator();
  }
  // Without its second factor, a user is easier to take over.
  const takesOver = isRenamed || password !== undefined || isWeaker || readdresses(before, after);
  const isStatus = maySignIn(before) !== maySignIn(after) || mustChangePassword(before) !== mustChangePassword(after);
  const allowed = async () => {
    const checked = isRenamed ? (newNameChecked ?? checkTenantIn(stores.tenants, context, account.name)) : undefined;
    await Promise.all([checkAccountChange(stores, context, before, { takesOver }), checked]);
  };
  const checked = takesOver || isStatus ? allowed() : undefined;
  checked?.catch(() => undefined);
  return {
    after,
    steps: [
      ...credential,
      ...(factor ? [factor.storing] : []),
      ...takenAway.map((kind) => factorRemoving[kind](tenant, id)),
      ...(signsOut ? revokingUser(tenant, id) : []),
      ...((await ending) ?? []),
      ...(sendsMail
        ? mailsOfChange(before, after, {
            ...{ tenant, now, elsewhere, password, setUp: factor?.kind, takenAway },
            sourceIp: sourceOfOwn(id, context),
          })
        : []),
      ...(also?.() ?? []),
    ],
    ...(elsewhere && { password }),
    ...(checked && { allowed: checked }),
  };
}

/**
 * The account that a resource describes, and the second factors that the change takes away. Throws `scim.forbidden`
 * where users change of themselves what they may not, or without a proof.
 */
function accountAfter(
  before: User,
  resource: Resource,
  { setsUp, confirms }: { readonly setsUp: FactorKind | undefined; readonly confirms: string | undefined },
  context: ChangeContext,
) {
  const isOwn = context.subject === before.id;
  const given = accountOf(resource);
  const choosesPassword = given.password !== undefined && isOwn;
  const { profile, takenAway } = settledFlags({ before, profile: given.profile, setsUp, choosesPassword, isOwn });
  if (takenAway.length > 0 && isOwn) throw ownFactor();
  const account = { ...given, profile };
  if (isOwn) checkProof(context, before, guardedChanges(before, { ...account, userName: account.name.name }));
  return { account, takenAway, unproven: unprovenAfter(before, profile, { isOwn, confirms }) };
}

/** Checks the name of a user that is changed. Throws `request.invalid`. */
function checkNewName(before: User, { name }: Account, { userStores, nameRules }: UserStores): void {
  checkTogether(
    () => {
      checkStore(name, userStores);
      if (name.userStore !== before.userStore) throw refuse("userName: a user cannot be moved to another user store.");
    },
    () => {
      // A user whose name was valid once, or comes from a directory, keeps it, in any letter case.
      if (foldName(name.name) !== foldName(before.userName)) checkName(name.name, nameRules);
    },
  );
}

/** The new state of a user; `undefined` where it equals the current one. */
function changedUser(
  before: User,
  account: Account,
  now: number,
  { isForced, hasPassword, unproven }: Pick<User, "hasPassword" | "unproven"> & { readonly isForced: boolean },
): User | undefined {
  const { name, password, active = before.active, profile } = account;
  const fields = { userName: name.name, active, profile };
  const same = { userName: before.userName, active: before.active, profile: before.profile };
  if (password === undefined && !isForced && isDeepStrictEqual(fields, same)) return undefined;
  const modifiedMs = Math.max(now, before.modifiedMs + 1);
  const after = { ...before, ...fields, unproven, hasPassword: before.hasPassword || hasPassword, modifiedMs };
  return { ...after, linksEndedMs: linksEndedMs(before, after, now) };
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
  let ending: readonly Step[] = [];
  return stores.users.remove(tenant, id, now, {
    async check(user) {
      if (await administrator) throw protectedAdministrator();
      check?.(user);
      const allowed = checkAccountChange(stores, context, user, { takesOver: false });
      [ending] = await Promise.all([stores.users.endingSessions(tenant, id, "deletion", now), allowed]);
    },
    steps: (user, untilSeconds) => [
      ...(user.hasPassword ? [endingCredential(tenant, id, untilSeconds)] : []),
      ...factorEnding(tenant, user, untilSeconds),
      ...revokingUser(tenant, id),
      ...ending,
      ...(stores.sendsMail ? mailsOfDeletion(user, { tenant, now, sourceIp: sourceOfOwn(id, context) }) : []),
    ],
  });
}

/** Where a person is who changes the own account: no person is told where an administrator is. */
function sourceOfOwn(id: string, { subject = id, sourceIp }: ChangeContext): string | undefined {
  return subject === id ? sourceIp : undefined;
}

function endingCredential(tenant: string, id: string, untilSeconds: number | undefined): Step {
  return untilSeconds === undefined
    ? removingCredential(tenant, id, stale)
    : puttingCredentialAside(tenant, id, untilSeconds, stale);
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
