/** Partitions that functions read or write together. Pure. */
import { partitions as p } from "./partitions.ts";

export const tenants = [p.tenant, p.tenantNames, p.tenantId];
/** The indexes of attributes of users (decision 0095). */
export const userIndexes = [p.userValues, p.userIndexes];
/** What has settings of applications. */
export const applicationRows = [p.application, p.template, p.residentApplication];
/** What changes of applications read of their index. Lists alone read which applications have changed of late. */
export const applicationIndexReads = [p.applicationRanges, p.applicationPacks];
/** The index of applications (decision 0136). */
export const applicationIndex = [...applicationIndexReads, p.applicationChanges];
/** Roles and first administrator of a new tenant. */
export const administrator = [p.role, p.roleNames, p.shownNames, p.user, p.userNames, p.credential];
/** Revocations of tokens. */
export const revocations = [p.revocation, p.revocations];

/** The records of changes (decision 0082), which histories read (0083). */
export const changeRecords = [p.changeRecord, p.changePart, p.removed];
/** What is written with changes that delete no resource: their records, and first answers (decision 0086). */
export const recordsOfChanges = [p.changeRecord, p.changePart, p.repeatable];
/** The same with what is left of deleted resources. */
export const records = [...recordsOfChanges, p.removed];
/** The same for functions that delete resources, which are put aside (decision 0084). */
export const removals = [...records, p.aside, p.asideEntries];

/**
 * What authentication and authorization read: by a password, a certificate or a token. They change credentials, too:
 * the first sign-in replaces the hash of another system (decision 0098).
 */
export const authentication = [
  ...[p.tenant, p.user, p.userNames, p.group, p.role, p.roleNames, p.credential, p.lock],
  ...[p.accessToken, ...revocations, p.grantRevocations, p.client, p.keyRing],
];
