/** User names as callers write them: `[DOMAIN/]name[@tenant]`. */
import { foldName, NAME_BYTES_MAX, trimName } from "../fold.ts";
import { SUPER_TENANT } from "./tenant.ts";

/** The user store of a name without one. */
export const PRIMARY = "PRIMARY";

/** The parts of a user name. */
export interface QualifiedName {
  /** Lower case. */
  readonly tenant: string;
  /** Upper case. */
  readonly userStore: string;
  /** As it was written. */
  readonly name: string;
}

const TENANT = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
/** The form of a store's name, in upper case. */
export const STORE_NAME = /^[A-Z0-9](?:[A-Z0-9._-]{0,48}[A-Z0-9])?$/;
/** Prefixes that Identity Server uses for roles and internal names, never for a user store. */
const RESERVED: ReadonlySet<string> = new Set(["INTERNAL", "APPLICATION", "WORKFLOW", "SYSTEM", "FEDERATED"]);

/** Whether no user store can have a name (in upper case). */
export function isReservedStore(name: string): boolean {
  return RESERVED.has(name);
}

/**
 * Parses a user name: the tenant after the last `@`, the store before the first `/`. White space at the ends does not
 * count. `undefined` when no user can have it.
 */
export function parseUsername(text: string): QualifiedName | undefined {
  const given = trimName(text);
  const at = given.lastIndexOf("@");
  const tenant = at < 0 ? SUPER_TENANT : given.slice(at + 1).toLowerCase();
  const { userStore, name } = splitStore(at < 0 ? given : given.slice(0, at));
  if (!TENANT.test(tenant) || !STORE_NAME.test(userStore) || isReservedStore(userStore)) return undefined;
  // Of white space a name may contain blanks, where the deployment allows them.
  if (name === "" || /[^\S ]|\//u.test(name) || Buffer.byteLength(foldName(name)) > NAME_BYTES_MAX) return undefined;
  return { tenant, userStore, name };
}

/**
 * The meanings of a user name, the likeliest first: `kim@acme.com` is kim of the tenant acme.com, and where no such
 * tenant exists, the user of the super tenant whose name is an e-mail address. Empty when no user can have the name.
 */
export function readingsOf(text: string): readonly QualifiedName[] {
  const first = parseUsername(text);
  const whole = first && first.tenant !== SUPER_TENANT ? parseUsername(`${text}@${SUPER_TENANT}`) : undefined;
  return [first, whole].flatMap((reading) => reading ?? []);
}

/**
 * The tenant of which a name of the super tenant would be read as a user, without its store: `acme.com` in
 * `kim@acme.com`. `undefined` for a name that no tenant can capture.
 */
export function tenantNamedIn(name: string): string | undefined {
  const folded = foldName(name);
  const at = folded.lastIndexOf("@");
  const domain = folded.slice(at + 1);
  return at >= 0 && domain.includes(".") && TENANT.test(domain) ? domain : undefined;
}

/**
 * Splits `[DOMAIN/]name` as SCIM writes it: the store in upper case, PRIMARY by default. White space at the ends of the
 * text and of the name does not count (decision 0151).
 */
export function splitStore(text: string): { readonly userStore: string; readonly name: string } {
  const given = trimName(text);
  const slash = given.indexOf("/");
  return slash < 0
    ? { userStore: PRIMARY, name: given }
    : { userStore: given.slice(0, slash).toUpperCase(), name: trimName(given.slice(slash + 1)) };
}

/** A name with its store as SCIM shows it: without a store where that is PRIMARY. */
export function withStore(userStore: string, name: string): string {
  return userStore === PRIMARY ? name : `${userStore}/${name}`;
}
