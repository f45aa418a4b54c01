/**
 * The functions: memory, time, settings and rights of each. A function in `services` without a row here does not
 * compile. Pure: tests run the functions with these settings and these rights.
 */
import { CANARY_CLIENT } from "#core/canary/model.ts";
import { CANARY_TENANT, SUPER_TENANT } from "#core/domain/tenant.ts";
import { type ServiceName, services } from "#core/operation/services.ts";
import { keys } from "#core/table/keys.ts";
import { ANY, partitions } from "./partitions.ts";

/** The functions of the synthetic check, which only a stage with the check has (decision 0073). */
export const canaryNames = ["canary", "canary-setup"] as const;
export type CanaryName = (typeof canaryNames)[number];

/** The functions of every stage that follow the changes of the table by its stream (decision 0090). */
export const followerNames = ["change-events", "delivery"] as const;
export type FollowerName = (typeof followerNames)[number];

/** The functions of every stage: the endpoint groups, the authorizer, and the bootstrap of the first tenant. */
export type ServingName = ServiceName | "authorizer" | "bootstrap";

/** Every function. */
export type FunctionName = ServingName | CanaryName | FollowerName;

/** What a function may need besides the table. */
export type Need =
  /** The origin of absolute links and of tokens, if the stage has a domain. */
  | "address"
  /** The public address of the stage, its own or that of the gateway, for functions that no request reaches. */
  | "origin"
  /** The origin of the name with client certificates, if the stage has one. */
  | "mtls"
  /** The keys that seal secrets which the API returns. */
  | "sealing"
  /** The key that seals cursors: derived, it opens no secret. */
  | "cursors"
  /** The key that seals secrets for receivers of events: derived, it opens no other secret. */
  | "events"
  /** The key of the nonces of DPoP proofs: derived, it opens no secret. */
  | "nonces"
  /** The API document, next to the bundle. */
  | "document"
  /** deployment.toml, next to the bundle. */
  | "deployment"
  /** The directories that deployment.toml declares as user stores: their passwords and their network. */
  | "directories"
  /** The bus on which it puts events. */
  | "bus"
  /** What the synthetic check knows as a client: the public address and its secret; and when authorities expire. */
  | "canary";

/** The calls that read the table, and those that write it. There is no Scan and no BatchWriteItem. */
export type ReadAction = "GetItem" | "BatchGetItem" | "Query";
export type WriteAction = "PutItem" | "UpdateItem" | "DeleteItem" | "ConditionCheckItem";

/** Calls that are allowed on partitions. */
export interface Right<Action> {
  readonly calls: readonly Action[];
  readonly on: readonly string[];
}

/** One function. */
export interface FunctionPlan {
  readonly description: string;
  readonly memory: `${number} MB`;
  readonly timeout: `${number} seconds`;
  readonly needs: readonly Need[];
  readonly reads?: Right<ReadAction>;
  /** Partitions of which it may read keys alone (`GetItem`), to see whether an item exists. */
  readonly checks?: readonly string[];
  readonly writes?: Right<WriteAction>;
  /**
   * All partitions of transactions that have a condition on an item without writing it. They are fewer than those of
   * `writes`: a condition can find out what an item contains.
   */
  readonly conditions?: readonly string[];
}

/** The variables of each need. */
const variables: Readonly<Record<Need, readonly string[]>> = {
  address: ["BASE_URL"],
  origin: ["PUBLIC_URL"],
  mtls: ["MTLS_URL"],
  sealing: ["SEAL_KEY", "FORMER_SEAL_KEYS"],
  cursors: ["CURSOR_KEY"],
  events: ["EVENT_KEY"],
  nonces: ["NONCE_KEY"],
  document: ["OPENAPI_FILE"],
  deployment: ["DEPLOYMENT_TOML"],
  // Those that deployment.toml names; none if it declares no directory.
  directories: [],
  bus: ["EVENT_BUS"],
  canary: ["CANARY_URL", "CANARY_SECRET", "CANARY_AUTHORITIES_UNTIL"],
};

/** The needs whose variables are secrets. */
const secretNeeds: readonly Need[] = ["sealing", "cursors", "events", "nonces", "directories", "canary"];

/** Whether variables of the function contain secrets. */
export function hasSecrets({ needs }: FunctionPlan): boolean {
  return needs.some((need) => secretNeeds.includes(need));
}

