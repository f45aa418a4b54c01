/**
 * The functions: memory, time, settings and rights of each. A function in `services` without a row here does not
 * compile. Those of events, undo and the synthetic check have files of their own. Pure: tests run the functions with
 * these settings and these rights.
 */
import { FRONT, type ServiceName, services } from "#core/kernel/operation/services.ts";
import { canary, canarySetup } from "./canary-plan.ts";
import {
  account,
  accountRecovery,
  applications,
  applicationTemplates,
  changeEvents,
  delivery,
  inboundProtocols,
  mail,
  recovery,
  signals,
  signIn,
  sso,
  webhooks,
} from "./feature-plans.ts";
import { endpoint, type FunctionPlan, hashing, type Need } from "./function-plan.ts";
import {
  administrator,
  applicationRows,
  authentication,
  changeRecords,
  records,
  removals,
  revocations,
  tenants,
  userIndexes,
} from "./partition-groups.ts";
import { partitions as p } from "./partitions.ts";

/** The functions of the synthetic check, which only a stage with the check has (decision 0073). */
export const canaryNames = ["canary", "canary-setup"] as const;
export type CanaryName = (typeof canaryNames)[number];

/** The functions of every stage that follow the changes of the table by its stream (decision 0090). */
export const followerNames = ["change-events", "delivery"] as const;
export type FollowerName = (typeof followerNames)[number];

/** The functions of every stage that a schedule alone calls. */
export const scheduledNames = ["mail"] as const;
type ScheduledName = (typeof scheduledNames)[number];

/** The functions of every stage: the endpoint groups, the page, the authorizer, and the bootstrap. */
export type ServingName = ServiceName | typeof FRONT | "authorizer" | "bootstrap";

/** Every function. */
export type FunctionName = ServingName | CanaryName | FollowerName | ScheduledName;

/** The variables of each need. */
const variables: Readonly<Record<Need, readonly string[]>> = {
  address: ["BASE_URL"],
  origin: ["PUBLIC_URL"],
  mtls: ["MTLS_URL"],
  sealing: ["SEAL_KEY", "FORMER_SEAL_KEYS"],
  cursors: ["CURSOR_KEY"],
  forms: ["FORM_KEY"],
  logouts: ["LOGOUT_KEY"],
  factors: ["FACTOR_KEYS"],
  saml: ["SAML_KEYS"],
  events: ["EVENT_KEY"],
  delivering: ["EVENT_KEYS", "EVENT_SIGNING_KEYS"],
  nonces: ["NONCE_KEY"],
  answers: ["ANSWER_KEYS"],
  front: ["FRONT_DIRECTORY"],
  deployment: ["DEPLOYMENT_TOML"],
  // Those that deployment.toml names; none if it declares no directory.
  directories: [],
  // The password of the mail server that deployment.toml names, or the configuration set of Amazon SES.
  mail: [],
  bus: ["EVENT_BUS"],
  canary: ["CANARY_URL", "CANARY_SECRET", "CANARY_AUTHORITIES_UNTIL"],
};

/** The needs whose variables are secrets. */
const secretNeeds: readonly Need[] = [
  ...([
    "sealing",
    "cursors",
    "forms",
    "logouts",
    "factors",
    "saml",
    "events",
    "delivering",
    "nonces",
    "answers",
    "directories",
    "mail",
    "canary",
  ] as const),
];

/** Whether variables of the function contain secrets. */
export function hasSecrets({ needs }: FunctionPlan): boolean {
  return needs.some((need) => secretNeeds.includes(need));
}

const people = [p.user, p.userNames, p.lookup, p.group, p.groupNames, p.role, p.shownNames];

/** What a new tenant consists of. */
const founded = [...tenants, ...administrator, p.applicationRanges];

