/** Whether an address that a mail was asked for with is that of one person alone. */
import type { User } from "../../directory/users/model.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { foldName, trimName } from "../../kernel/fold.ts";
import { nameIn } from "../authentication/sign-in.ts";

/**
 * Whether a user of the table was found by an address that somebody in a directory of the tenant has, too: who writes
 * mails asks no directory (decision 0198). Throws `service.unavailable` where one cannot be reached.
 */
export async function isSharedWithDirectory(
  entered: string,
  { userStore, userName }: User,
  tenant: string,
  { elsewhere }: UserStore,
): Promise<boolean> {
  const named = nameIn(tenant, entered);
  if (named.userStore === userStore && foldName(named.name) === foldName(userName)) return false;
  const holders = await elsewhere?.holdersOf(tenant, { attribute: "emails", value: trimName(entered) });
  return holders !== undefined && holders.count > 0;
}
