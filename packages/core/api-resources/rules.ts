/** What an API resource and its scopes may be called. Pure; every refusal is a `Fault` with upstream's code. */
import type * as z from "zod";
import type { ApiResource, Scope } from "../domain/api-resource.ts";
import { isSystemIdentifier } from "../domain/system-apis.ts";
import { Fault } from "../platform/faults.ts";
import type { NewApiResource, ScopeReplacement } from "./shapes.ts";

/** A scope as a body brings it. */
export type NewScope = z.output<typeof ScopeReplacement>[number];

/** The most scopes of one API: each is a claim, and all are made and freed in one transaction of at most 100 steps. */
export const SCOPES_MAX = 90;

/** Bytes of an API resource as JSON. An item holds 400 KB. */
const API_BYTES_MAX = 300_000;

/** Beginnings that are kept for the scopes of this service. */
const RESTRICTED = ["internal_", "console:"];
/** What OpenID Connect and upstream's scope registry call claims by. */
const OIDC: ReadonlySet<string> = new Set(["openid", "profile", "email", "address", "phone", "groups", "roles"]);
/** RFC 6749 section 3.3: printable ASCII without blank, quote and backslash. `%` and `;` are refused in paths. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** The fault of an id that leads to nothing in the tenant. */
export function apiNotFound(id: string): Fault {
  return new Fault(
    "api_resource.not_found",
    `Unable to find the API resource with the id: ${id} in the tenant domain.`,
  );
}

/** The fault of an identifier that is in use. */
export function identifierTaken(identifier: string, tenant: string): Fault {
  return new Fault(
    "api_resource.exists",
    `An API resource with the identifier '${identifier}' already exists for the tenant: ${tenant}.`,
  );
}

/** The fault of a scope name that is in use, by this API or another. */
export function scopeTaken(name: string, tenant: string): Fault {
  return new Fault("api_resource.scope_exists", `Scope '${name}' already exists for the tenant: ${tenant}.`);
}

/** Refuses to add scopes that the API has already; those of other APIs are the store's to find. */
export function checkFree(api: ApiResource, added: readonly Scope[], tenant: string): void {
  const names = new Set(api.scopes.map(({ name }) => name));
  const taken = added.find(({ name }) => names.has(name));
  if (taken) throw scopeTaken(taken.name, tenant);
}

/** Refuses to change what ships with the service. */
export function checkOwn({ type, name }: ApiResource): void {
  if (type === "BUSINESS") return;
  throw new Fault("api_resource.read_only", `'${name}' is an API of this service: it cannot be changed or deleted.`);
}

/** The name of an API, judged. */
export function nameOf(name: string | undefined): string {
  if (name?.trim()) return name;
  throw new Fault("api_resource.name_invalid", "API resource name is required and cannot be blank.");
}

/** The name and identifier of a new API, judged. */
export function newNamesOf(body: z.output<typeof NewApiResource>, tenant: string) {
  const name = nameOf(body.name);
  const { identifier } = body;
  if (!identifier?.trim()) {
    throw new Fault("api_resource.identifier_invalid", "API resource identifier is required and cannot be blank.");
  }
  if (isSystemIdentifier(identifier)) throw identifierTaken(identifier, tenant);
  return { name, identifier };
}

/** The scopes that a body brings, judged one by one and together with how many there are already; each with an id from `newId`. */
export function newScopesOf(given: readonly NewScope[], newId: () => string): Scope[] {
  const seen = new Set<string>();
  for (const { name } of given) {
    checkName(name);
    if (seen.has(name)) throw new Fault("api_resource.scope_invalid", `Scope '${name}' is given more than once.`);
    seen.add(name);
  }
  return given.map(({ name, displayName, description }) => ({
    id: newId(),
    name,
    displayName: displayName?.trim() ? displayName : name,
    ...(description !== undefined && { description }),
  }));
}

function checkName(name: string): void {
  if (name.trim() === "") throw new Fault("api_resource.scope_invalid", "Scope name is required.");
  if (!SCOPE_TOKEN.test(name)) {
    throw new Fault(
      "api_resource.scope_invalid",
      `'${name.slice(0, 50)}' is no scope name: use printable ASCII without blanks, quotes and backslashes.`,
    );
  }
  const beginning = RESTRICTED.find((restricted) => name.startsWith(restricted));
  if (beginning) {
    throw new Fault("api_resource.scope_restricted", `Scope names that begin with '${beginning}' are reserved.`);
  }
  if (OIDC.has(name)) throw new Fault("api_resource.scope_of_oidc", `'${name}' is a scope of OpenID Connect.`);
}

/** Refuses more scopes than one transaction can keep, and more text than one item. */
export function checkSize(api: ApiResource): ApiResource {
  const refuse = (description: string) => new Fault("api_resource.scope_invalid", description);
  const count = api.scopes.length;
  if (count > SCOPES_MAX) {
    throw refuse(
      `An API resource has at most ${SCOPES_MAX} scopes, this would make ${count}: divide the API into several.`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(api), "utf8");
  if (bytes > API_BYTES_MAX) {
    throw refuse(`The API resource takes ${bytes} bytes; at most ${API_BYTES_MAX} can be kept: shorten descriptions.`);
  }
  return api;
}

/** Refuses a replacement of more scopes than one transaction can free and claim. */
export function checkChanges(added: number, removed: number): void {
  if (added + removed <= SCOPES_MAX) return;
  throw new Fault(
    "api_resource.scope_invalid",
    `At most ${SCOPES_MAX} scopes can be added and removed at once, these are ${added} and ${removed}: change them in several requests.`,
  );
}

/** The fault of a scope that the API does not have. */
export function scopeNotFound(name: string): Fault {
  return new Fault("api_resource.scope_not_found", `The API resource has no scope '${name}'.`);
}
