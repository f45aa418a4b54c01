/**
 * The account that an entered text stands for: by its user name, and where no user has that, by an address that counts
 * (decision 0186), in the table or in a directory of the tenant (decision 0198). All are read at once, whatever the one
 * finds: the time shows neither.
 */
import type { Lookup } from "../../directory/users/identifiers.ts";
import { isIdentifiedBy } from "../../directory/users/lookup-rows.ts";
import type { User } from "../../directory/users/model.ts";
import type { ExternalHolders, NamedUser, UserStore } from "../../directory/users/store.ts";
import { PRIMARY, type QualifiedName } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import { NO_USER_ID } from "./attempt.ts";

/** An account that may exist. */
export interface Account {
  /** Its name, for locks; as it was when the address was written, where it was found by that. */
  readonly name: QualifiedName;
  /** That of no user, where there is none. */
  readonly id: string;
  /** The address by which it was found. */
  readonly by?: Lookup | undefined;
  /** The user of a directory, where it is one that was found by an address. */
  readonly named?: NamedUser | undefined;
  /** What directories do, whichever account the text stands for. */
  readonly directories?: Pick<ExternalHolders, "verifyNothing"> | undefined;
  /**
   * Why a directory could not say whether it has the address. Then the text is a user name or stands for no user, and
   * this is the answer to all but the right password of that name.
   */
  readonly outage?: Error | undefined;
}

/** What an address may stand for as a reading; `undefined` where only the user name counts. */
export function addressFor(name: QualifiedName, identifier: Lookup | undefined, users: UserStore): Lookup | undefined {
  const isElsewhere = users.elsewhere?.has(name.tenant, name.userStore) === true;
  return name.userStore === PRIMARY && !isElsewhere ? identifier : undefined;
}

/** Finds the account. One round trip; where the tenant has directories, one more after they have answered. */
export async function findAccount(name: QualifiedName, address: Lookup, users: UserStore): Promise<Account> {
  const { tenant } = name;
  const [id, [holder, other], external] = await Promise.all([
    users.idOf(name),
    users.holdersOf(tenant, address),
    externalHolders(tenant, address, users),
  ]);
  if (external instanceof Error) return { name, id: id ?? NO_USER_ID, outage: external };
  const byName = { name, id: id ?? NO_USER_ID, directories: external };
  const { count = 0, only } = external ?? {};
  if (id !== undefined || other || (holder && count > 0)) return byName;
  if (holder) return { ...byName, name: { tenant, ...holder.named }, id: holder.id, by: address };
  if (!only?.user) return byName;
  const { userStore, userName } = only.user;
  return { ...byName, name: { tenant, userStore, name: userName }, id: only.user.id, by: address, named: only };
}

/** Whom directories have with an address; the error where one cannot be reached. */
async function externalHolders(tenant: string, address: Lookup, { elsewhere }: UserStore) {
  try {
    return await elsewhere?.holdersOf(tenant, address);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Whether the user that was read is that of the account: an address may have come to count no more. */
export function isOf({ by }: Account, user: User): boolean {
  return !by || isIdentifiedBy(user, by);
}

/** The name that the user of an account has now, where it is another one. */
export function newNameOf({ name, by }: Account, user: User | undefined): QualifiedName | undefined {
  if (!by || !user) return undefined;
  const { userStore, userName } = user;
  const isSame = userStore === name.userStore && foldName(userName) === foldName(name.name);
  return isSame ? undefined : { tenant: name.tenant, userStore, name: userName };
}
