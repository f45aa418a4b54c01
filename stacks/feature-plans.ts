/** The functions of applications, events, recovery and sign-in: their settings and what they may do. */
import { endpoint, type FunctionPlan, hashing } from "./function-plan.ts";
import {
  applicationIndex,
  applicationIndexReads,
  applicationRows,
  authentication,
  changeRecords,
  records,
  recordsOfChanges,
  removals,
  revocations,
  userIndexes,
} from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

/** Claims of keys of applications other than the name. Their writes have conditions, which a rehearsal reads. */
const conditionalClaims = [p.inboundKey, p.client];
/** The same with what is removed with a client. */
/** Rows that change with an application. */
const claims = [...conditionalClaims, p.clientUses, p.discoverable];

export const applications: FunctionPlan = {
  ...endpoint,
  description: "Applications, their authorized APIs, and who may use them",
  needs: ["address", "sealing", "answers", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[...applicationRows, p.applicationNames, ...applicationIndex, p.templateNames, p.apiResource],
      ...[p.user, p.group, p.groupNames, p.role, p.roleNames, p.shownNames],
      ...[...conditionalClaims, ...records, p.assignments],
    ],
  },
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [
      ...[p.application, p.applicationNames, ...applicationIndex, p.residentApplication, p.apiResource],
      ...[p.assignments, p.revocation, p.grantRevocations],
      // The name of an application is shown with roles.
      ...[p.shownNames, p.revocations, ...claims, ...removals],
    ],
  },
};

export const inboundProtocols: FunctionPlan = {
  ...endpoint,
  description: "The inbound protocols of applications",
  needs: ["address", "sealing", "answers", "deployment"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.application, p.applicationNames, ...applicationIndexReads, ...conditionalClaims, p.clientUses],
      ...records,
    ],
  },
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [...[p.application, p.applicationNames, ...applicationIndex, ...claims, p.revocations], ...recordsOfChanges],
  },
};

export const applicationTemplates: FunctionPlan = {
  ...endpoint,
  description: "Application templates",
  needs: ["address", "answers", "deployment"],
  reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.template, p.templateNames, ...records] },
  writes: { calls: ["PutItem", "DeleteItem"], on: [p.template, p.templateNames, ...removals] },
};

/** The longest texts of a webhook, as they were and as they are, fit into the row of a record. */
const shortRecords = [p.changeRecord, p.removed, p.repeatable];

export const webhooks: FunctionPlan = {
  ...endpoint,
  description: "Webhooks: receivers of events about changes",
  needs: ["address", "events", "answers", "deployment"],
  // Single rows are read by rehearsals, whose writes have conditions, and of first answers.
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [p.subscriber, p.subscriberProgress, ...shortRecords],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [p.subscriber, p.subscriberProgress, p.subscribedTenants, ...shortRecords],
  },
};

export const signals: FunctionPlan = {
  ...endpoint,
  description: "Streams of security events, and their delivery to receivers that poll",
  needs: ["address", "delivering", "answers", "deployment"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      p.tenant,
      p.subscriber,
      p.subscriberProgress,
      p.eventKeyRing,
      p.eventSigningKeys,
      // Resources as they were after a change, for events with data.
      ...records,
      p.user,
      p.group,
      p.role,
    ],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [...[p.subscriber, p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys], ...records],
  },
};

export const changeEvents: FunctionPlan = {
  description: "Puts changes on the event bus",
  memory: "512 MB",
  timeout: "120 seconds",
  needs: ["bus", "deployment"],
  reads: { calls: ["BatchGetItem", "Query"], on: [p.changeRecord, p.changePart, p.tenantNames, p.actorBlocks] },
  writes: { calls: ["PutItem"], on: [p.actorBlocks] },
};

export const delivery: FunctionPlan = {
  description: "Delivers changes to webhooks and streams, and tells clients that sessions have ended",
  memory: "512 MB",
  timeout: "60 seconds",
  needs: ["origin", "delivering", "logouts"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      p.subscriber,
      p.subscriberProgress,
      p.subscribedTenants,
      ...changeRecords,
      p.tenant,
      // What the owners of streams may do, and resources as they were after a change.
      p.client,
      p.user,
      p.group,
      p.role,
      p.roleNames,
      p.eventKeyRing,
      p.eventSigningKeys,
      // Sessions that have ended, and where their clients are told.
      p.logouts,
      p.waitingLogouts,
      // Which tenants have new mails.
      p.waitingMails,
      p.tenantNames,
      p.session,
      p.consent,
      p.application,
      p.revocation,
    ],
  },
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [
      ...[p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys],
      ...[p.logouts, p.waitingLogouts, p.waitingMails, p.session, p.consent],
    ],
  },
};

const people = [p.user, p.userNames, p.lookup, p.group, p.groupNames, p.role, p.roleNames, p.shownNames];
/** Applications, templates and API resources with their names and other claims. */
const others = [
  ...[p.application, p.applicationNames, p.inboundKey, p.client, p.template, p.templateNames],
  ...[p.apiResource, p.apiResourceNames, p.scope],
];

