/** What finding the application of a request reads, in every protocol of the function of single sign-on. */
import type { ApplicationStore } from "../../../applications/registry/store.ts";
import type { TenantStore } from "../../../directory/tenant-store.ts";

export interface AskerStores {
  readonly applications: Pick<ApplicationStore, "find">;
  readonly tenants: Pick<TenantStore, "find">;
  /** Whether codes and links can be mailed: an application can ask for them. */
  readonly sendsMail: boolean;
}
