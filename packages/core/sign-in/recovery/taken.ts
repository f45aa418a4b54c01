/** Whether an address is one of a user already. */
import { domainToUnicode } from "node:url";
import { isIdentifiedBy } from "../../directory/users/lookup-rows.ts";
import type { UserStore } from "../../directory/users/store.ts";

/**
 * Whether a user of a tenant has an address that counts, in the table or in a directory that the caller may ask. One
 * that somebody entered and that is not verified counts for nothing: otherwise it would keep its owner from
 * registering. Two round trips at most. Throws `service.unavailable` where a directory cannot be reached.
 */
export async function isAddressTaken(
  users: Pick<UserStore, "find" | "idsBy" | "elsewhere">,
  tenant: string,
  address: string,
): Promise<boolean> {
  // An administrator may have written the domain with the letters of its language.
  const [local, domain] = [address.slice(0, address.lastIndexOf("@")), address.slice(address.lastIndexOf("@") + 1)];
  const spellings = new Set([address, `${local}@${domainToUnicode(domain)}`]);
  const taken = await Promise.all(
    [...spellings].map(async (value) => {
      const lookup = { attribute: "emails", value } as const;
      // Those of whom it counts come first.
      const [[id], external] = await Promise.all([
        users.idsBy(tenant, lookup, 1),
        users.elsewhere?.holdersOf(tenant, lookup),
      ]);
      const user = id === undefined ? undefined : await users.find(tenant, id);
      return (external?.count ?? 0) > 0 || (user !== undefined && isIdentifiedBy(user, lookup));
    }),
  );
  return taken.includes(true);
}
