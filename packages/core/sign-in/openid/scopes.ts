/** The scopes of OpenID Connect in a request. Pure. */

import type { OidcScope } from "../../applications/oidc-scopes/model.ts";
import { reservedScope } from "../../kernel/domain/system-apis.ts";

/** The scope that asks for an ID token, and the one that asks for a refresh token. */
export const OPENID = "openid";
const OFFLINE = "offline_access";

/** The scopes of OpenID Connect among requested ones. A stored one with a reserved name is none (decision 0143). */
export function signInScopes(requested: readonly string[], known: readonly OidcScope[]): readonly string[] {
  const names = new Set([...known.map(({ name }) => name), OFFLINE]);
  return requested.filter((name) => names.has(name) && !reservedScope(name));
}
