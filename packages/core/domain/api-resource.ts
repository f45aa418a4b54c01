/** An API resource as the domains see it, whether it ships with the service or was made by a tenant. */

/** What a caller can be allowed to do with an API. */
export interface Scope {
  readonly id: string;
  /** Unique in a tenant, over all APIs. */
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
}

/** The kind of an API: a tenant's own (`BUSINESS`), of one tenant's administration (`TENANT`), of the whole deployment (`SYSTEM`). */
export type ApiType = "BUSINESS" | "TENANT" | "SYSTEM";

/** What a list is filtered by and shows. */
export interface ApiSummary {
  readonly id: string;
  /** What the API is called in tokens; unique in a tenant; for a system API its path. */
  readonly identifier: string;
  readonly name: string;
  readonly type: ApiType;
  /** True where an application may have the API's scopes only by the roles of its user. */
  readonly requiresAuthorization: boolean;
}

/** An API and its scopes. */
export interface ApiResource extends ApiSummary {
  readonly description?: string;
  readonly scopes: readonly Scope[];
}
