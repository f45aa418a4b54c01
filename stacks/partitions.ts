/** The partitions of the table, as patterns for rights. Pure. */
import { keys } from "#core/database/table/keys.ts";

/** IAM's wildcard for any text in a partition key. */
export const ANY = "*";

/** The patterns of partitions for rights, from the same functions that build the keys. */
export const partitions = {
  tenant: keys.tenant(ANY).PK,
  tenantNames: keys.tenantEntry(ANY).PK,
  tenantId: keys.tenantId(ANY).PK,
  application: keys.application(ANY, ANY).PK,
  applicationNames: keys.applicationEntries(ANY),
  discoverable: keys.discoverable(ANY, ANY).PK,
  /** The index of applications: its ranges with their state, their packs, and changes of late. */
  applicationRanges: keys.applicationColumns(ANY).ranges,
  applicationPacks: keys.applicationColumns(ANY).column(ANY, 0, 0).PK,
  applicationChanges: keys.applicationChanges(ANY),
  inboundKey: keys.inboundKey(ANY, ANY, ANY).PK,
  client: keys.client(ANY).PK,
  clientUses: keys.clientUses(ANY).PK,
  /** Who is assigned to which application, from both sides. */
  assignments: `${keys.assignments(ANY, ANY).PK.slice(0, -"IN#*".length)}${ANY}`,
  template: keys.template(ANY, ANY).PK,
  templateNames: keys.templateEntries(ANY),
  residentApplication: keys.residentApplication(ANY).PK,
  apiResource: keys.apiResource(ANY, ANY).PK,
  apiResourceNames: keys.apiResourceEntries(ANY),
  scope: keys.scope(ANY, ANY).PK,
  oidcScopes: keys.oidcScopes(ANY).PK,
  pairwiseKey: keys.pairwiseKey(ANY).PK,
  user: keys.user(ANY, ANY).PK,
  /** The name index: entries, ranges and leaves. */
  userNames: keys.userNames(ANY, ANY).entries,
  /** The indexes of attributes of users: ranges and what they contain; and which of them are complete. */
  userValues: `${keys.userValues(ANY, ANY, ANY).ranges.slice(0, -"#*#R".length)}`,
  userIndexes: keys.userIndexes(ANY, ANY).PK,
  /** Lookups of users and groups by other attributes than the name. */
  lookup: keys.lookup(ANY, ANY, ANY, ANY).PK,
  group: keys.group(ANY, ANY).PK,
  groupNames: keys.groupNames(ANY, ANY).entries,
  shownNames: keys.shownNames(ANY).PK,
  credential: keys.credential(ANY, ANY).PK,
  lock: keys.lock(ANY, ANY, ANY).PK,
  clientLock: keys.clientLock(ANY, ANY).PK,
  accessToken: keys.accessToken(ANY).PK,
  refreshToken: keys.refreshToken(ANY).PK,
  authorizationCode: keys.authorizationCode(ANY).PK,
  pushedRequest: keys.pushedRequest(ANY).PK,
  frontAnswer: keys.frontAnswer(ANY).PK,
  /** Requests of SAML that were answered; and the keys that sign its assertions. */
  samlRequest: keys.samlRequest(ANY).PK,
  samlKept: keys.samlKept(ANY).PK,
  samlName: keys.samlName(ANY, ANY, ANY).PK,
  logoutChain: keys.logoutChain(ANY).PK,
  samlKeyRing: keys.samlKeyRing(ANY).PK,
  samlSigningKeys: keys.samlSigningKeys(ANY).PK,
  casTicket: keys.casTicket(ANY).PK,
  session: keys.session(ANY, ANY, ANY).PK,
  /** What is left to do for sessions that have ended; and the tenants of which some of it waits. */
  logouts: keys.logouts(ANY),
  waitingLogouts: keys.waitingLogouts(ANY).PK,
  /** The queue of mails; the tenants of which some wait; what limits them; and what their links are for. */
  mails: keys.mails(ANY),
  waitingMails: keys.waitingMails(ANY).PK,
  mailCount: keys.mailCount(ANY, ANY, 0).PK,
  mailLink: keys.mailLink(ANY).PK,
  /** What is known of an address from the mails to it. */
  mailMark: keys.mailMark(ANY, ANY, ANY).PK,
  consent: keys.consent(ANY, ANY, ANY).PK,
  usedProof: keys.usedProof(ANY).PK,
  family: keys.family(ANY, ANY).PK,
  revocation: keys.revocation(ANY, ANY).PK,
  revocations: keys.revocations(ANY),
  grantRevocations: keys.grantRevocations(ANY),
  /** Repeatable requests with their first answers. */
  repeatable: keys.repeatable(ANY, ANY).PK,
  keyRing: keys.keyRing().PK,
  signingKeys: keys.signingKeys().PK,
  idTokenKeyRing: keys.idTokenKeyRing().PK,
  idTokenSigningKeys: keys.idTokenSigningKeys().PK,
  eventKeyRing: keys.eventKeyRing().PK,
  eventSigningKeys: keys.eventSigningKeys().PK,
  /** Change records, in all lanes; the changes of large ones; and what is left of removed resources. */
  changeRecord: `${keys.changeRecords(ANY, 0).slice(0, -1)}${ANY}`,
  changePart: keys.changePart(ANY, ANY, 0).PK,
  removed: keys.removed(ANY, ANY, ANY).PK,
  /** Which changes an actor made. */
  actorBlocks: keys.actorBlocks(ANY, ANY),
  /** Resources that were put aside when they were deleted, and their list. */
  aside: keys.aside(ANY, ANY, ANY).PK,
  asideEntries: keys.asideEntries(ANY, ANY),
  /** Subscribers with their claims; how far the delivery to them is; and the tenants that have some. */
  subscriber: keys.subscriber(ANY, ANY).PK,
  subscriberProgress: keys.subscriberProgress(ANY, ANY).PK,
  subscribedTenants: keys.subscribedTenant(ANY).PK,
  role: keys.role(ANY, ANY).PK,
  roleNames: keys.roleName(ANY, ANY).PK,
} as const;