const p = partitions;
/** Claims of keys of applications other than the name. Their writes have conditions, which a rehearsal reads. */
const conditionalClaims = [p.inboundKey, p.client];
/** The same with what is removed with a client. */
const claims = [...conditionalClaims, p.clientUses];
const tenants = [p.tenant, p.tenantNames, p.tenantId];
const people = [p.user, p.userNames, p.lookup, p.group, p.groupNames, p.role, p.shownNames];
/** Roles and first administrator of a new tenant. */
const administrator = [p.role, p.roleNames, p.shownNames, p.user, p.userNames, p.credential];
/** The application of the synthetic check with its client. */
const canaryApplication = [
  ...inTenant(CANARY_TENANT, [p.application, p.applicationNames, p.revocations]),
  keys.client(`${CANARY_CLIENT}${ANY}`).PK,
];
/** The days of the last use of its secret, which go with a former client. */
const CANARY_USES = keys.clientUses(`${CANARY_CLIENT}${ANY}`).PK;
/** Revocations of tokens. */
const revocations = [p.revocation, p.revocations];

/** What a rehearsal reads the keys of: rows whose writes depend on whether they exist (decision 0087). */
const writtenByKey = [p.credential, p.changeRecord];

/** The records of changes, which are written with the changes (decision 0082) and read by histories (0083). */
const records = [p.changeRecord, p.changePart, p.removed];

const applicationRows = [p.application, p.template, p.residentApplication];

/** What authentication and authorization read: by a password, a certificate or a token. */
const authentication = [
  ...[p.tenant, p.user, p.userNames, p.group, p.role, p.roleNames, p.credential, p.lock],
  ...[p.accessToken, ...revocations, p.grantRevocations, p.client, p.keyRing],
];

