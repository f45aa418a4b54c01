/** What the handlers of every protocol of single sign-on depend on (decision 0195). */
import type { ApplicationStore } from "../../applications/registry/store.ts";
import type { Table } from "../../database/table/table.ts";
import type { UserStores } from "../../directory/provisioning/users.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import type { PublicContext } from "../../kernel/operation/context.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { SignInSettings } from "../flow/context.ts";
import type { MembershipStores } from "../openid/memberships.ts";

/** What one request reads and writes, and what lives as long as the container. */
export interface SsoStores extends MembershipStores {
  readonly table: Table;
  /** The cookies of the request, `name=value` each. */
  readonly cookies: readonly string[];
  readonly applications: Pick<ApplicationStore, "find">;
  readonly tenants: Pick<TenantStore, "find">;
  readonly users: UserStores["users"];
  /** Whether the deployment sends mails. */
  readonly sendsMail: boolean;
  readonly tools: {
    /** Seals what the browser carries to the function of sign-in and back. */
    readonly seal: Seal;
    readonly settings: Pick<SignInSettings, "sessions" | "brandOf">;
  };
}

export type SsoContext = PublicContext & SsoStores;

/** The tenant of a request. */
export const tenantOf = ({ pathTenant }: Pick<PublicContext, "pathTenant">): string => pathTenant ?? SUPER_TENANT;

/** The address of a tenant. */
export function tenantAddressOf(tenant: string, { origin }: Pick<PublicContext, "origin">): string {
  return tenant === SUPER_TENANT ? origin : `${origin}/t/${tenant}`;
}
