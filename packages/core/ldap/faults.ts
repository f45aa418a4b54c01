/** What becomes of a directory's refusals (result codes of RFC 4511 appendix A) and of its silence. */
import { Fault } from "../platform/faults.ts";

/** The codes that are looked at. */
export const codes = {
  sizeLimit: 4,
  adminLimit: 11,
  noSuchAttribute: 16,
  constraint: 19,
  valueExists: 20,
  invalidSyntax: 21,
  noSuchObject: 32,
  invalidDn: 34,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccess: 50,
  unwilling: 53,
  naming: 64,
  objectClass: 65,
  entryExists: 68,
  other: 80,
} as const;

const badValues: ReadonlySet<number> = new Set([
  codes.constraint,
  codes.valueExists,
  codes.invalidSyntax,
  codes.invalidDn,
  codes.naming,
  codes.objectClass,
  // What slapd says of a name that is longer than its database can index.
  codes.other,
]);
const limits: ReadonlySet<number> = new Set([codes.sizeLimit, codes.adminLimit]);

/** The code of what a directory answered; `undefined` for what is no answer. */
export function codeOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "number"
    ? error.code
    : undefined;
}

/** The fault of a directory that cannot be asked. Its reason goes to the log alone. */
export function unavailable(domain: string, cause: unknown): Fault {
  return new Fault("service.unavailable", `The user store ${domain} cannot be reached. Try again in a moment.`, {
    cause,
  });
}

/** The fault of a store that is not to be written. */
export function readOnly(domain: string): Fault {
  return new Fault("scim.forbidden", `The users of the user store ${domain} cannot be changed here: it is read-only.`);
}

/** The fault of a search that a directory did not carry out. */
export function readFault(domain: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const code = codeOf(error);
  if (code !== undefined && limits.has(code)) {
    const told = `The directory of the user store ${domain} does not list so many users: narrow the filter.`;
    return new Fault("scim.too_many", told, { cause: error });
  }
  return unavailable(domain, error);
}

/** The fault of a change that a directory did not make. */
export function writeFault(domain: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const code = codeOf(error);
  if (code === codes.insufficientAccess || code === codes.unwilling) {
    const told = `The directory of the user store ${domain} does not allow this change.`;
    return new Fault("scim.forbidden", told, { cause: error });
  }
  if (code !== undefined && badValues.has(code)) {
    const told = `The directory of the user store ${domain} refuses a value: it has not the form or the length that its schema or its password policy asks for, or is there twice.`;
    return new Fault("request.invalid", told, { cause: error });
  }
  return unavailable(domain, error);
}
