/**
 * The data model: every key of the table, on one screen.
 *
 * `T#<tenant>#` begins whatever belongs to a tenant. Names of tenants and user stores never hold a `#` (checked where they
 * enter), and the part that a caller chooses stands last, so two keys cannot mean the same item. What must be found before
 * the tenant is known begins with `G#` and names the tenant inside.
 *
 * Least privilege is in the leading keys, by which IAM tells items apart: password hashes (`CRED`), lock counters (`LOCK`),
 * access tokens (`G#AT`), refresh tokens and what they belong to (`G#RT`, `FAM`), revocations (`REV`, `REVS`), the keys that
 * verify tokens (`G#KEYS`) and those that sign them (`G#SIGN`) each have a form of their own.
 */
import { createHash } from "node:crypto";
import type { Key } from "./table.ts";

/** The sort key of an item that is alone in its partition, or the main one of it. */
const MAIN = "A";
/** Begins the sort key of a member of a group. */
export const MEMBER = "M#";
/** Begin the sort keys of the users and groups that hold a role. */
export const ROLE_USER = "USER#";
export const ROLE_GROUP = "GROUP#";
/** A partition key holds 2,048 bytes; a longer value is known by its digest. */
const VALUE_BYTES_MAX = 1_800;

/** The partition of a list of names; ranges and leaves of the name index lie beside it (decision 0004). */
export interface NameListKeys {
  /** One entry per name, which is the claim of the name too. */
  entry(name: string): Key;
  readonly entries: string;
  /** One item per counted range; SK is a dot and the low key. */
  readonly ranges: string;
  /** The packed names of the range with that low key. */
  leaf(low: string): Key;
}

