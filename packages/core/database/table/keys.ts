/**
 * The data model: every key of the table.
 *
 * Keys of a tenant begin with `T#<tenant>#`. Names of tenants and user stores never contain a `#` (they are validated),
 * and the part that a caller chooses comes last, so that two resources never share a key. Items that are read before
 * the tenant is known begin with `G#` and contain the tenant.
 *
 * IAM policies distinguish items by their leading keys. For least privilege, each of these has a form of its own:
 * password hashes (`CRED`), lock counters (`LOCK`, `G#LOCK`), access tokens (`G#AT`), refresh tokens and their families
 * (`G#RT`, `FAM`), used proofs (`G#JTI`), revocations (`REV`, `REVS`, `REVG`), the keys that verify tokens (`G#KEYS`)
 * and those that sign them (`G#SIGN`); the same of security events (`G#EVKEYS`, `G#EVSIGN`).
 */
import { createHash } from "node:crypto";
import {
  type ColumnIndexKeys,
  columnList,
  main,
  type NameListKeys,
  nameList,
  type ValueIndexKeys,
  valueList,
} from "./index-keys.ts";
import type { Key } from "./table.ts";

export type { ColumnIndexKeys, NameListKeys, PackedRangeKeys, ValueIndexKeys } from "./index-keys.ts";

/** The id, the name, the client id and the issuer. */
const APPLICATION_COLUMNS = 4;
/** Begins the sort keys of the members of a group. */
export const MEMBER = "M#";
/** Begin the sort keys of the users and groups that have a role. */
export const ROLE_USER = "USER#";
export const ROLE_GROUP = "GROUP#";
/** Begins the sort keys of the roles that are assigned to an application, next to those of users and groups. */
export const ASSIGNED_ROLE = "ROLE#";
/** The sort key of what a deleted resource consisted of. */
export const ASIDE_ROWS = "ROWS";
/** Begins the sort keys of the members of a deleted group or role. */
export const ASIDE_MEMBERS = "PART#";
/** Begins the sort keys of the parts of a bulk membership, in the partition of its group or role. */
const BULK = "B#";
const PART_DIGITS = 6;
const READ_BY_KEY = /^T#[^#]*#(?:CRED|LOG)#/;
/** A partition key holds 2,048 bytes; a longer value is replaced by its digest. */
const VALUE_BYTES_MAX = 1_800;
const SORT_BYTES_MAX = 900;

