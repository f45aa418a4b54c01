/**
 * What guests give an application of another tenant: what the page of consent named, and no more (decision 0134). That
 * tenant decides what its scopes mean and what the application is configured for, and can change both later. Pure.
 */

import { defaultScopes, type OidcScope } from "../../applications/oidc-scopes/model.ts";
import { LOCAL_DIALECT } from "../../directory/claims/model.ts";

/** The scopes that mean the same in every tenant. */
const standardScopes: ReadonlyMap<string, OidcScope> = new Map(defaultScopes.map((scope) => [scope.name, scope]));

/** What the page of consent says of a scope to a guest: of a standard one, what it always means. */
export function scopeForGuest(name: string, ofTenant: OidcScope | undefined): OidcScope | undefined {
  return standardScopes.get(name) ?? ofTenant;
}

/** The claims that the names of scopes stand for. All others are named by themselves. */
export function impliedClaims(scopes: readonly string[]): ReadonlySet<string> {
  return new Set(scopes.flatMap((name) => standardScopes.get(name)?.claims ?? []));
}

/** How people read a reference to a claim: its name in OpenID Connect, or the end of the URI of a local one. */
export function shownClaim(reference: string): string {
  return reference.startsWith(`${LOCAL_DIALECT}/`) ? reference.slice(LOCAL_DIALECT.length + 1) : reference;
}
