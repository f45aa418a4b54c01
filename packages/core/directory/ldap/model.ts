/** The settings of a directory: its address, how the service connects, and its attributes for those of SCIM. */

import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";

/** The tenant of a directory that names none. */
export const DEFAULT_TENANT = SUPER_TENANT;

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** SCIM attributes with one value that a directory can hold. */
export const singleAttributes: readonly string[] = [
  ...["givenName", "familyName", "middleName", "formatted"].map((part) => `name.${part}`),
  ...["displayName", "nickName", "title", "preferredLanguage", "locale", "timezone", "userType", "profileUrl"],
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) => `${ENTERPRISE}:${name}`),
];

/** Lists of which a directory can hold each `value`. The directory record stores the other parts, such as `type`. */
export const listAttributes: readonly string[] = ["emails", "phoneNumbers"];

/** The attributes of an `inetOrgPerson` (RFC 2798). */
export const defaultAttributes: Readonly<Record<string, string>> = {
  "name.formatted": "cn",
  "name.familyName": "sn",
  "name.givenName": "givenName",
  displayName: "displayName",
  title: "title",
  preferredLanguage: "preferredLanguage",
  emails: "mail",
  phoneNumbers: "telephoneNumber",
  [`${ENTERPRISE}:employeeNumber`]: "employeeNumber",
  [`${ENTERPRISE}:department`]: "departmentNumber",
};

/** One directory. */
export interface DirectorySettings {
  /** The name of the user store, in upper case. */
  readonly domain: string;
  /** The only tenant that has this user store. */
  readonly tenant: string;
  /** `ldaps://host[:port]`, or `ldap://host[:port]`. */
  readonly url: string;
  /** Whether an `ldap:` connection is encrypted before its first request. */
  readonly startTls: boolean;
  /** PEM: the trusted certificate authorities; those of the system where it is absent. */
  readonly caCertificate: string | undefined;
  readonly bindDn: string;
  /** The environment variable with the password of `bindDn`. */
  readonly passwordEnv: string;
  /** Users are found at and below it. New users are created directly below it. */
  readonly baseDn: string;
  readonly objectClasses: readonly string[];
  readonly usernameAttribute: string;
  /** Holds an id that never changes and is never used again. */
  readonly idAttribute: string;
  /** The directory's attribute for each SCIM attribute that it holds. */
  readonly attributes: Readonly<Record<string, string>>;
  /** `modify-password`: the operation of RFC 3062, after which the directory hashes the password. */
  readonly passwordWrite: "modify-password" | "attribute";
  readonly connectTimeoutMs: number;
  /** The time limit of one operation. */
  readonly timeoutMs: number;
  /** Entries per page of a paged search. */
  readonly pageSize: number;
  readonly isReadOnly: boolean;
}
