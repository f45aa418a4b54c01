/** The APIs that an application is authorized for. */

/** Which of the authorized scopes a token gets: those of the user's roles, or all. */
export type Policy = "RBAC" | "NO POLICY";

/**
 * One authorized API. Scopes are stored by id: a scope that was deleted and created again under the same name is
 * another scope, which is not authorized.
 */
export interface Authorization {
  readonly apiId: string;
  readonly policy: Policy;
  readonly scopeIds: readonly string[];
}