export const keys = {
  tenant: (tenant: string): Key => main(`${of(tenant)}#TENANT`),
  /** Reserves the domain of a tenant before it is created, in the tenant's partition. */
  tenantReservation: (tenant: string): Key => ({ ...keys.tenant(tenant), SK: "R" }),
  /** One entry per tenant: the row of the list. This form and the next do not belong to a tenant. */
  tenantEntry: (domain: string): Key => ({ PK: "G#TENANTS", SK: domain }),
  tenantId: (id: string): Key => main(`G#TENANT#${id}`),

  application: (tenant: string, id: string): Key => main(`${of(tenant)}#A#${id}`),
  /** One entry per application name: its uniqueness guard, and the row of the list. */
  applicationEntry: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#AN`, SK: name }),
  applicationEntries: (tenant: string): string => `${of(tenant)}#AN`,
  /** What portals show of the applications that people find. */
  discoverable: (tenant: string, id: string): Key => ({ PK: `${of(tenant)}#AD`, SK: id }),
  /** What lists of applications read, in their order. */
  applicationColumns: (tenant: string): ColumnIndexKeys => columnList(`${of(tenant)}#AX`, APPLICATION_COLUMNS),
  /** Which applications were changed of late. */
  applicationChanges: (tenant: string): string => `${of(tenant)}#AX#C`,
  applicationChange: (tenant: string, at: string): Key => ({ PK: keys.applicationChanges(tenant), SK: at }),
  /** Uniqueness guards of the keys by which an application is found. */
  inboundKey: (tenant: string, kind: string, value: string): Key =>
    kind === "OIDC" ? keys.client(value) : main(`${of(tenant)}#G#${kind}#${keyText(value)}`),
  /**
   * The uniqueness guard of an OAuth client id, over all tenants. The token endpoint reads nothing else of the
   * application.
   */
  client: (clientId: string): Key => main(`G#OIDC#${keyText(clientId)}`),
  /** When the secrets of a client were last used. The token endpoint writes it, and nothing else of the client. */
  clientUses: (clientId: string): Key => main(`G#USES#${keyText(clientId)}`),
  template: (tenant: string, id: string): Key => main(`${of(tenant)}#TPL#${id}`),
  /** One entry per template name: its uniqueness guard, and the row of the list. */
  templateEntry: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#TPLN`, SK: name }),
  templateEntries: (tenant: string): string => `${of(tenant)}#TPLN`,
  residentApplication: (tenant: string): Key => main(`${of(tenant)}#RESIDENT`),

  /** All APIs that an application may call, in the application's partition. */
  authorizedApis: (tenant: string, applicationId: string): Key => ({
    PK: `${of(tenant)}#A#${applicationId}`,
    SK: "APIS",
  }),

  /** How many users, groups and roles are assigned to an application, and after it each of them by itself. */
  assignments: (tenant: string, applicationId: string): Key => main(`${of(tenant)}#ASG#IN#${applicationId}`),
  /** `principal`: the beginning of sort keys of its kind, and its id. */
  assignment: (tenant: string, applicationId: string, principal: string): Key => ({
    PK: keys.assignments(tenant, applicationId).PK,
    SK: principal,
  }),
  /** The applications that a user, group or role is assigned to. `type` is in small letters: rights tell it apart. */
  assignedTo: (tenant: string, type: string, id: string, applicationId: string): Key => ({
    PK: `${of(tenant)}#ASG#OF#${type}#${id}`,
    SK: applicationId,
  }),

  apiResource: (tenant: string, id: string): Key => main(`${of(tenant)}#API#${id}`),
  /** One entry per identifier: its uniqueness guard, and the row of the list. */
  apiResourceEntry: (tenant: string, identifier: string): Key => ({ PK: `${of(tenant)}#APIN`, SK: identifier }),
  apiResourceEntries: (tenant: string): string => `${of(tenant)}#APIN`,
  /** All scopes of OpenID Connect of a tenant that has changed some. */
  oidcScopes: (tenant: string): Key => main(`${of(tenant)}#OIDCS`),
  /** What pairwise subjects are made with. */
  pairwiseKey: (tenant: string): Key => main(`${of(tenant)}#PAIR`),
  /** The uniqueness guard of a scope's name. */
  scope: (tenant: string, name: string): Key => main(`${of(tenant)}#SCOPE#${name}`),

  user: (tenant: string, id: string): Key => main(`${of(tenant)}#U#${id}`),
  userNames: (tenant: string, store: string): NameListKeys => nameList(`${of(tenant)}#UN#${store}`),
  /** The values of one attribute of all users of a store; and which attributes are indexed completely. */
  userValues: (tenant: string, store: string, attribute: string): ValueIndexKeys =>
    valueList(`${of(tenant)}#UV#${store}#${attribute}`),
  userIndexes: (tenant: string, store: string): Key => main(`${of(tenant)}#UVS#${store}`),
  /** How far `npm run index` is with them. */
  userIndexing: (tenant: string, store: string): Key => ({ PK: keys.userIndexes(tenant, store).PK, SK: "WALK" }),
  /** Other values by which users and groups are found: one item for each of them with a value. */
  lookup: (tenant: string, attribute: string, value: string, id: string): Key => ({
    PK: `${of(tenant)}#X#${attribute}#${keyText(value)}`,
    SK: id,
  }),
  group: (tenant: string, id: string): Key => main(`${of(tenant)}#GRP#${id}`),
  groupNames: (tenant: string, store: string): NameListKeys => nameList(`${of(tenant)}#GN#${store}`),
  /** A member of a group, in the group's partition. The ids of a user's groups are in the user's item. */
  member: (tenant: string, groupId: string, userId: string): Key => ({
    PK: `${of(tenant)}#GRP#${groupId}`,
    SK: `${MEMBER}${userId}`,
  }),
  /** A part of a bulk membership of a group or role; and the row that exists until the bulk is committed. */
  bulkPart: ({ PK }: Key, bulk: string, part: number): Key => ({
    PK,
    SK: `${BULK}${bulk}#${String(part).padStart(PART_DIGITS, "0")}`,
  }),
  bulkStage: ({ PK }: Key, bulk: string): Key => ({ PK, SK: `${BULK}${bulk}` }),
  /** Counts the changes of names that users show: of groups and roles. Lists the bulks that are not finished. */
  shownNames: (tenant: string): Key => main(`${of(tenant)}#SHOWN`),
  /** Password hashes: only the authorizer and the token endpoint may read this form. */
  credential: (tenant: string, userId: string): Key => main(`${of(tenant)}#CRED#${userId}`),
  /** The secret of one-time codes, in the partition of the password: only the function of sign-in reads it. */
  totp: (tenant: string, userId: string): Key => ({ PK: keys.credential(tenant, userId).PK, SK: "TOTP" }),
  /** The passkeys of a user, in the same partition. */
  passkeys: (tenant: string, userId: string): Key => ({ PK: keys.credential(tenant, userId).PK, SK: "PASSKEYS" }),
  /** Attempts at one-time codes. No user store has an empty name, so the form is apart from that of names. */
  codeLock: (tenant: string, userId: string): Key => keys.lock(tenant, "", userId),
  /** Attempts with passkeys, next to it. */
  passkeyLock: (tenant: string, userId: string): Key => ({ PK: keys.codeLock(tenant, userId).PK, SK: "PASSKEYS" }),
  /** Failed sign-ins, by user name, also of names that no user has. */
  lock: (tenant: string, store: string, name: string): Key => main(`${of(tenant)}#LOCK#${store}#${name}`),
  /** The same of one source of requests, in the partition of the name. */
  sourceLock: (tenant: string, store: string, name: string, source: string): Key => ({
    PK: keys.lock(tenant, store, name).PK,
    SK: `S#${source}`,
  }),
  /** The names of any tenants whose sign-ins failed at one source, in a window of time (decision 0147). */
  sourceNames: (source: string, window: number): Key => ({ PK: keys.lock("-", "", source).PK, SK: `W#${window}` }),
  /** Failed authentications of an OAuth client from one source, also of ids that no client has. */
  clientLock: (clientId: string, source: string): Key => ({ PK: `G#LOCK#${keyText(clientId)}`, SK: `S#${source}` }),

  /** Tokens are stored under the digest of their text. */
  accessToken: (digest: string): Key => main(`G#AT#${digest}`),
  refreshToken: (digest: string): Key => main(`G#RT#${digest}`),
  /** An authorization code, under the digest of its text. */
  authorizationCode: (digest: string): Key => main(`G#CODE#${digest}`),
  /** A pushed authorization request, under the digest of its name. */
  pushedRequest: (digest: string): Key => main(`G#PAR#${digest}`),
  /** An answer with tokens that a browser fetches, under the digest of its ticket. */
  frontAnswer: (digest: string): Key => main(`G#FRONT#${digest}`),
  /** A request of SAML that was answered, under the digest of its ID and its service provider. */
  samlRequest: (digest: string): Key => main(`G#SAMLREQ#${digest}`),
  /** What a service provider of SAML can fetch for some minutes, under the digest of who may and by which name. */
  samlKept: (digest: string): Key => main(`G#SAMLKEPT#${digest}`),
  /** The sessions that a name of a user for a service provider of SAML stands for, each by its SessionIndex. */
  samlName: (tenant: string, digest: string, index: string): Key => ({
    PK: `${of(tenant)}#SAMLNAME#${digest}`,
    SK: index,
  }),
  /** A sign-out that visits service providers of SAML one after the other, under the digest of its handle. */
  logoutChain: (digest: string): Key => main(`G#LOGOUT#${digest}`),
  /** A ticket of CAS, under the digest of its text. */
  casTicket: (digest: string): Key => main(`G#CAST#${digest}`),
  /** The sessions of a user in browsers, each by its id; and after it the clients that got codes in it. */
  session: (tenant: string, userId: string, sid: string): Key => ({
    PK: `${of(tenant)}#SES#${userId}`,
    SK: sid,
  }),
  sessionClient: (tenant: string, userId: string, sid: string, clientId: string): Key => ({
    PK: keys.session(tenant, userId, sid).PK,
    SK: `${sid}#${sortText(clientId)}`,
  }),
  /** What is left to do for sessions that have ended, in the order of the time when it is due (decision 0117). */
  logout: (tenant: string, dueMs: string, id: string): Key => ({ PK: keys.logouts(tenant), SK: `${dueMs}#${id}` }),
  logouts: (tenant: string): string => `${of(tenant)}#OUT`,
  /** The tenants of which some of it waits for another attempt. */
  waitingLogouts: (tenant: string): Key => ({ PK: "G#OUTS", SK: tenant }),
  /** Mails that are due, in the order of time; and the tenants of which some wait for another attempt. */
  mail: (tenant: string, dueMs: string, id: string): Key => ({ PK: keys.mails(tenant), SK: `${dueMs}#${id}` }),
  mails: (tenant: string): string => `${of(tenant)}#MAIL`,
  waitingMails: (tenant: string): Key => ({ PK: "G#MAILS", SK: tenant }),
  /** How many mails were asked for, by a digest of the name, the address or the source, in a window of time. */
  mailCount: (tenant: string, digest: string, window: number): Key => ({
    PK: `${of(tenant)}#MAILC#${digest}`,
    SK: String(window),
  }),
  /** What is known of an address from the mails to it (decision 0188). */
  mailMark: (tenant: string, address: string, kind: string): Key => ({
    PK: `${of(tenant)}#MAILM#${address}`,
    SK: kind,
  }),
  /** What a link in a mail is for, under the digest of its handle. */
  mailLink: (digest: string): Key => main(`G#LINK#${digest}`),
  /** What a user has agreed to, by application. */
  consent: (tenant: string, userId: string, applicationId: string): Key => ({
    PK: `${of(tenant)}#CONS#${userId}`,
    SK: applicationId,
  }),
  /** A proof or an assertion that was used at the token endpoint, under the digest of its maker and id. */
  usedProof: (digest: string): Key => main(`G#JTI#${digest}`),
  /** The common data of all refresh tokens of one sign-in. */
  family: (tenant: string, id: string): Key => main(`${of(tenant)}#FAM#${id}`),
  /** The time from which tokens of a subject are valid. */
  revocation: (tenant: string, subject: string): Key => main(`${of(tenant)}#REV#${subject}`),
  /** The log of revocations of a day, in the order of time. */
  revocationLog: (tenant: string, atMs: string, id: string): Key => ({
    PK: keys.revocations(tenant),
    SK: `${atMs}#${id}`,
  }),
  revocations: (tenant: string): string => `${of(tenant)}#REVS`,
  /** The log of revoked grants, which is apart because it is much longer than the other. */
  grantLog: (tenant: string, entry: string): Key => ({ PK: keys.grantRevocations(tenant), SK: entry }),
  grantRevocations: (tenant: string): string => `${of(tenant)}#REVG`,

  /** A request with an `Idempotency-Key`, under the digest of its caller and key: its state, or its first answer. */
  repeatable: (tenant: string, digest: string): Key => main(`${of(tenant)}#IDEM#${digest}`),
  /** A part of a first answer that is too large for one row; `claim` is the attempt that gave it. */
  answerPart: (tenant: string, digest: string, claim: string, part: number): Key => ({
    PK: keys.repeatable(tenant, digest).PK,
    SK: `P#${claim}#${String(part).padStart(PART_DIGITS, "0")}`,
  }),
  /** An operation of a bulk request that was carried out, by its place; `origin` is the first attempt. */
  repeatableStep: (tenant: string, digest: string, origin: string, place: number): Key => ({
    PK: keys.repeatable(tenant, digest).PK,
    SK: `${keys.repeatableSteps(tenant, digest, origin).from}${String(place).padStart(PART_DIGITS, "0")}`,
  }),
  repeatableSteps: (
    tenant: string,
    digest: string,
    origin: string,
  ): { readonly PK: string; readonly from: string } => ({
    PK: keys.repeatable(tenant, digest).PK,
    from: `S#${origin}#`,
  }),

  /** The keys that verify tokens, and in another item those that sign them, sealed. */
  keyRing: (): Key => main("G#KEYS"),
  signingKeys: (): Key => main("G#SIGN"),
  /** The keys that verify ID tokens, and those that sign them (decision 0113). They sign no access token. */
  idTokenKeyRing: (): Key => main("G#IDKEYS"),
  idTokenSigningKeys: (): Key => main("G#IDSIGN"),
  /** The keys that verify security events, and those that sign them (decision 0089). They sign no token. */
  eventKeyRing: (): Key => main("G#EVKEYS"),
  eventSigningKeys: (): Key => main("G#EVSIGN"),
  /** The keys of SAML of a tenant with their certificates, and what signs its assertions (decision 0196). */
  samlKeyRing: (tenant: string): Key => main(`${of(tenant)}#SAMLKEYS`),
  samlSigningKeys: (tenant: string): Key => main(`${of(tenant)}#SAMLSIGN`),
  /** A sealed text of the local service: it shows with which key the secrets of the table are sealed. */
  sealCheck: (): Key => ({ PK: "G#SIGN", SK: "SEAL" }),
  /** How far a restored table is made safe (decision 0070). No function reads it. */
  restoration: (): Key => ({ PK: "G#SIGN", SK: "RESTORED" }),

  /** What its owner decides about a subscriber, such as a webhook; and the uniqueness guard of its endpoint. */
  subscriber: (tenant: string, id: string): Key => ({ PK: `${of(tenant)}#SUBS`, SK: `S#${id}` }),
  subscriberClaim: (tenant: string, digest: string): Key => ({ PK: `${of(tenant)}#SUBS`, SK: `C#${digest}` }),
  /** How far the delivery to a subscriber is: apart, because another function writes it. */
  subscriberProgress: (tenant: string, id: string): Key => ({ PK: `${of(tenant)}#SUBP`, SK: id }),
  /** The tenants that have subscribers. */
  subscribedTenant: (tenant: string): Key => ({ PK: "G#SUBS", SK: tenant }),
  /** The record of a change, in one of the lanes that a tenant's records are spread over; and a part of a large one. */
  changeRecord: (tenant: string, lane: number, id: string): Key => ({ PK: keys.changeRecords(tenant, lane), SK: id }),
  changeRecords: (tenant: string, lane: number): string => `${of(tenant)}#LOG#${lane}`,
  changePart: (tenant: string, id: string, part: number): Key => ({
    PK: `${of(tenant)}#LOGP#${id}`,
    SK: String(part).padStart(PART_DIGITS, "0"),
  }),
  /** Which changes an actor made, in blocks of time; and up to where the blocks are complete. */
  actorBlocks: (tenant: string, part: string): string => `${of(tenant)}#ACTS#${part}`,
  actorBlock: (tenant: string, part: string, block: string): Key => ({ PK: keys.actorBlocks(tenant, part), SK: block }),
  actorsIndexed: (tenant: string): Key => main(keys.actorBlocks(tenant, "-")),
  /** What is left of a resource that was removed. */
  removed: (tenant: string, type: string, id: string): Key => main(`${of(tenant)}#GONE#${type}#${id}`),
  /** The rows of a resource that was put aside when it was deleted (decision 0084). */
  aside: (tenant: string, type: string, id: string): Key => ({
    PK: `${of(tenant)}#ASIDE#${type}#${id}`,
    SK: ASIDE_ROWS,
  }),
  /** A part of its members, which were removed after it. */
  asideMembers: (tenant: string, type: string, id: string, first: string): Key => ({
    PK: keys.aside(tenant, type, id).PK,
    SK: `${ASIDE_MEMBERS}${first}`,
  }),
  /** One entry per deleted resource of a type: the row of the list, in order of time. */
  asideEntry: (tenant: string, type: string, entry: string): Key => ({
    PK: keys.asideEntries(tenant, type),
    SK: entry,
  }),
  asideEntries: (tenant: string, type: string): string => `${of(tenant)}#ASIDEL#${type}`,

  role: (tenant: string, id: string): Key => main(`${of(tenant)}#ROLE#${id}`),
  roleName: (tenant: string, name: string): Key => ({ PK: `${of(tenant)}#ROLEN`, SK: name }),
  /** The assignees of a role, in the role's partition. The ids of their roles are in their own items. */
  roleUser: (tenant: string, roleId: string, userId: string): Key => ({
    PK: `${of(tenant)}#ROLE#${roleId}`,
    SK: `${ROLE_USER}${userId}`,
  }),
  roleGroup: (tenant: string, roleId: string, groupId: string): Key => ({
    PK: `${of(tenant)}#ROLE#${roleId}`,
    SK: `${ROLE_GROUP}${groupId}`,
  }),
} as const;

/**
 * Whether some functions that write the row of a key may read its key alone: password hashes (decision 0031), and the
 * records of changes for functions without histories.
 */
export function isReadByKey({ PK }: Key): boolean {
  return READ_BY_KEY.test(PK);
}

function of(tenant: string): string {
  return `T#${tenant}`;
}

function keyText(value: string): string {
  return Buffer.byteLength(value, "utf8") <= VALUE_BYTES_MAX
    ? value
    : `sha256:${createHash("sha256").update(value).digest("hex")}`;
}

/** The same for a part of a sort key, which holds 1,024 bytes. */
function sortText(value: string): string {
  return Buffer.byteLength(value, "utf8") <= SORT_BYTES_MAX
    ? value
    : `sha256:${createHash("sha256").update(value).digest("hex")}`;
}
