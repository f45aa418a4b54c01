/** User names as callers write them: `[DOMAIN/]name[@tenant]` (spec access-and-scim.md, "Authentication"; reference access.md section 3.1). */
import { foldName, NAME_BYTES_MAX } from "../platform/fold.ts";
import { SUPER_TENANT } from "./tenant.ts";

/** The user store that a bare name means. */
export const PRIMARY = "PRIMARY";

/** A user name taken apart. */
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
/** Prefixes that mark roles and internal things, never a store of users. */
const RESERVED: ReadonlySet<string> = new Set(["INTERNAL", "APPLICATION", "WORKFLOW", "SYSTEM", "FEDERATED"]);

/** Whether a name (in upper case) can be that of no user store. */
export function isReservedStore(name: string): boolean {
  return RESERVED.has(name);
}

/** Takes a user name apart: the tenant behind the last `@`, the store before the first `/`. `undefined` when it can name nobody. */
export function parseUsername(text: string): QualifiedName | undefined {
  const at = text.lastIndexOf("@");
  const tenant = at < 0 ? SUPER_TENANT : text.slice(at + 1).toLowerCase();
  const local = at < 0 ? text : text.slice(0, at);
  const slash = local.indexOf("/");
  const userStore = slash < 0 ? PRIMARY : local.slice(0, slash).toUpperCase();
  const name = local.slice(slash + 1);
  if (!TENANT.test(tenant) || !STORE_NAME.test(userStore) || isReservedStore(userStore)) return undefined;
  if (name === "" || /[\s/]/u.test(name) || Buffer.byteLength(foldName(name)) > NAME_BYTES_MAX) return undefined;
  return { tenant, userStore, name };
}

/**
 * What a user name may mean, the likeliest first: `kim@acme.com` is kim of the tenant acme.com, and where there is no such
 * tenant the user of the super tenant whose name is an e-mail address (reference scim.md section 2.3). Empty when it can name nobody.
 */
export function readingsOf(text: string): readonly QualifiedName[] {
  const first = parseUsername(text);
  const whole = first && first.tenant !== SUPER_TENANT ? parseUsername(`${text}@${SUPER_TENANT}`) : undefined;
  return [first, whole].flatMap((reading) => reading ?? []);
}

/** Splits `[DOMAIN/]name` as SCIM writes it: the store in upper case, PRIMARY where none is named. */
export function splitStore(text: string): { readonly userStore: string; readonly name: string } {
  const slash = text.indexOf("/");
  return slash < 0
    ? { userStore: PRIMARY, name: text }
    : { userStore: text.slice(0, slash).toUpperCase(), name: text.slice(slash + 1) };
}
