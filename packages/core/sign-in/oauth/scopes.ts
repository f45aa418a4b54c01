/** Which scopes a token gets (AC-006, AC-007; decision 0022). Pure. */
import type { ScopePlace } from "../../applications/apis/scope-store.ts";
import type { Authorization, Policy } from "../../applications/registry/authorization-model.ts";
import type { ClientRecord } from "../../applications/registry/client-model.ts";
import { isAmong, isFor, type Role } from "../../directory/roles/model.ts";
import { EVERY_SCOPE, reservedScope, systemScopePlaces, systemScopes } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { SIGNED_IN } from "../../kernel/operation/operation.ts";
import { isScopeOf, type Target } from "./targets.ts";

const NAMES_MAX = 100;
const CHARACTERS_MAX = 4_096;
/** RFC 6749 section 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
/** The longest name of a scope of a tenant. */
const NAME_MAX = 255;

/** A request for scopes, and what the application is authorized for. */
export interface Grantable {
  readonly applicationId: string;
  readonly settings: Pick<ClientRecord, "roles">;
  readonly names: readonly string[];
  readonly apis: readonly Authorization[];
  /** The APIs of the tenant's own scopes, by scope name. */
  readonly places: ReadonlyMap<string, ScopePlace>;
  /** The resources that the token is for: scopes of others are left out. Absent for all. */
  readonly targets?: readonly Target[] | undefined;
}

/** The granted scopes, and the roles that they come from. */
export interface Granted {
  readonly scopes: readonly string[];
  readonly roleIds: readonly string[];
}

/** What an application is authorized for of one scope. */
export interface Authorized {
  readonly apiId: string;
  readonly policy: Policy;
}

/** Whether a role gives a scope to its holder through an application, and if not, why. */
export type Giving = "gives" | "lacks" | "for another application" | "does not count";

/** What a guest is granted of APIs. */
export const NOTHING: Granted = { scopes: [], roleIds: [] };

/** The names in a scope parameter, each once. Throws `scope.invalid`. */
export function scopeNames(parameter: string | undefined): readonly string[] {
  const refuse = (why: string) => new Fault("scope.invalid", `The scope ${why}.`);
  if (parameter === undefined) return [];
  if (parameter.length > CHARACTERS_MAX) throw refuse(`is longer than ${CHARACTERS_MAX} characters`);
  const names = [...new Set(parameter.split(" ").filter((name) => name !== ""))];
  if (!names.every((name) => SCOPE_TOKEN.test(name))) throw refuse("contains a character that scope names cannot have");
  if (names.length > NAMES_MAX) throw refuse(`has more than ${NAMES_MAX} names`);
  return [...new Set(names.flatMap((name) => (name === EVERY_SCOPE ? [...systemScopes] : [name])))];
}

/** The names that only a tenant's own APIs can have. */
export function ownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !systemScopes.has(name) && name.length <= NAME_MAX);
}

/** The scopes of an application on its own behalf: roles do not matter, and scopes of users only are left out. */
export function clientScopes(requested: Grantable): readonly string[] {
  return targetNames(requested).filter((name) => name !== SIGNED_IN && authorizedFor(name, requested) !== undefined);
}

/**
 * The scopes of an application on behalf of a user: of its authorized scopes, those that a role of the user includes.
 * Scopes with the policy `NO POLICY` need no role.
 */
export function userScopes(requested: Grantable, rolesOfUser: readonly Role[]): Granted {
  const reasons = targetNames(requested).map((name) => {
    const policy = name === SIGNED_IN ? "NO POLICY" : authorizedFor(name, requested)?.policy;
    const including =
      policy === "RBAC" ? rolesOfUser.filter((role) => givingOf(role, name, requested) === "gives") : [];
    return { name, isGranted: policy === "NO POLICY" || including.length > 0, including };
  });
  const granted = reasons.filter(({ isGranted }) => isGranted);
  return {
    scopes: granted.map(({ name }) => name),
    roleIds: [...new Set(granted.flatMap(({ including }) => including.map(({ id }) => id)))],
  };
}

/** The requested names that belong to one of the targets. */
export function targetNames({
  names,
  targets,
  places,
}: Pick<Grantable, "names" | "targets" | "places">): readonly string[] {
  return targets ? names.filter((name) => targets.some((target) => isScopeOf(target, name, places))) : names;
}

/** What a role does with a scope for its holder, through an application. */
export function givingOf(role: Role, name: string, requested: Pick<Grantable, "applicationId" | "settings">): Giving {
  if (!includes(role, name)) return "lacks";
  if (!isFor(role, requested.applicationId)) return "for another application";
  return isAmong(role, requested.settings.roles) ? "gives" : "does not count";
}

/**
 * Whether a role includes a scope. The full-access role includes all scopes of this service, but not the tenant's own.
 */
function includes({ holdsEveryScope, permissions }: Role, name: string): boolean {
  return permissions.includes(name) || (holdsEveryScope && systemScopes.has(name));
}

/** The API of a scope, and the policy under which an application is authorized for it; `undefined` where it is not. */
export function authorizedFor(
  name: string,
  { apis, places }: Pick<Grantable, "apis" | "places">,
): Authorized | undefined {
  const place = placeOfScope(name, places);
  return place && apis.find(({ apiId, scopeIds }) => apiId === place.apiId && scopeIds.includes(place.id));
}

/** The id and the API of a scope. A stored scope of a tenant with a reserved name is none (decision 0143). */
export function placeOfScope(name: string, places: ReadonlyMap<string, ScopePlace>): ScopePlace | undefined {
  return systemScopePlaces.get(name) ?? (reservedScope(name) ? undefined : places.get(name));
}
