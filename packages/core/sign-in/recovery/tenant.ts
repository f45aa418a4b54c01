/** The tenant that recovers accounts, where the deployment sends mails. */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { RecoveryContext } from "./context.ts";

/**
 * The tenant of a request. Throws `recovery.off` where the deployment sends no mail, and `route.not_found` for a tenant
 * that does not exist or is not active. One round trip.
 */
export async function recoveringTenant(context: RecoveryContext): Promise<string> {
  const tenant = context.pathTenant ?? SUPER_TENANT;
  if (!context.tools.sendsMail) throw recoveryOff();
  if (!(await context.tenants.find(tenant))?.active) throw new Fault("route.not_found", "There is no such tenant.");
  return tenant;
}

/** What callers are told where no mail is sent. */
export function recoveryOff(): Fault {
  return new Fault(
    "recovery.off",
    "This service sends no e-mail, so that passwords and user names cannot be recovered here. Ask an administrator to set another password.",
  );
}