const endpoint = { memory: "512 MB", timeout: "29 seconds" } as const;
/** For functions that hash passwords: Lambda assigns processor time by memory. */
const hashing = { memory: "1024 MB" } as const;

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
        p.clientLock,
        p.clientUses,
        p.scope,
        p.apiResourceNames,
        p.refreshToken,
        p.family,
        p.signingKeys,
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
      ],
    },
  },
  applications: {
    ...endpoint,
    description: "Applications and their authorized APIs",
    needs: ["address", "sealing", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...applicationRows,
        ...[p.applicationNames, p.templateNames, p.apiResource, p.user, p.role, p.roleNames],
        ...conditionalClaims,
        ...records,
      ],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
      on: [
        ...[p.application, p.applicationNames, p.residentApplication, p.apiResource, p.revocations],
        ...claims,
        ...records,
      ],
    },
  },
  "inbound-protocols": {
    ...endpoint,
    description: "The inbound protocols of applications",
    needs: ["address", "sealing", "deployment"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [p.application, p.applicationNames, ...conditionalClaims, p.clientUses, ...records],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
      on: [p.application, p.applicationNames, ...claims, p.revocations, ...records],
    },
  },
  "application-templates": {
    ...endpoint,
    description: "Application templates",
    needs: ["address", "deployment"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.template, p.templateNames, ...records] },
    writes: { calls: ["PutItem", "DeleteItem"], on: [p.template, p.templateNames, ...records] },
  },
  scim1: {
    ...endpoint,
    ...hashing,
    description: "Users and groups by SCIM 1.1",
    needs: ["address", "deployment", "directories"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.tenant, ...people] },
    checks: writtenByKey,
    conditions: [...people, ...revocations],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [...people, p.credential, ...revocations, ...records],
    },
  },
  scim2: {
    ...endpoint,
    ...hashing,
    description: "Users, groups and roles by SCIM 2.0",
    needs: ["address", "cursors", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [p.tenant, ...people, p.roleNames, p.scope, ...records],
    },
    checks: [p.application, p.credential],
    conditions: [...people, ...revocations],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [...people, p.roleNames, p.credential, ...revocations, ...records],
    },
  },
  audit: {
    ...endpoint,
    description: "Reads the changes of all resources",
    needs: ["address"],
    reads: {
      calls: ["BatchGetItem", "Query"],
      // The rows of resources say where their histories are.
      on: [...records, ...applicationRows, p.apiResource, p.user, p.group, p.role, p.tenant],
    },
  },
  signals: {
    ...endpoint,
    description: "Streams of security events, and their delivery to receivers that poll",
    needs: ["address", "sealing", "deployment"],
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
      on: [p.subscriber, p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys],
    },
  },
  administration: {
    ...endpoint,
    ...hashing,
    description: "API resources and tenants",
    needs: ["address", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...[p.apiResource, p.apiResourceNames, p.scope, p.user, p.userNames, p.role, p.roleNames, p.shownNames],
        ...[p.lookup, ...tenants, ...records],
      ],
    },
    checks: [p.credential],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [
        ...[p.apiResource, p.apiResourceNames, p.scope, p.lookup, ...tenants, ...administrator],
        ...[...revocations, ...records],
      ],
    },
  },
  "application-metadata": {
    ...endpoint,
    description: "API document, metadata, and 404 of unknown paths",
    needs: ["address", "document", "deployment"],
  },
  bootstrap: {
    ...hashing,
    description: "Creates the first tenant with its administrator",
    timeout: "29 seconds",
    needs: [],
    reads: { calls: ["GetItem", "Query"], on: [p.tenant, p.userNames] },
    writes: { calls: ["PutItem", "UpdateItem"], on: [...tenants, ...administrator] },
  },
  webhooks: {
    ...endpoint,
    description: "Webhooks: receivers of events about changes",
    needs: ["address", "events", "deployment"],
    reads: { calls: ["BatchGetItem", "Query"], on: [p.subscriber, p.subscriberProgress] },
    writes: {
      calls: ["PutItem", "DeleteItem"],
      on: [p.subscriber, p.subscriberProgress, p.subscribedTenants],
    },
  },
  "change-events": {
    description: "Puts changes on the event bus",
    memory: "512 MB",
    timeout: "120 seconds",
    needs: ["bus"],
    reads: { calls: ["BatchGetItem", "Query"], on: [p.changeRecord, p.changePart, p.tenantNames] },
  },
  delivery: {
    description: "Delivers changes to webhooks and streams",
    memory: "512 MB",
    timeout: "60 seconds",
    needs: ["origin", "sealing"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        p.subscriber,
        p.subscriberProgress,
        p.subscribedTenants,
        ...records,
        p.tenant,
        // What the owners of streams may do, and resources as they were after a change.
        p.client,
        p.user,
        p.group,
        p.role,
        p.roleNames,
        p.eventKeyRing,
        p.eventSigningKeys,
      ],
    },
    writes: {
      calls: ["PutItem", "DeleteItem"],
      on: [p.subscriberProgress, p.subscribedTenants, p.eventKeyRing, p.eventSigningKeys],
    },
  },
  canary: {
    description: "Checks the stage through its public name, once a minute",
    memory: "256 MB",
    timeout: "30 seconds",
    needs: ["canary"],
  },
  "canary-setup": {
    ...hashing,
    description: "Creates the tenant, the user and the client of the synthetic check",
    timeout: "29 seconds",
    needs: ["sealing"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        ...inTenant(CANARY_TENANT, [p.tenant, p.userNames, p.user, p.application]),
        // Whether a new tenant would capture user names (decision 0062).
        ...inTenant(SUPER_TENANT, [p.userNames]),
      ],
    },
    conditions: [...canaryApplication],
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [
        p.tenantNames,
        p.tenantId,
        ...inTenant(CANARY_TENANT, [p.tenant, ...administrator]),
        ...canaryApplication,
        CANARY_USES,
      ],
    },
  },
};

/** The functions of every stage that are not called by the stream of the table. */
export const servingNames = (Object.keys(plan) as FunctionName[]).filter(
  (name): name is ServingName => !isFollower(name) && !(canaryNames as readonly string[]).includes(name),
);

/** Whether the gateway calls the function: the others have neither versions nor an alias (decision 0071). */
export function isBehindGateway(name: FunctionName): boolean {
  return name === "authorizer" || Object.hasOwn(services, name);
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

/** Patterns of partitions of one tenant, from those of all tenants. */
function inTenant(domain: string, patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => pattern.replace(/^T#\*#/, `T#${domain}#`));
}

/** The variables of a function, in addition to those of every function. */
export function variablesOf({ needs, reads, writes }: FunctionPlan): readonly string[] {
  return [...(reads || writes ? ["TABLE_NAME"] : []), ...needs.flatMap((need) => variables[need])];
}
