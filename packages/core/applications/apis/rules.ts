/** Rules for API resources and their scopes. Pure; faults have the codes of WSO2 Identity Server. */
import type * as z from "zod";
import type { ApiResource, Scope } from "../../kernel/domain/api-resource.ts";
import { isSystemIdentifier, reservedScope } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { checkEach, checkTogether } from "../../kernel/together.ts";
import type { NewApiResource, ScopeReplacement } from "./shapes.ts";

/** A scope in a body. */
export type NewScope = z.output<typeof ScopeReplacement>[number];

/** The maximum number of scopes of one API: one transaction of 100 steps creates or frees all their claims. */
export const SCOPES_MAX = 90;

/** Bytes of an API resource as JSON. A row holds 400 KB. */
const API_BYTES_MAX = 300_000;

/** The scopes of OpenID Connect, with those that WSO2 Identity Server adds. */
const OIDC: ReadonlySet<string> = new Set([
  ...["openid", "offline_access", "profile", "email", "address", "phone", "groups", "roles"],
]);
/** RFC 6749 section 3.3: printable ASCII without blank, quote and backslash. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Characters of the name of a scope. */
const SCOPE_LENGTH_MAX = 255;

/** Bytes of the longest text that fits the key of an identifier. */
const IDENTIFIER_BYTES_MAX = 1_024;

/** Whether a text can be an identifier: clients can send any text, and other texts are not looked up. */
export function canBeIdentifier(text: string): boolean {
  return text !== "" && Buffer.byteLength(text, "utf8") <= IDENTIFIER_BYTES_MAX && text.isWellFormed();
}

/** Whether a text can be the name of a scope: clients can send any text, and other texts are not looked up. */
export function canBeScope(text: string): boolean {
  return text.length <= SCOPE_LENGTH_MAX && SCOPE_TOKEN.test(text);
}

/** The fault for an id that no API resource of the tenant has. */
export function apiNotFound(id: string): Fault {
  return new Fault(
    "api_resource.not_found",
    `Unable to find the API resource with the id: ${id} in the tenant domain.`,
  );
}

/** The fault for an identifier that is in use. */
export function identifierTaken(identifier: string, tenant: string): Fault {
  return new Fault(
    "api_resource.exists",
    `An API resource with the identifier '${identifier}' already exists for the tenant: ${tenant}.`,
  );
}

/** The fault for a scope name that is in use, by this API or another. */
export function scopeTaken(name: string, tenant: string): Fault {
  return new Fault("api_resource.scope_exists", `Scope '${name}' already exists for the tenant: ${tenant}.`);
}

/** Throws for scopes that the API already has. The store finds those of other APIs. */
export function checkFree(api: ApiResource, added: readonly Scope[], tenant: string): void {
  const names = new Set(api.scopes.map(({ name }) => name));
  const taken = added.find(({ name }) => names.has(name));
  if (taken) throw scopeTaken(taken.name, tenant);
}

/** Throws for an API of the service. */
export function checkOwn({ type, name }: ApiResource): void {
  if (type === "BUSINESS") return;
  throw new Fault("api_resource.read_only", `'${name}' is an API of this service: it cannot be changed or deleted.`);
}

export function nameOf(name: string | undefined): string {
  if (name?.trim()) return name;
  throw new Fault("api_resource.name_invalid", "API resource name is required and cannot be blank.");
}

export function newNamesOf(body: z.output<typeof NewApiResource>, tenant: string) {
  checkTogether(
    () => nameOf(body.name),
    () => identifierOf(body.identifier),
    () => checkScopes(body.scopes ?? []),
  );
  const identifier = identifierOf(body.identifier);
  if (isSystemIdentifier(identifier)) throw identifierTaken(identifier, tenant);
  return { name: nameOf(body.name), identifier };
}

function identifierOf(identifier: string | undefined): string {
  if (identifier?.trim()) return identifier;
  throw new Fault("api_resource.identifier_invalid", "API resource identifier is required and cannot be blank.");
}

/** The scopes of a body, checked, each with an id from `newId`. */
export function newScopesOf(given: readonly NewScope[], newId: () => string): Scope[] {
  checkScopes(given);
  return given.map(({ name, displayName, description }) => ({
    id: newId(),
    name,
    displayName: displayName?.trim() ? displayName : name,
    ...(description !== undefined && { description }),
  }));
}

function checkScopes(given: readonly NewScope[]): void {
  const seen = new Set<string>();
  checkEach(given, ({ name }) => {
    checkName(name);
    if (seen.has(name)) throw new Fault("api_resource.scope_invalid", `Scope '${name}' is given more than once.`);
    seen.add(name);
  });
}

function checkName(name: string): void {
  if (name.trim() === "") throw new Fault("api_resource.scope_invalid", "Scope name is required.");
  if (!SCOPE_TOKEN.test(name)) {
    throw new Fault(
      "api_resource.scope_invalid",
      `Scope name '${name.slice(0, 50)}' is not valid. Use printable ASCII without blanks, quotes and backslashes.`,
    );
  }
  const reserved = reservedScope(name);
  if (reserved) {
    throw new Fault("api_resource.scope_restricted", `Scope '${name.slice(0, 50)}': ${reserved}. Use another name.`);
  }
  if (OIDC.has(name)) throw new Fault("api_resource.scope_of_oidc", `'${name}' is a scope of OpenID Connect.`);
}

/** Throws for more scopes than one transaction can store, and for more bytes than a row can hold. */
export function checkSize(api: ApiResource): ApiResource {
  const refuse = (description: string) => new Fault("api_resource.scope_invalid", description);
  const count = api.scopes.length;
  if (count > SCOPES_MAX) {
    throw refuse(
      `scopes: an API resource has at most ${SCOPES_MAX} scopes, and this one would have ${count}. Divide it into several.`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(api), "utf8");
  if (bytes > API_BYTES_MAX) {
    throw refuse(`The API resource takes ${bytes} bytes; at most ${API_BYTES_MAX} are allowed. Shorten descriptions.`);
  }
  return api;
}

/** Throws for more scopes than one transaction can free and claim. */
export function checkChanges(added: number, removed: number): void {
  if (added + removed <= SCOPES_MAX) return;
  throw new Fault(
    "api_resource.scope_invalid",
    `One request can add and remove at most ${SCOPES_MAX} scopes; this one adds ${added} and removes ${removed}. Use several requests.`,
  );
}

/** The fault for a scope that the API does not have. */
export function scopeNotFound(name: string): Fault {
  return new Fault("api_resource.scope_not_found", `The API resource has no scope '${name}'.`);
}