/** The plan of every function. A test uses each right (`npm run test:bundles`). */
export const plan: Readonly<Record<FunctionName, FunctionPlan>> = {
  authorizer: {
    ...hashing,
    description: "Authenticates and authorises every request",
    // The gateway's limit.
    timeout: "10 seconds",
    needs: ["address", "nonces", "deployment", "directories"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: authentication },
    writes: { calls: ["PutItem", "UpdateItem"], on: [p.lock] },
    changes: [p.credential],
  },
  oauth2: {
    ...endpoint,
    ...hashing,
    description: "Issues, introspects and revokes tokens",
    needs: ["address", "mtls", "sealing", "nonces", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...authentication,
        // What the grant password must satisfy, and who an address stands for.
        ...[p.application, p.assignments, p.lookup],
        p.clientLock,
        p.clientUses,
        ...[p.oidcScopes, p.pairwiseKey, p.scope],
        p.apiResourceNames,
        p.refreshToken,
        p.family,
        p.signingKeys,
        p.authorizationCode,
        p.frontAnswer,
        p.idTokenKeyRing,
        p.idTokenSigningKeys,
      ],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [
        p.lock,
        p.clientLock,
        p.clientUses,
        p.accessToken,
        p.refreshToken,
        p.usedProof,
        p.family,
        p.revocation,
        p.grantRevocations,
        p.keyRing,
        p.signingKeys,
        p.authorizationCode,
        p.pushedRequest,
        p.frontAnswer,
        p.idTokenKeyRing,
        p.idTokenSigningKeys,
        p.pairwiseKey,
      ],
    },
    changes: [p.credential],
  },
  "sign-in": signIn,
  "account-recovery": accountRecovery,
  sso,
  applications,
  "inbound-protocols": inboundProtocols,
  "application-templates": applicationTemplates,
  scim1: {
    ...endpoint,
    ...hashing,
    description: "Users and groups by SCIM 1.1",
    needs: ["address", "answers", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [p.tenant, ...people, ...userIndexes, p.changeRecord, p.repeatable, p.assignments],
    },
    checks: [p.credential],
    // Whether a user has sessions to end, and consents to remove.
    lists: [p.session, p.consent],
    conditions: [...people, ...revocations, p.aside, p.logouts, p.credential],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [...people, ...userIndexes, p.credential, p.logouts, p.assignments, p.mails, ...revocations, ...removals],
    },
  },
  scim2: {
    ...endpoint,
    ...hashing,
    description: "Users, groups and roles by SCIM 2.0",
    needs: ["address", "cursors", "answers", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      // The names of applications are those of the audiences of roles.
      on: [p.tenant, ...people, ...userIndexes, p.roleNames, p.applicationNames, p.scope, p.assignments, ...records],
    },
    checks: [p.credential],
    // Whether a user has sessions to end, and consents to remove.
    lists: [p.session, p.consent],
    conditions: [...people, ...revocations, p.aside, p.logouts, p.credential],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [
        ...[...people, ...userIndexes, p.roleNames, p.credential, p.logouts, p.assignments, p.mails],
        ...[...revocations, ...removals],
      ],
    },
  },
  audit: {
    ...endpoint,
    description: "Reads the changes of all resources, and explains who may do what",
    needs: ["address", "deployment"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      // The rows of resources say where their histories are.
      on: [
        ...changeRecords,
        p.actorBlocks,
        ...applicationRows,
        p.assignments,
        p.apiResource,
        p.oidcScopes,
        p.user,
        p.group,
        p.role,
        p.tenant,
        p.subscriber,
        // What decides about access, besides.
        ...[p.client, p.roleNames, p.scope, p.apiResourceNames, p.userNames],
      ],
    },
  },
  signals,
  administration: {
    ...endpoint,
    ...hashing,
    description: "API resources, scopes of OpenID Connect, claims, user stores, and tenants",
    needs: ["address", "answers", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...[p.apiResource, p.apiResourceNames, p.scope, p.user, p.userNames, p.role, p.roleNames, p.shownNames],
        ...[p.oidcScopes, p.group, p.lookup, ...userIndexes, ...tenants, ...records],
      ],
    },
    checks: [p.credential],
    // A rehearsal compares a new password of an owner with former ones.
    conditions: [p.credential],
    lists: [p.session],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [
        ...[p.apiResource, p.apiResourceNames, p.scope, p.oidcScopes, p.lookup, ...founded],
        // A new password of an owner ends sessions.
        ...[...userIndexes, p.logouts, p.mails, ...revocations, ...removals],
      ],
    },
  },
  sessions: {
    ...endpoint,
    description: "Sessions and consents of users, and the applications that they can open, by API",
    needs: ["address", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...[p.user, p.session, p.consent, p.application, p.revocation],
        ...[p.discoverable, p.assignments, p.group, p.roleNames],
      ],
    },
    writes: {
      calls: ["PutItem", "DeleteItem"],
      on: [p.session, p.consent, p.logouts, p.revocation, p.grantRevocations],
    },
  },
  account,
  recovery,
  "application-metadata": {
    ...endpoint,
    description: "Metadata of applications, and 404 of unknown paths",
    needs: ["address", "deployment"],
  },
  /** Static files, the same for everyone: it needs no variable with a secret and no right. */
  front: {
    ...endpoint,
    description: "The page at /, its documents, and the API document",
    needs: ["front"],
  },
  bootstrap: {
    ...hashing,
    description: "Creates the first tenant with its administrator",
    timeout: "29 seconds",
    needs: ["deployment"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.tenant, p.userNames, ...userIndexes] },
    writes: {
      calls: ["PutItem", "UpdateItem"],
      on: [...founded, ...userIndexes, p.changeRecord],
    },
  },
  webhooks,
  "change-events": changeEvents,
  delivery,
  mail,
  canary,
  "canary-setup": canarySetup,
};

/** The functions of every stage that are not called by the stream of the table. */
export const servingNames = (Object.keys(plan) as FunctionName[]).filter(
  (name): name is ServingName => !isBackground(name) && !(canaryNames as readonly string[]).includes(name),
);

/** Whether the gateway calls the function: the others have neither versions nor an alias (decision 0071). */
export function isBehindGateway(name: FunctionName): boolean {
  return name === "authorizer" || name === FRONT || Object.hasOwn(services, name);
}

/** Whether no caller waits for the function: the stream of the table or a schedule calls it. */
export function isBackground(name: FunctionName): boolean {
  return isFollower(name) || (scheduledNames as readonly string[]).includes(name);
}

/** Whether the stream of the table calls the function. */
export function isFollower(name: FunctionName): name is FollowerName {
  return (followerNames as readonly string[]).includes(name);
}

/** The component's name of a function: `inbound-protocols` is `InboundProtocols`. */
export function componentName(name: string): string {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** The variables of a function, in addition to those of every function. */
export function variablesOf({ needs, reads, writes }: FunctionPlan): readonly string[] {
  return [...(reads || writes ? ["TABLE_NAME"] : []), ...needs.flatMap((need) => variables[need])];
}
