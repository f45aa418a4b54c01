/** What tenants may be called, and who may look after them. Pure; upstream's codes. */

import { SUPER_TENANT } from "../domain/tenant.ts";
import { Fault } from "../platform/faults.ts";

const DOMAIN_LENGTH_MAX = 253;

/** The fault of an id that leads to no tenant. */
export function tenantNotFound(id: string): Fault {
  return new Fault("tenant.not_found", `Tenant cannot be found for the provided id: ${id.slice(0, 100)}.`);
}

/** The fault of a domain that no tenant has. */
export function domainNotFound(domain: string): Fault {
  return new Fault("tenant.domain_unknown", `Tenant cannot be found for the provided domain: ${domain.slice(0, 100)}.`);
}

/** The fault of a domain in use. */
export function domainTaken(domain: string): Fault {
  return new Fault(
    "tenant.exists",
    `A tenant with same domain ${domain} already exists. Please use a different domain name.`,
  );
}

/** Refuses callers of other tenants. Throws `auth.forbidden`. */
export function checkCaller(tenant: string): void {
  if (tenant === SUPER_TENANT) return;
  throw new Fault("auth.forbidden", "Tenants are looked after by administrators of the super tenant.");
}

/** Judges the domain of a new tenant: the text behind the `@` of user names. Throws `tenant.*`. */
export function checkDomain(domain: string): void {
  if (domain === "") throw new Fault("tenant.domain_empty", "Provided domain name is empty.");
  if (domain.startsWith(".")) throw new Fault("tenant.domain_invalid", "A domain does not start with a dot.");
  if (!/^[a-z0-9.-]+$/.test(domain)) {
    throw new Fault(
      "tenant.domain_characters",
      `The tenant domain ${domain.slice(0, 100)} holds illegal characters: lower-case letters, digits, '.' and '-' are valid.`,
    );
  }
  if (!domain.includes(".")) {
    throw new Fault("tenant.domain_extension", "A domain needs an extension, as example.com has.");
  }
  if (domain.length > DOMAIN_LENGTH_MAX || !/^[a-z0-9](?:.*[a-z0-9])?$/.test(domain) || domain.includes("..")) {
    throw new Fault(
      "tenant.domain_invalid",
      `A domain has at most ${DOMAIN_LENGTH_MAX} characters, begins and ends with a letter or digit, and holds no two dots in a row.`,
    );
  }
}
