/** The scopes of OpenID Connect in a request. Pure. */
import { systemScopes } from "../domain/system-apis.ts";
import type { OidcScope } from "../oidc-scopes/model.ts";

/** The scope that asks for an ID token, and the one that asks for a refresh token. */
export const OPENID = "openid";
const OFFLINE = "offline_access";

/** The scopes of OpenID Connect among requested ones. */
export function signInScopes(requested: readonly string[], known: readonly OidcScope[]): readonly string[] {
  const names = new Set([...known.map(({ name }) => name), OFFLINE]);
  return requested.filter((name) => names.has(name) && !systemScopes.has(name));
}
