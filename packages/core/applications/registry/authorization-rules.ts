/** What an application may be allowed. Pure; every refusal is a `Fault` with upstream's code. */
import type { ApiResource } from "../../domain/api-resource.ts";
import { systemApi } from "../../domain/system-apis.ts";
import { Fault } from "../../platform/faults.ts";
import type { Authorization, Policy } from "./authorization-model.ts";

/** All authorizations of an application are one item; this many fit it whatever their scopes. */
export const AUTHORIZED_APIS_MAX = 100;

/** The scope that lets its holder authorize what it does not hold itself. */
export const AUTHORIZE_ANY = "internal_application_internal_api_update";

/** The fault of an API that the tenant does not have. */
export function apiUnknown(id: string | undefined): Fault {
  return id
    ? new Fault("authorized_api.unknown", `No API resource of the tenant has the id ${id}.`)
    : new Fault("authorized_api.unknown", "The id of the API resource is required.");
}

/** The fault of an API that the application may call already. */
export function alreadyAuthorized(apiId: string, applicationId: string): Fault {
  return new Fault(
    "authorized_api.exists",
    `The API resource ${apiId} is already authorized for the application ${applicationId}.`,
  );
}

/** The fault of an API that the application may not call. */
export function notAuthorized(apiId: string, applicationId: string): Fault {
  return new Fault(
    "authorized_api.absent",
    `The API resource ${apiId} is not authorized for the application ${applicationId}.`,
  );
}

/** Refuses scopes that are not the API's. */
export function checkScopes(api: ApiResource, names: readonly string[]): void {
  const known = new Set(api.scopes.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const told = unknown.slice(0, 5).map((name) => `'${name.slice(0, 100)}'`);
  throw new Fault("authorized_api.scope_unknown", `The API resource '${api.name}' has no scope ${told.join(", ")}.`);
}

/**
 * Refuses to give an application scopes of this service that the caller does not have: with them it would take a token that
 * may do more than itself (decision 0022). Scopes of a tenant's own APIs mean nothing here and are not judged.
 */
export function checkElevation(api: ApiResource, names: readonly string[], own: ReadonlySet<string>): void {
  if (api.type === "BUSINESS" || own.has(AUTHORIZE_ANY)) return;
  const lacking = names.filter((name) => !own.has(name));
  if (lacking.length === 0) return;
  throw new Fault(
    "authorized_api.elevation",
    `Only who has the scope ${AUTHORIZE_ANY} may authorize a scope without having it: ${lacking.slice(0, 5).join(", ")}.`,
  );
}

/**
 * Refuses to give an application another credential where it may do what the caller may not: whoever sets the secret takes its
 * tokens (decision 0022).
 */
export function checkCredential(authorizations: readonly Authorization[], own: ReadonlySet<string>): void {
  if (own.has(AUTHORIZE_ANY)) return;
  const held = authorizations.flatMap(({ apiId, scopeIds }) => {
    const ids = new Set(scopeIds);
    return (systemApi(apiId)?.scopes ?? []).filter(({ id }) => ids.has(id)).map(({ name }) => name);
  });
  const lacking = held.filter((name) => !own.has(name));
  if (lacking.length === 0) return;
  throw new Fault(
    "authorized_api.elevation",
    `The application is authorized for what the caller may not do, ${lacking.slice(0, 5).join(", ")}: only who has the scope ${AUTHORIZE_ANY} may give it another client or secret.`,
  );
}

/** The policy that a word stands for. It must be RBAC where the API requires authorization. */
export function policyOf(word: string | undefined, api: ApiResource): Policy {
  const policy = word?.trim().toUpperCase() || "RBAC";
  if (policy !== "RBAC" && policy !== "NO POLICY") {
    throw new Fault("authorized_api.policy_unknown", `'${word?.slice(0, 50)}' is no policy; use RBAC or No Policy.`);
  }
  if (policy !== "RBAC" && api.requiresAuthorization) {
    throw new Fault(
      "authorized_api.policy_refused",
      `The API resource '${api.name}' requires authorization: its policy must be RBAC.`,
    );
  }
  return policy;
}

/** Refuses more APIs than an application's item holds. */
export function checkRoom(authorized: readonly Authorization[]): void {
  if (authorized.length < AUTHORIZED_APIS_MAX) return;
  throw new Fault(
    "authorized_api.too_many",
    `An application can be authorized for ${AUTHORIZED_APIS_MAX} APIs at most.`,
  );
}

/** The authorization with some scopes more and some less; a scope in both lists counts as removed. Scopes that are gone are dropped. */
export function mergeScopes(
  before: Authorization,
  api: ApiResource,
  added: readonly string[],
  removed: readonly string[],
): Authorization {
  const had = new Set(before.scopeIds);
  const kept = api.scopes.filter(({ id, name }) => (had.has(id) || added.includes(name)) && !removed.includes(name));
  return { ...before, scopeIds: kept.map(({ id }) => id) };
}
