/** Rules for the scopes of OpenID Connect. Pure; faults have the codes of WSO2 Identity Server. */
import type * as z from "zod";
import { reservedScope } from "../../kernel/domain/system-apis.ts";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether } from "../../kernel/together.ts";
import type { NewOidcScope, OidcScopeUpdate } from "./contract.ts";
import type { OidcScope } from "./model.ts";

/** The most scopes of a tenant. */
const SCOPES_MAX = 200;
/** Bytes of all scopes of a tenant as JSON. They are one row, which holds 400 KB. */
const BYTES_MAX = 300_000;

/** RFC 6749 section 3.3, without the characters that a segment of a path cannot have. */
const NAME = /^[\x21\x24\x26-\x2E\x30-\x3A\x3C-\x3E\x40-\x5B\x5D-\x7E]+$/;

/** The fault for a name that no scope of the tenant has. */
export function scopeNotFound(name: string): Fault {
  return new Fault("oidc_scope.not_found", `Cannot find the scope '${name.slice(0, 100)}'.`);
}

/** The scope of a body. Throws `oidc_scope.*`. */
export function newScopeOf({ name, ...settings }: z.output<typeof NewOidcScope>): OidcScope {
  checkTogether(
    () => checkName(name),
    () => settingsOf(settings),
  );
  return { name: checkName(name), ...settingsOf(settings) };
}

/** The scope after an update. Throws `oidc_scope.*`. */
export function updatedScopeOf(before: OidcScope, { name, ...settings }: z.output<typeof OidcScopeUpdate>): OidcScope {
  if (name !== undefined && name !== before.name) {
    throw new Fault("oidc_scope.invalid", "name: a scope cannot be renamed. Send the name in the path, or none.");
  }
  return { name: before.name, ...settingsOf(settings) };
}

/** Adds a scope. Throws `oidc_scope.exists`, and `oidc_scope.invalid` for more than a tenant can have. */
export function withScope(scopes: readonly OidcScope[], added: OidcScope): readonly OidcScope[] {
  if (scopes.some(({ name }) => name === added.name)) {
    throw new Fault("oidc_scope.exists", `Scope '${added.name}' already exists.`);
  }
  return checkSize([...scopes, added]);
}

/** Changes the scope with a name, and returns all. Throws `oidc_scope.not_found`, and what `change` throws. */
export function withChanged(
  scopes: readonly OidcScope[],
  name: string,
  change: (before: OidcScope) => OidcScope,
): readonly OidcScope[] {
  const at = scopes.findIndex((scope) => scope.name === name);
  const before = scopes[at];
  if (!before) throw scopeNotFound(name);
  return checkSize(scopes.with(at, change(before)));
}

/** Removes the scope with a name. Throws `oidc_scope.not_found`. */
export function withoutScope(scopes: readonly OidcScope[], name: string): readonly OidcScope[] {
  const rest = scopes.filter((scope) => scope.name !== name);
  if (rest.length === scopes.length) throw scopeNotFound(name);
  return rest;
}

function checkName(name: string | undefined): string {
  if (!name?.trim()) throw new Fault("oidc_scope.name_missing", "name: the name of the scope is required.");
  if (/\s/.test(name)) throw new Fault("oidc_scope.name_blanks", "name: the name of a scope must not contain blanks.");
  if (!NAME.test(name) || name === "." || name === "..") {
    throw new Fault("oidc_scope.invalid", `name: must be printable ASCII without " # % / ; ? and backslash.`);
  }
  const reserved = reservedScope(name);
  if (reserved) throw new Fault("oidc_scope.invalid", `name: ${reserved}. Use another name.`);
  return name;
}

function settingsOf(given: Omit<z.output<typeof OidcScopeUpdate>, "name">): Omit<OidcScope, "name"> {
  const { displayName, description, claims } = given;
  if (!displayName?.trim()) {
    throw new Fault("oidc_scope.display_name_missing", "displayName: the display name of the scope is required.");
  }
  return { displayName, ...(description !== undefined && { description }), claims: [...new Set(claims)] };
}

function checkSize(scopes: readonly OidcScope[]): readonly OidcScope[] {
  if (scopes.length > SCOPES_MAX) {
    throw new Fault("oidc_scope.invalid", `A tenant has at most ${SCOPES_MAX} scopes. Delete one first.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(scopes), "utf8");
  if (bytes <= BYTES_MAX) return scopes;
  throw new Fault(
    "oidc_scope.invalid",
    `The scopes of the tenant would take ${bytes} bytes; at most ${BYTES_MAX} are allowed. Shorten descriptions.`,
  );
}