export const recovery: FunctionPlan = {
  ...endpoint,
  description: "Deleted resources: restores them, or removes them for good",
  needs: ["address", "answers", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.aside, p.asideEntries, p.removed, p.repeatable, p.tenant],
      ...[...people, ...userIndexes, ...others, ...applicationIndexReads, p.assignments],
    ],
  },
  // Passwords are kept, restored and removed without being read.
  checks: [p.credential, p.changeRecord],
  // Of memberships: whether a member, or the deleted owner, is still as it was.
  conditions: [p.user, p.group, p.role, p.shownNames, ...revocations, p.aside],
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [
      ...[...people, ...userIndexes, ...others, ...applicationIndex, ...revocations, p.credential, p.assignments],
      ...[...recordsOfChanges, p.discoverable, p.aside, p.asideEntries],
    ],
  },
};

export const accountRecovery: FunctionPlan = {
  ...endpoint,
  ...hashing,
  description: "Forgotten passwords and user names, and registration: pages and API",
  needs: ["address", "forms", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [p.tenant, p.user, p.userNames, p.lookup, ...userIndexes, p.revocation, p.mailLink, p.mailMark],
  },
  // They are written without being read.
  checks: [p.credential, p.changeRecord],
  // Whether a user has sessions to end.
  lists: [p.session],
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [
      ...[p.user, p.userNames, p.lookup, ...userIndexes, p.credential, p.changeRecord, p.logouts, ...revocations],
      ...[p.mailLink, p.mailMark, p.mails, p.mailCount],
    ],
  },
};

export const mail: FunctionPlan = {
  description: "Sends mails",
  memory: "512 MB",
  timeout: "60 seconds",
  needs: ["origin", "deployment", "mail"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.tenant, p.tenantNames, p.user, p.userNames, p.lookup, p.revocation],
      ...[p.mails, p.waitingMails, p.mailMark],
    ],
  },
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [p.mails, p.waitingMails, p.mailCount, p.mailLink, p.mailMark],
  },
};

export const signIn: FunctionPlan = {
  ...endpoint,
  ...hashing,
  description: "Signs people in: authorization endpoint, pages, sessions, claims",
  needs: ["address", "forms", "factors", "nonces", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[...authentication, ...userIndexes, p.application, p.oidcScopes, p.session, p.consent, p.pushedRequest],
      // Who has access, and who an address stands for.
      ...[p.assignments, p.lookup],
      // What the mail of a sign-in is for.
      p.mailLink,
      ...[p.pairwiseKey, p.idTokenKeyRing],
    ],
  },
  // A person sets up one-time codes, or must choose another password: both change the user.
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    on: [
      ...[p.lock, p.session, p.consent, p.authorizationCode, p.pushedRequest, p.frontAnswer],
      ...[p.logouts, ...revocations, p.grantRevocations, p.logoutChain],
      // The session notes the subject of its first client, which may be the first pairwise one of the tenant.
      p.pairwiseKey,
      // The first change of a user of a directory creates its record, with its name.
      ...[p.user, p.userNames, ...userIndexes, p.credential, p.changeRecord],
      ...[p.mails, p.mailCount, p.mailLink],
    ],
  },
};

/** It reads no password, and signs no token. */
export const sso: FunctionPlan = {
  ...endpoint,
  description: "Single sign-on by SAML 2.0 and CAS: reads requests, signs assertions, issues tickets",
  needs: ["address", "forms", "saml", "logouts", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.tenant, p.user, p.group, p.role, p.roleNames, p.revocation, p.application, p.inboundKey],
      ...[p.session, p.pairwiseKey, p.samlKeyRing, p.samlSigningKeys, p.casTicket],
      // Whether the sign-in would still end like this.
      ...[p.consent, p.assignments],
      // Whose session a logout request means, and where the browser goes then.
      ...[p.samlName, p.logoutChain],
      // What a service provider fetches after a sign-in.
      p.samlKept,
    ],
  },
  conditions: [p.session, p.samlRequest, p.samlName, p.casTicket, p.samlKept],
  writes: {
    calls: ["PutItem", "DeleteItem"],
    on: [
      ...[p.samlRequest, p.session, p.pairwiseKey, p.samlKeyRing, p.samlSigningKeys, p.samlName, p.logoutChain],
      ...[p.casTicket, p.samlKept],
      // What the end of a session ends.
      ...[p.logouts, ...revocations, p.grantRevocations],
    ],
  },
};

/** It changes and deletes the user of a session, as SCIM does, and reads no row of credentials. */
export const account: FunctionPlan = {
  ...endpoint,
  description: "The pages of the own account",
  needs: ["address", "deployment", "directories"],
  reads: {
    calls: ["GetItem", "BatchGetItem", "Query"],
    on: [
      ...[p.tenant, p.user, p.userNames, p.group, p.role, p.session, p.consent, p.application, p.oidcScopes],
      ...[...userIndexes, p.revocation, ...changeRecords, p.assignments, p.discoverable, p.roleNames],
    ],
  },
  conditions: [p.user, p.group, p.role, ...revocations, p.aside, p.logouts],
  writes: {
    calls: ["PutItem", "UpdateItem", "DeleteItem"],
    on: [
      ...[p.user, p.userNames, p.lookup, p.group, p.role, p.shownNames, ...userIndexes, p.credential],
      ...[p.assignments, p.session, p.consent, p.logouts, ...revocations, p.grantRevocations],
      ...[p.changeRecord, p.changePart, p.removed, p.aside, p.asideEntries, p.mails],
    ],
  },
};
