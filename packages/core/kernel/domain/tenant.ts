/** Tenants: the isolation between the customers of one deployment. */

/** The tenant that always exists; a user name without a tenant belongs to it. */
export const SUPER_TENANT = "carbon.super";

/** The tenant of the synthetic check (decision 0073). Names below `.invalid` belong to no customer (RFC 6761). */
export const CANARY_TENANT = "canary.invalid";

/** One tenant. */
export interface Tenant {
  readonly id: string;
  readonly domain: string;
  /** No user of an inactive tenant is authenticated. */
  readonly active: boolean;
  readonly createdMs: number;
  /** The id of the user who was created with the tenant; that user cannot be deleted or deactivated. */
  readonly administrator: string;
}
