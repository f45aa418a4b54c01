/** A directory as the deployment declares it: where it is, how it is spoken to, and which of its attributes are which of SCIM's. */

import { SUPER_TENANT } from "../domain/tenant.ts";

/** Whose a directory is where the deployment says nothing. */
export const DEFAULT_TENANT = SUPER_TENANT;

/** The attributes of SCIM users that an attribute of a directory can be: one value, or the values of a list. */
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** Attributes with one value. */
export const singleAttributes: readonly string[] = [
  ...["givenName", "familyName", "middleName", "formatted"].map((part) => `name.${part}`),
  ...["displayName", "nickName", "title", "preferredLanguage", "locale", "timezone", "userType", "profileUrl"],
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) => `${ENTERPRISE}:${name}`),
];

/** Lists whose elements have a `value`; what else an element says is kept beside the directory. */
export const listAttributes: readonly string[] = ["emails", "phoneNumbers"];

/** What an `inetOrgPerson` (RFC 2798) holds. */
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

/** How a password is written: by the operation of RFC 3062, after which the directory hashes it, or as an attribute. */
export type PasswordWrite = "modify-password" | "attribute";

/** One directory. */
export interface DirectorySettings {
  /** The name of the user store, in upper case. */
  readonly domain: string;
  /** The only tenant that has this user store. */
  readonly tenant: string;
  /** `ldaps://host[:port]`, or `ldap://host[:port]`. */
  readonly url: string;
  /** Whether an `ldap:` connection is encrypted before anything is said on it. */
  readonly startTls: boolean;
  /** PEM: the authorities that the server's certificate may come from; those of the system where it is left out. */
  readonly caCertificate: string | undefined;
  readonly bindDn: string;
  /** The variable with the password of `bindDn`. */
  readonly passwordEnv: string;
  /** Users are found at and below it, and new ones are made right below it. */
  readonly baseDn: string;
  readonly objectClasses: readonly string[];
  readonly usernameAttribute: string;
  /** Holds a text that never changes and is never used again. */
  readonly idAttribute: string;
  /** From SCIM's names to the directory's. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly passwordWrite: PasswordWrite;
  readonly connectTimeoutMs: number;
  /** The most that one thing asked of the directory takes. */
  readonly timeoutMs: number;
  /** Entries that the directory is asked for at once. */
  readonly pageSize: number;
  readonly isReadOnly: boolean;
}
