/** Which scopes a token gets (reference access.md sections 1.6 and 2.2). Pure. */
import type { ScopePlace } from "../api-resources/scope-store.ts";
import type { Authorization, Policy } from "../applications/registry/authorization-model.ts";
import { systemScopePlaces, systemScopes } from "../domain/system-apis.ts";
import { isFor, type Role } from "../identities/roles/model.ts";
import { SIGNED_IN } from "../operation/operation.ts";
import { Fault } from "../platform/faults.ts";

const NAMES_MAX = 100;
const CHARACTERS_MAX = 4_096;
/** RFC 6749 section 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
/** No scope of a tenant is called longer. */
const NAME_MAX = 255;
/** Stands for every scope of this service. */
const SYSTEM = "SYSTEM";

/** What is decided on. */
export interface Grantable {
  readonly applicationId: string;
  readonly names: readonly string[];
  readonly apis: readonly Authorization[];
  /** Where the names of the tenant's own scopes belong. */
  readonly places: ReadonlyMap<string, ScopePlace>;
}

/** Scopes, and the roles that they rest on. */
export interface Granted {
  readonly scopes: readonly string[];
  readonly roleIds: readonly string[];
}

/** The names in a scope parameter, each once. Throws `scope.invalid`. */
export function scopeNames(parameter: string | undefined): readonly string[] {
  const refuse = (why: string) => new Fault("scope.invalid", `The scope ${why}.`);
  if (parameter === undefined) return [];
  if (parameter.length > CHARACTERS_MAX) throw refuse(`is longer than ${CHARACTERS_MAX} characters`);
  const names = [...new Set(parameter.split(" ").filter((name) => name !== ""))];
  if (!names.every((name) => SCOPE_TOKEN.test(name))) throw refuse("holds a character that no name of a scope has");
  if (names.length > NAMES_MAX) throw refuse(`has more than ${NAMES_MAX} names`);
  return [...new Set(names.flatMap((name) => (name === SYSTEM ? [...systemScopes] : [name])))];
}

/** The names that only a tenant's own APIs can have. */
export function ownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !systemScopes.has(name) && name.length <= NAME_MAX);
}

/** What an application gets on its own account: no role is asked for, and what only people do is left out. */
export function clientScopes(asked: Grantable): readonly string[] {
  return asked.names.filter((name) => name !== SIGNED_IN && policyOf(name, asked) !== undefined);
}

/** What an application gets on behalf of a user: of what it may have itself, what the user's roles bring, unless no policy asks for them. */
export function userScopes(asked: Grantable, held: readonly Role[]): Granted {
  const roles = held.filter((role) => isFor(role, asked.applicationId));
  const reasons = asked.names.map((name) => {
    const policy = name === SIGNED_IN ? "NO POLICY" : policyOf(name, asked);
    const bringing = policy === "RBAC" ? roles.filter((role) => brings(role, name)) : [];
    return { name, isGranted: policy === "NO POLICY" || bringing.length > 0, bringing };
  });
  const granted = reasons.filter(({ isGranted }) => isGranted);
  return {
    scopes: granted.map(({ name }) => name),
    roleIds: [...new Set(granted.flatMap(({ bringing }) => bringing.map(({ id }) => id)))],
  };
}

/** Whether a role brings a scope. The administrator's brings those of this service; a tenant's own are given one by one. */
function brings({ holdsEveryScope, permissions }: Role, name: string): boolean {
  return permissions.includes(name) || (holdsEveryScope && systemScopes.has(name));
}

/** The policy under which an application has a scope; `undefined` when it has not. */
function policyOf(name: string, { apis, places }: Grantable): Policy | undefined {
  const place = systemScopePlaces.get(name) ?? places.get(name);
  return place && apis.find(({ apiId, scopeIds }) => apiId === place.apiId && scopeIds.includes(place.id))?.policy;
}
