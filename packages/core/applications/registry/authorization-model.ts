/** What an application is allowed of an API. */

/** How it is decided which of the authorized scopes a token gets: by the roles of the user, or all of them. */
export type Policy = "RBAC" | "NO POLICY";

/**
 * One authorized API. Scopes are kept by id: one that was deleted and made again under the same name is another scope, which
 * nobody has authorized.
 */
export interface Authorization {
  readonly apiId: string;
  readonly policy: Policy;
  readonly scopeIds: readonly string[];
}
