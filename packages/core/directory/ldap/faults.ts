/** LDAP result codes (RFC 4511 appendix A) and the faults that they become. */
import { Fault } from "../../kernel/faults.ts";

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
  // slapd returns this for a name that is too long for the index of its database.
  codes.other,
]);

/** The result code of a directory; `undefined` for an error that is not a directory's response. */
export function codeOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "number"
    ? error.code
    : undefined;
}

/** A fault stays as it is. Only the log shows the cause. */
export function unavailable(domain: string, cause: unknown): Fault {
  return cause instanceof Fault
    ? cause
    : new Fault("service.unavailable", `The user store ${domain} cannot be reached. Try again in a moment.`, { cause });
}

export function readOnly(domain: string): Fault {
  return new Fault(
    "scim.forbidden",
    `The user store ${domain} is read-only. Change its users in the directory itself.`,
  );
}

/** The fault for a change that only the directory itself can check, in a rehearsal. */
export function unrehearsed(domain: string): Fault {
  return new Fault(
    "rehearsal.impossible",
    `The service found no error, but the directory of the user store ${domain} checks this change itself and cannot rehearse it. Send the request without dryRun.`,
  );
}

/** The fault for a search that failed. */
export function readFault(domain: string, cause: unknown): Fault {
  const code = codeOf(cause);
  return code === codes.sizeLimit || code === codes.adminLimit
    ? new Fault("scim.too_many", `Too many users of the user store ${domain} match. Narrow the filter.`, { cause })
    : unavailable(domain, cause);
}

/** The fault for a change that failed. */
export function writeFault(domain: string, cause: unknown): Fault {
  const code = codeOf(cause);
  if (code === codes.insufficientAccess || code === codes.unwilling) {
    return new Fault("scim.forbidden", `The directory of the user store ${domain} does not allow this change.`, {
      cause,
    });
  }
  if (code !== undefined && badValues.has(code)) {
    const reason = "Its format or length does not fit the schema or the password policy, or it is a duplicate.";
    return new Fault("request.invalid", `The directory of the user store ${domain} rejects a value. ${reason}`, {
      cause,
    });
  }
  return unavailable(domain, cause);
}
