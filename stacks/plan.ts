/**
 * The functions: what each is given of memory and time, of settings and of the table. A function that is added to
 * `services` does not compile without a row here. Pure: tests run the functions with these settings and behind these rights.
 */
import type { ServiceName } from "#core/operation/services.ts";
import { keys } from "#core/table/keys.ts";

/** Every function: the endpoint groups, what decides on their requests, and what founds the first tenant. */
export type FunctionName = ServiceName | "authorizer" | "founding";

/** What a function may need beside the table. */
export type Need =
  /** The origin of absolute links and of tokens, where the stage has a name of its own. */
  | "address"
  /** The keys under which secrets are sealed that the API shows again. */
  | "sealing"
  /** The API document, beside the bundle. */
  | "document"
  /** deployment.toml, beside the bundle. */
  | "deployment"
  /** The directories that deployment.toml declares as user stores: their passwords, and the network that they are in. */
  | "directories";

/** The calls on the table that read, and those that write. There is no Scan and no batch of writes. */
export type ReadAction = "GetItem" | "BatchGetItem" | "Query";
export type WriteAction = "PutItem" | "UpdateItem" | "DeleteItem" | "ConditionCheckItem";

/** Some calls, on some partitions. */
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
  readonly writes?: Right<WriteAction>;
}

/** The variables by which a function is told of what it needs. */
const variables: Readonly<Record<Need, readonly string[]>> = {
  address: ["BASE_URL"],
  sealing: ["SEAL_KEY", "FORMER_SEAL_KEYS"],
  document: ["OPENAPI_FILE"],
  deployment: ["DEPLOYMENT_TOML"],
  // Those that deployment.toml names: none where it declares no directory.
  directories: [],
};

/** Stands for any text in a partition key, as IAM writes it. */
const ANY = "*";

/** The partitions that rights are given on, made by the same functions that make the keys. */
export const partitions = {
  tenant: keys.tenant(ANY).PK,
  tenantNames: keys.tenantEntry(ANY).PK,
  tenantId: keys.tenantId(ANY).PK,
  application: keys.application(ANY, ANY).PK,
  applicationNames: keys.applicationEntries(ANY),
  inboundKey: keys.inboundKey(ANY, ANY, ANY).PK,
  client: keys.client(ANY).PK,
  template: keys.template(ANY, ANY).PK,
  templateNames: keys.templateEntries(ANY),
  residentApplication: keys.residentApplication(ANY).PK,
  apiResource: keys.apiResource(ANY, ANY).PK,
  apiResourceNames: keys.apiResourceEntries(ANY),
  scope: keys.scope(ANY, ANY).PK,
  user: keys.user(ANY, ANY).PK,
  /** The entries, and the ranges and leaves beside them. */
  userNames: keys.userNames(ANY, ANY).entries,
  /** What users and groups are found by beside their names. */
  lookup: keys.lookup(ANY, ANY, ANY, ANY).PK,
  group: keys.group(ANY, ANY).PK,
  groupNames: keys.groupNames(ANY, ANY).entries,
  shownNames: keys.shownNames(ANY).PK,
  credential: keys.credential(ANY, ANY).PK,
  lock: keys.lock(ANY, ANY, ANY).PK,
  accessToken: keys.accessToken(ANY).PK,
  refreshToken: keys.refreshToken(ANY).PK,
  family: keys.family(ANY, ANY).PK,
  revocation: keys.revocation(ANY, ANY).PK,
  revocations: keys.revocations(ANY),
  keyRing: keys.keyRing().PK,
  signingKeys: keys.signingKeys().PK,
  role: keys.role(ANY, ANY).PK,
  roleNames: keys.roleName(ANY, ANY).PK,
} as const;

const p = partitions;
/** What applications are found by beside their names. */
const claims = [p.inboundKey, p.client];
const tenants = [p.tenant, p.tenantNames, p.tenantId];
const people = [p.user, p.userNames, p.lookup, p.group, p.groupNames, p.role, p.shownNames];
/** What a new tenant has beside its own items. */
const administrator = [p.role, p.roleNames, p.shownNames, p.user, p.userNames, p.credential];
/** What ends tokens. */
const endings = [p.revocation, p.revocations];

/** What tells who calls and what that one may do, by a password, a certificate or a token. */
const entering = [
  p.tenant,
  p.user,
  p.userNames,
  p.group,
  p.role,
  p.roleNames,
  p.credential,
  p.lock,
  p.accessToken,
  ...endings,
  p.client,
  p.keyRing,
];

