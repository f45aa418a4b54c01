/** The paths of pages. Pure. */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";

/** The pages of account recovery, below the path of the tenant. */
export const recoveryPaths = {
  forgot: "/oauth2/forgot-password",
  reset: "/oauth2/reset-password",
  verify: "/oauth2/verify-address",
  register: "/oauth2/register",
  registered: "/oauth2/complete-registration",
} as const;

/** Where the link of a mail leads that signs in. */
export const MAIL_LINK_PATH = "/oauth2/sign-in/link";

/** A path in a tenant. */
export function pathOf(path: string, tenant: string): string {
  return tenant === SUPER_TENANT ? path : `/t/${encodeURIComponent(tenant)}${path}`;
}
