/**
 * The data model: every key of the table, on one screen.
 *
 * `T#<tenant>#` begins whatever belongs to a tenant. Names of tenants and user stores never hold a `#` (checked where they
 * enter), and the part that a caller chooses stands last, so two keys cannot mean the same item. Credentials and lock
 * counters have partition-key forms of their own (`CRED`, `LOCK`): IAM can leave them out by leading keys.
 */
import { createHash } from "node:crypto";
import type { Key } from "./table.ts";

/** The sort key of an item that is alone in its partition, or the main one of it. */
const MAIN = "A";
const main = (PK: string): Key => ({ PK, SK: MAIN });
/** A partition key holds 2,048 bytes; a longer value is known by its digest. */
const VALUE_BYTES_MAX = 1_800;
const keyText = (value: string): string =>
  Buffer.byteLength(value, "utf8") <= VALUE_BYTES_MAX
    ? value
    : `sha256:${createHash("sha256").update(value).digest("hex")}`;
const of = (tenant: string): string => `T#${tenant}`;

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

const nameList = (partition: string): NameListKeys => ({
  entries: partition,
  entry: (name) => ({ PK: partition, SK: name }),
  ranges: `${partition}#R`,
  leaf: (low) => main(`${partition}#L#${low}`),
});

export const keys = {
  tenant: (tenant: string): Key => main(`${of(tenant)}#TENANT`),

  application: (tenant: string, id: string): Key => main(`${of(tenant)}#A#${id}`),
  /** One entry per application name: the claim of the name, and the row of the list. */
  applicationEntry: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#AN`, SK: name }),
  applicationEntries: (tenant: string): string => `${of(tenant)}#AN`,
  /** Claims of what an application is found by. The OAuth client id is unique over all tenants: the token endpoint knows no tenant. */
  inboundKey: (tenant: string, kind: string, value: string): Key =>
    main(kind === "OIDC" ? `G#OIDC#${keyText(value)}` : `${of(tenant)}#G#${kind}#${keyText(value)}`),
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
  /** Password hashes: only the authorizer (and the token endpoint) may read this form. */
  credential: (tenant: string, userId: string): Key => main(`${of(tenant)}#CRED#${userId}`),
  /** Failed sign-ins, by user name, whether such a user exists or not. */
  lock: (tenant: string, store: string, name: string): Key => main(`${of(tenant)}#LOCK#${store}#${name}`),

  role: (tenant: string, id: string): Key => main(`${of(tenant)}#ROLE#${id}`),
  roleName: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#ROLEN`, SK: name }),
  /** The roles of a user lie in the user's own partition, the users of a role in the role's. */
  userRole: (tenant: string, userId: string, roleId: string): Key => ({
    PK: `${of(tenant)}#U#${userId}`,
    SK: `ROLE#${roleId}`,
  }),
  roleUser: (tenant: string, roleId: string, userId: string): Key => ({
    PK: `${of(tenant)}#ROLE#${roleId}`,
    SK: `USER#${userId}`,
  }),
} as const;
