/** What an application may be authorized for. Pure; faults have the codes of WSO2 Identity Server. */
import type { ApiResource } from "../../kernel/domain/api-resource.ts";
import { systemApi } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import { listed } from "../../kernel/words.ts";
import type { Authorization, Policy } from "./authorization-model.ts";
import type { Application } from "./model.ts";

/** All authorizations of an application are one row: this many fit, with any scopes. */
export const AUTHORIZED_APIS_MAX = 100;

/** The scope that allows a caller to authorize scopes that its credential does not have. */
export const AUTHORIZE_ANY = "internal_application_internal_api_update";

/** The scope without which no caller changes an authentication script. */
export const CHANGE_SCRIPT = "internal_application_script_update";

/** The fault for an API that the tenant does not have. */
export function apiUnknown(id: string | undefined): Fault {
  return id
    ? new Fault(
        "authorized_api.unknown",
        `No API resource of the tenant has the id ${id}. GET /api/server/v1/api-resources lists them.`,
      )
    : new Fault("authorized_api.unknown", "The id of the API resource is required.");
}

/** The fault for an API that the application may call already. */
export function alreadyAuthorized(apiId: string, applicationId: string): Fault {
  return new Fault(
    "authorized_api.exists",
    `The API resource ${apiId} is already authorized for the application ${applicationId}.`,
  );
}

/** The fault for an API that the application may not call. */
export function notAuthorized(apiId: string, applicationId: string): Fault {
  return new Fault(
    "authorized_api.absent",
    `The API resource ${apiId} is not authorized for the application ${applicationId}.`,
  );
}

/** Throws for scopes that the API does not have. */
export function checkScopes(api: ApiResource, names: readonly string[]): void {
  const known = new Set(api.scopes.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 5).map((name) => `'${name.slice(0, 100)}'`);
  const meant = unknown.slice(0, 5).flatMap((name) => nearest(name, [...known]) ?? []);
  const hint = meant.length === 0 ? "" : ` Did you mean ${listed([...new Set(meant)], "and")}?`;
  throw new Fault(
    "authorized_api.scope_unknown",
    `The API resource '${api.name}' has no scope ${shown.join(", ")}.${hint}`,
  );
}

/**
 * No privilege escalation: a caller cannot authorize an application for scopes of this service that its credential does
 * not have, and then use the application's tokens (decision 0022). Scopes of a tenant's own APIs grant nothing here.
 */
export function checkElevation(api: ApiResource, names: readonly string[], own: ReadonlySet<string>): void {
  if (api.type === "BUSINESS" || own.has(AUTHORIZE_ANY)) return;
  const lacking = names.filter((name) => !own.has(name));
  if (lacking.length === 0) return;
  throw new Fault(
    "authorized_api.elevation",
    `You cannot grant scopes that your credential does not have: ${lacking.slice(0, 5).join(", ")}. The scope ${AUTHORIZE_ANY} allows it.`,
  );
}

/**
 * No privilege escalation: where an application is authorized for scopes of this service that the caller's credential
 * does not have, the caller cannot make a change with gains (gain-rules.ts): that would give it, or somebody else,
 * these scopes (decision 0061).
 */
export function checkGains(
  gains: readonly string[],
  authorizations: readonly Authorization[],
  own: ReadonlySet<string>,
): void {
  if (gains.length === 0) return;
  const lacking = lackingScopes(authorizations, own);
  if (lacking.length === 0) return;
  throw new Fault(
    "authorized_api.elevation",
    `You cannot change ${gains.slice(0, 5).join(", ")} of an application with scopes that your credential does not have: ${lacking.slice(0, 5).join(", ")}. The scope ${AUTHORIZE_ANY} allows it.`,
  );
}

/** The same for an application that is restored: it acts again with the scopes that it was authorized for. */
export function checkRestoredScopes(authorizations: readonly Authorization[], own: ReadonlySet<string>): void {
  const lacking = lackingScopes(authorizations, own);
  if (lacking.length === 0) return;
  throw new Fault(
    "authorized_api.elevation",
    `You cannot restore an application with scopes that your credential does not have: ${lacking.slice(0, 5).join(", ")}. The scope ${AUTHORIZE_ANY} allows it.`,
  );
}

/**
 * A script decides who signs in (decision 0189): a caller needs its scope to give an application another one, to take
 * it away, or to bring an application with one (`before` is `undefined`). Throws `auth.forbidden`.
 */
export function checkScript(before: Scripted | undefined, after: Scripted, own: ReadonlySet<string>): void {
  const [was = "", is = ""] = [before?.authenticationSequence.script, after.authenticationSequence.script];
  if (was === is || own.has(CHANGE_SCRIPT)) return;
  throw new Fault(
    "auth.forbidden",
    `authenticationSequence.script: to set, change or remove a script you need the scope ${CHANGE_SCRIPT}, which your credential does not have.`,
  );
}

type Scripted = Pick<Application, "authenticationSequence">;

/** The scopes of this service among some authorizations that a caller may not give. */
function lackingScopes(authorizations: readonly Authorization[], own: ReadonlySet<string>): readonly string[] {
  if (own.has(AUTHORIZE_ANY)) return [];
  const granted = authorizations.flatMap(({ apiId, scopeIds }) => {
    const ids = new Set(scopeIds);
    return (systemApi(apiId)?.scopes ?? []).filter(({ id }) => ids.has(id)).map(({ name }) => name);
  });
  return granted.filter((name) => !own.has(name));
}

/** The policy of that name, in any case. An API that requires authorization accepts RBAC only. */
export function policyOf(word: string | undefined, api: ApiResource): Policy {
  const policy = word?.trim().toUpperCase() || "RBAC";
  if (policy !== "RBAC" && policy !== "NO POLICY") {
    throw new Fault(
      "authorized_api.policy_unknown",
      `policyIdentifier: unknown policy '${word?.slice(0, 50)}'. Use RBAC or No Policy.`,
    );
  }
  if (policy !== "RBAC" && api.requiresAuthorization) {
    throw new Fault(
      "authorized_api.policy_refused",
      `policyIdentifier: the API resource '${api.name}' requires authorization. Use RBAC.`,
    );
  }
  return policy;
}

/** Throws when the row of an application is full. */
export function checkRoom(authorized: readonly Authorization[]): void {
  if (authorized.length < AUTHORIZED_APIS_MAX) return;
  throw new Fault(
    "authorized_api.too_many",
    `An application can be authorized for ${AUTHORIZED_APIS_MAX} APIs at most.`,
  );
}

/** Adds and removes scopes; a scope in both lists is removed. Scopes that the API no longer has are dropped. */
export function mergeScopes(
  before: Authorization,
  api: ApiResource,
  added: readonly string[],
  removed: readonly string[],
): Authorization {
  const had = new Set(before.scopeIds);
  const scopes = api.scopes.filter(({ id, name }) => (had.has(id) || added.includes(name)) && !removed.includes(name));
  return { ...before, scopeIds: scopes.map(({ id }) => id) };
}
