/**
 * The account that an entered text stands for: by its user name, and where no user has that, by an address that counts
 * (decision 0186). Both are read at once, whatever the one finds: the time shows neither.
 */
import type { Lookup } from "../../directory/users/identifiers.ts";
import { isIdentifiedBy } from "../../directory/users/lookup-rows.ts";
import type { User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { PRIMARY, type QualifiedName } from "../../kernel/domain/username.ts";
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
}

/** What an address may stand for as a reading; `undefined` where only the user name counts. */
export function addressFor(name: QualifiedName, identifier: Lookup | undefined, users: UserStore): Lookup | undefined {
  const isElsewhere = users.elsewhere?.has(name.tenant, name.userStore) === true;
  return name.userStore === PRIMARY && !isElsewhere ? identifier : undefined;
}

/** Finds the account. One round trip. */
export async function findAccount(name: QualifiedName, address: Lookup, users: UserStore): Promise<Account> {
  const { tenant } = name;
  const [id, holder] = await Promise.all([users.idOf(name), users.holderOf(tenant, address)]);
  if (id !== undefined || !holder) return { name, id: id ?? NO_USER_ID };
  return { name: { tenant, ...holder.named }, id: holder.id, by: address };
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