export const keys = {
  tenant: (tenant: string): Key => main(`${of(tenant)}#TENANT`),
  /** One entry per tenant: the row of the list. Neither this nor the next form belongs to a tenant. */
  tenantEntry: (domain: string): Key => ({ PK: "G#TENANTS", SK: domain }),
  tenantId: (id: string): Key => main(`G#TENANT#${id}`),

  application: (tenant: string, id: string): Key => main(`${of(tenant)}#A#${id}`),
  /** One entry per application name: the claim of the name, and the row of the list. */
  applicationEntry: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#AN`, SK: name }),
  applicationEntries: (tenant: string): string => `${of(tenant)}#AN`,
  /** Claims of what an application is found by. */
  inboundKey: (tenant: string, kind: string, value: string): Key =>
    kind === "OIDC" ? keys.client(value) : main(`${of(tenant)}#G#${kind}#${keyText(value)}`),
  /** The claim of an OAuth client id, which is unique over all tenants, and all that the token endpoint reads of the application. */
  client: (clientId: string): Key => main(`G#OIDC#${keyText(clientId)}`),
  template: (tenant: string, id: string): Key => main(`${of(tenant)}#TPL#${id}`),
  /** One entry per template name: the claim of the name, and the row of the list. */
  templateEntry: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#TPLN`, SK: name }),
  templateEntries: (tenant: string): string => `${of(tenant)}#TPLN`,
  residentApplication: (tenant: string): Key => main(`${of(tenant)}#RESIDENT`),

  /** All APIs that an application may call. In the application's own partition: it goes with the application. */
  authorizedApis: (tenant: string, applicationId: string): Key => ({
    PK: `${of(tenant)}#A#${applicationId}`,
    SK: "APIS",
  }),

  apiResource: (tenant: string, id: string): Key => main(`${of(tenant)}#API#${id}`),
  /** One entry per identifier: the claim of the identifier, and the row of the list. */
  apiResourceEntry: (tenant: string, identifier: string): Key => ({ PK: `${of(tenant)}#APIN`, SK: identifier }),
  apiResourceEntries: (tenant: string): string => `${of(tenant)}#APIN`,
  /** The claim of a scope's name. */
  scope: (tenant: string, name: string): Key => main(`${of(tenant)}#SCOPE#${name}`),

  user: (tenant: string, id: string): Key => main(`${of(tenant)}#U#${id}`),
  userNames: (tenant: string, store: string): NameListKeys => nameList(`${of(tenant)}#UN#${store}`),
  /** What users are found by beside their names: one item for each user with a value. */
  lookup: (tenant: string, attribute: string, value: string, id: string): Key => ({
    PK: `${of(tenant)}#X#${attribute}#${keyText(value)}`,
    SK: id,
  }),
  group: (tenant: string, id: string): Key => main(`${of(tenant)}#GRP#${id}`),
  groupNames: (tenant: string, store: string): NameListKeys => nameList(`${of(tenant)}#GN#${store}`),
  /** The members of a group lie in the group's partition, the ids of a user's groups in the user's item. */
  member: (tenant: string, groupId: string, userId: string): Key => ({
    PK: `${of(tenant)}#GRP#${groupId}`,
    SK: `${MEMBER}${userId}`,
  }),
  /** Counts the changes of names that other things show: of groups and roles. */
  shownNames: (tenant: string): Key => main(`${of(tenant)}#SHOWN`),
  /** Password hashes: only the authorizer (and the token endpoint) may read this form. */
  credential: (tenant: string, userId: string): Key => main(`${of(tenant)}#CRED#${userId}`),
  /** Failed sign-ins, by user name, whether such a user exists or not. */
  lock: (tenant: string, store: string, name: string): Key => main(`${of(tenant)}#LOCK#${store}#${name}`),

  /** Tokens are known by the digest of their text, which only their holders have. */
  accessToken: (digest: string): Key => main(`G#AT#${digest}`),
  refreshToken: (digest: string): Key => main(`G#RT#${digest}`),
  /** What all the refresh tokens that follow from one sign-in have in common. */
  family: (tenant: string, id: string): Key => main(`${of(tenant)}#FAM#${id}`),
  /** From when on the tokens of a subject count; there for as long as the subject is. */
  revocation: (tenant: string, subject: string): Key => main(`${of(tenant)}#REV#${subject}`),
  /** The same in the order of time, for a day: what a container reads to know all at once. */
  revocationLog: (tenant: string, atMs: string, id: string): Key => ({
    PK: keys.revocations(tenant),
    SK: `${atMs}#${id}`,
  }),
  revocations: (tenant: string): string => `${of(tenant)}#REVS`,

  /** The keys that verify tokens, and in an item of its own those that sign them, sealed. */
  keyRing: (): Key => main("G#KEYS"),
  signingKeys: (): Key => main("G#SIGN"),

  role: (tenant: string, id: string): Key => main(`${of(tenant)}#ROLE#${id}`),
  roleName: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#ROLEN`, SK: name }),
  /** The holders of a role lie in the role's partition, the ids of their roles in their own items. */
  roleUser: (tenant: string, roleId: string, userId: string): Key => ({
    PK: `${of(tenant)}#ROLE#${roleId}`,
    SK: `${ROLE_USER}${userId}`,
  }),
  roleGroup: (tenant: string, roleId: string, groupId: string): Key => ({
    PK: `${of(tenant)}#ROLE#${roleId}`,
    SK: `${ROLE_GROUP}${groupId}`,
  }),
} as const;

function of(tenant: string): string {
  return `T#${tenant}`;
}

function keyText(value: string): string {
  return Buffer.byteLength(value, "utf8") <= VALUE_BYTES_MAX
    ? value
    : `sha256:${createHash("sha256").update(value).digest("hex")}`;
}

function nameList(partition: string): NameListKeys {
  return {
    entries: partition,
    entry: (name) => ({ PK: partition, SK: name }),
    ranges: `${partition}#R`,
    leaf: (low) => main(`${partition}#L#${low}`),
  };
}

function main(PK: string): Key {
  return { PK, SK: MAIN };
}
