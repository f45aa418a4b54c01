/** Rules for the domains of tenants, and for callers. Pure; faults have the codes of WSO2 Identity Server. */

import { CANARY_TENANT, SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { looksLikeHash } from "../../kernel/imported-hash.ts";

const DOMAIN_LENGTH_MAX = 253;
const EMAIL_LENGTH_MAX = 254;
const EMAIL = /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@[^\s@"(),:;<>[\]\\\p{C}.]+(?:\.[^\s@"(),:;<>[\]\\\p{C}.]+)*$/u;

/** The fault for an id that no tenant has. */
export function tenantNotFound(id: string): Fault {
  return new Fault("tenant.not_found", `Tenant cannot be found for the provided id: ${id.slice(0, 100)}.`);
}

/** The fault for a domain that no tenant has. */
export function domainNotFound(domain: string): Fault {
  return new Fault("tenant.domain_unknown", `Tenant cannot be found for the provided domain: ${domain.slice(0, 100)}.`);
}

/** The fault for a domain in use. */
export function domainTaken(domain: string): Fault {
  return new Fault(
    "tenant.exists",
    `A tenant with same domain ${domain} already exists. Please use a different domain name.`,
  );
}

/** The fault for a domain that would capture names of the super tenant's users (decision 0062). */
export function namesCaptured(domain: string, count: number): Fault {
  const users = count === 1 ? "1 user" : `${count} users`;
  return new Fault(
    "tenant.names_captured",
    `domain: the names of ${users} of the super tenant end in @${domain}. Sign-ins would read them as users of the new tenant. Rename these users first, or choose another domain.`,
  );
}

/**
 * Refuses the hash of another system as the password of an owner: it would be stored as a plain password, which the
 * owner does not know (decision 0098). `place` names the member. Throws `tenant.invalid`.
 */
export function checkPlain(password: string, place: string): void {
  if (!looksLikeHash(password)) return;
  throw new Fault("tenant.invalid", `${place}: has the form of a password hash. Send the password of an owner itself.`);
}

/**
 * Refuses what no message could be sent to (RFC 5321 section 4.1.2, without quotes and address literals). `place` names
 * the member. Throws `tenant.invalid`.
 */
export function checkEmail(email: string, place: string): void {
  if (email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email)) return;
  throw new Fault("tenant.invalid", `${place}: must be an e-mail address, such as kim@example.com.`);
}

/** Throws `auth.forbidden` for callers of other tenants. */
export function checkCaller(tenant: string): void {
  if (tenant === SUPER_TENANT) return;
  throw new Fault("auth.forbidden", "Only callers of the super tenant can manage tenants.");
}

/** Checks the domain of a new tenant: the text after the `@` of user names. Throws `tenant.*`. */
export function checkDomain(domain: string): void {
  if (domain === "") throw new Fault("tenant.domain_empty", "Provided domain name is empty.");
  if (domain.startsWith(".")) throw new Fault("tenant.domain_invalid", "domain: must not start with a dot.");
  if (!/^[a-z0-9.-]+$/.test(domain)) {
    throw new Fault(
      "tenant.domain_characters",
      `The tenant domain ${domain.slice(0, 100)} contains illegal characters. Use lower-case letters, digits, '.' and '-'.`,
    );
  }
  if (!domain.includes(".")) {
    throw new Fault("tenant.domain_extension", "domain: an extension is required, for example .com.");
  }
  if (domain === CANARY_TENANT) {
    throw new Fault("tenant.domain_invalid", `domain: ${CANARY_TENANT} is reserved for the check of this service.`);
  }
  if (domain.length > DOMAIN_LENGTH_MAX || !/^[a-z0-9](?:.*[a-z0-9])?$/.test(domain) || domain.includes("..")) {
    throw new Fault(
      "tenant.domain_invalid",
      `domain: must have at most ${DOMAIN_LENGTH_MAX} characters, begin and end with a letter or digit, and have no two consecutive dots.`,
    );
  }
}