const endpoint = { memory: "512 MB", timeout: "29 seconds" } as const;
/** Hashes passwords, which takes processor time; a function gets that by its memory. */
const hashing = { memory: "1024 MB" } as const;

/** The plan of every function. Each right is one that a test uses (`npm run test:bundles`). */
export const plan: Readonly<Record<FunctionName, FunctionPlan>> = {
  authorizer: {
    ...hashing,
    description: "Decides on every request",
    // The gateway waits no longer.
    timeout: "10 seconds",
    needs: ["address", "deployment", "directories"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: entering },
    writes: { calls: ["PutItem", "UpdateItem", "DeleteItem"], on: [p.lock] },
  },
  oauth2: {
    ...endpoint,
    ...hashing,
    description: "Issues tokens, and tells what they are worth",
    needs: ["address", "sealing", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [...entering, p.scope, p.refreshToken, p.family, p.signingKeys],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [p.lock, p.accessToken, p.refreshToken, p.family, ...endings, p.keyRing, p.signingKeys],
    },
  },
  applications: {
    ...endpoint,
    description: "Applications and the APIs they may call",
    needs: ["address", "sealing", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [
        p.application,
        p.applicationNames,
        p.residentApplication,
        p.template,
        p.templateNames,
        p.apiResource,
        p.user,
      ],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
      on: [p.application, p.applicationNames, ...claims, p.residentApplication, p.apiResource, p.revocations],
    },
  },
  "inbound-protocols": {
    ...endpoint,
    description: "The inbound protocols of applications",
    needs: ["address", "sealing", "deployment"],
    reads: { calls: ["GetItem"], on: [p.application] },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
      on: [p.application, p.applicationNames, ...claims, p.revocations],
    },
  },
  "application-templates": {
    ...endpoint,
    description: "Application templates",
    needs: ["address", "deployment"],
    reads: { calls: ["GetItem", "Query"], on: [p.template, p.templateNames] },
    writes: { calls: ["PutItem", "DeleteItem"], on: [p.template, p.templateNames] },
  },
  scim1: {
    ...endpoint,
    ...hashing,
    description: "Users and groups by SCIM 1.1",
    needs: ["address", "deployment", "directories"],
    reads: { calls: ["GetItem", "BatchGetItem", "Query"], on: [p.tenant, ...people] },
    writes: { calls: ["PutItem", "UpdateItem", "DeleteItem"], on: [...people, p.credential, ...endings] },
  },
  scim2: {
    ...endpoint,
    ...hashing,
    description: "Users, groups and roles by SCIM 2.0",
    needs: ["address", "sealing", "deployment", "directories"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [p.tenant, ...people, p.roleNames, p.application, p.scope],
    },
    writes: { calls: ["PutItem", "UpdateItem", "DeleteItem"], on: [...people, p.roleNames, p.credential, ...endings] },
  },
  administration: {
    ...endpoint,
    ...hashing,
    description: "API resources and tenants",
    needs: ["address"],
    reads: {
      calls: ["GetItem", "BatchGetItem", "Query"],
      on: [p.apiResource, p.apiResourceNames, ...tenants, p.user, p.userNames],
    },
    writes: {
      calls: ["PutItem", "UpdateItem", "DeleteItem"],
      on: [p.apiResource, p.apiResourceNames, p.scope, ...tenants, ...administrator, p.lookup, ...endings],
    },
  },
  "application-metadata": {
    ...endpoint,
    description: "What describes the API, and the answer to unknown paths",
    needs: ["address", "document", "deployment"],
  },
  founding: {
    ...hashing,
    description: "Founds the first tenant with its administrator",
    timeout: "29 seconds",
    needs: [],
    reads: { calls: ["GetItem", "Query"], on: [p.tenant, p.userNames] },
    writes: { calls: ["PutItem", "UpdateItem"], on: [...tenants, ...administrator] },
  },
};

/** The component's name of a function: `inbound-protocols` is `InboundProtocols`. */
export function componentName(name: string): string {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** The variables that a function is given beside those of every function. */
export function variablesOf({ needs, reads, writes }: FunctionPlan): readonly string[] {
  return [...(reads || writes ? ["TABLE_NAME"] : []), ...needs.flatMap((need) => variables[need])];
}
