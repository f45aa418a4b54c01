/** API resources: those of this service, and those that tenants create. */

/** A permission on an API. */
export interface Scope {
  readonly id: string;
  /** Unique in a tenant, over all APIs. */
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
}

/**
 * `BUSINESS`: an API of a tenant. `TENANT`: administration of one tenant. `SYSTEM`: administration of the deployment.
 */
export type ApiType = "BUSINESS" | "TENANT" | "SYSTEM";

/** The members that lists show and filter by. */
export interface ApiSummary {
  readonly id: string;
  /** The audience in tokens; unique in a tenant. The path, for an API of this service. */
  readonly identifier: string;
  readonly name: string;
  readonly type: ApiType;
  /** True if an application gets the API's scopes only through the roles of its user. */
  readonly requiresAuthorization: boolean;
}

/** An API and its scopes. */
export interface ApiResource extends ApiSummary {
  readonly description?: string;
  readonly scopes: readonly Scope[];
}
