/** Names of the super tenant that could be read as those of users of another tenant (decision 0062). */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { tenantNamedIn } from "../../kernel/domain/username.ts";
import { refuse } from "../../kernel/faults.ts";
import type { TenantStore } from "../tenant-store.ts";
import type { StoreName } from "../users/writing.ts";

/**
 * Refuses a name of the super tenant that sign-ins would read as a user of another tenant (decision 0062). One round
 * trip for a name with a domain, none for others. A caller that does not await the result gets no unhandled rejection.
 */
export function checkTenantIn(
  tenants: TenantStore,
  { tenant, now }: { readonly tenant: string; readonly now: number },
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
