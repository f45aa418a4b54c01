/**
 * Random small tenants, and random questions about who may do what in them: users, groups, roles of both audiences,
 * applications with clients, authorizations, assignments, APIs of their own. A seed repeats a tenant.
 */

import { apiResourceItems } from "#core/applications/apis/store.ts";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { oidcClient } from "#core/applications/protocols/oidc.ts";
import type { Authorization } from "#core/applications/registry/authorization-model.ts";
import { clientOf } from "#core/applications/registry/client-model.ts";
import { clientItem } from "#core/applications/registry/client-store.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { applicationItems } from "#core/applications/registry/store.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import type { Group } from "#core/directory/groups/model.ts";
import { groupItem } from "#core/directory/groups/rows.ts";
import { assignmentStore } from "#core/directory/memberships/assignments.ts";
import { tallyOf } from "#core/directory/memberships/tally.ts";
import { EVERYONE_ROLE, freshRole, type Role } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { userItem } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { systemApis } from "#core/kernel/domain/system-apis.ts";
import type { Seal } from "#core/kernel/seal.ts";
import { protections } from "#core/service/protection.ts";
import { type Random, randomOf } from "./random.ts";

export const SECRET = "the-secret-of-every-client-of-the-model";
/** Scopes of an API of each tenant. */
export const OWN = ["orders:read", "orders:write"];
const ORIGIN = "https://id.example";

/** Scopes that roles and applications of the model have. */
export const SYSTEM = [
  ...["internal_login", "internal_user_mgt_list", "internal_user_mgt_create", "internal_user_mgt_view"],
  ...["internal_group_mgt_view", "internal_group_mgt_delete", "internal_role_mgt_view", "internal_role_mgt_update"],
  ...["internal_role_mgt_users_update", "internal_role_mgt_groups_update", "internal_bulk_resource_create"],
  ...["internal_application_mgt_view", "internal_application_mgt_update", "internal_audit_view"],
];
const scopesOfModel = [...SYSTEM, ...OWN];
const operationsOfModel = [
  ...[
    "listUsers",
    "createUser",
    "getUser",
    "getGroup",
    "deleteGroup",
    "listRoles",
    "patchRole",
    "replaceRole",
    "getMe",
  ],
  ...["listApplications", "patchApplication", "listAuditEvents", "bulk", "getJwks", "searchUsers", "explainAccess"],
];
const everyOperation = Object.keys(protections);

/** A tenant of the model. */
export interface ModelTenant {
  readonly domain: string;
  readonly users: readonly User[];
  readonly applications: readonly Application[];
  readonly items: readonly Item[];
  /** Which rules of deployment.toml apply. */
  readonly rules: number;
  readonly questions: readonly ModelQuestion[];
}

/** A question as the operation takes it. */
export interface ModelQuestion {
  readonly subject: { readonly type: "user" | "client"; readonly id: string };
  readonly operation?: string;
  readonly scope?: string;
  readonly application?: string;
  readonly token?: { readonly scopes?: string[]; readonly resources?: string[] };
}

const some = <T>(random: Random, from: readonly T[], share: number): T[] => from.filter(() => random.chance(share));

/** Builds a tenant, and writes it into a table. */
export const modelTenant = async (
  seed: number,
  {
    table,
    seal,
    ruleSets,
    questions,
  }: {
    readonly table: Table;
    readonly seal: Seal;
    readonly ruleSets: number;
    readonly questions: number;
  },
): Promise<ModelTenant> => {
  const random = randomOf(seed);
  const domain = `t${seed}.example`;
  const id = (kind: string, at: number) => `${kind}-${seed}-${at}`;
  const upTo = (most: number) => Array.from({ length: random.upTo(most + 1) }, (_, at) => at);
  const api = {
    ...{ id: id("api", 0), identifier: `https://orders.${domain}`, name: "Orders", type: "BUSINESS" as const },
    requiresAuthorization: false,
    scopes: OWN.map((name) => ({ id: `${name}-${seed}`, name, displayName: name })),
  };
  const applications = upTo(3).map((at) => applicationOf(random, id("app", at), seal, domain));
  const audiences = [domain, domain, ...applications.map((one) => one.id), "app-deleted"];
  const roles = upTo(5).map((at): Role => {
    const audience = random.of(audiences);
    return freshRole(id("role", at), `role ${at}`, domain, 1, {
      permissions: some(random, scopesOfModel, 0.25),
      holdsEveryScope: audience === domain && random.chance(0.05),
      ...(audience !== domain && { audience: { type: "application", value: audience } }),
    });
  });
  const everyone = freshRole(id("role", 99), EVERYONE_ROLE, domain, 1, { permissions: some(random, SYSTEM, 0.05) });
  const roleIds = () => some(random, [...roles.map((role) => role.id), "role-deleted"], 0.3);
  const groups = upTo(4).map(
    (at): Group => ({
      ...{ id: id("group", at), displayName: `group ${at}`, userStore: "PRIMARY", createdMs: 1, modifiedMs: 1 },
      ...{ version: 1, roleIds: roleIds(), ...tallyOf([]) },
    }),
  );
  const users = [0, ...upTo(2).map((at) => at + 1)].map((at) =>
    freshUser(id("user", at), `user-${at}`, 1, {
      active: !random.chance(0.05),
      hasPassword: true,
      groupIds: some(random, [...groups.map((group) => group.id), "group-deleted"], 0.4),
      roleIds: roleIds(),
      ...(random.chance(0.1) && { profile: { "urn:scim:wso2:schema": stateOf(random) } }),
    }),
  );
  const withoutRows = random.chance(0.1) ? roles.slice(1) : roles;
  const authorized = new Map(applications.map((one) => [one.id, authorizationsOf(random, api)] as const));
  const items: Item[] = [
    ...users.map((user) => userItem(domain, user)),
    ...groups.map((group) => groupItem(domain, group)),
    ...apiResourceItems(domain, api),
    ...applications.flatMap((one) => rowsOf(one, domain, authorized.get(one.id) ?? [])),
  ];
  const fail = () => new Error("in use");
  const tenant = { id: domain, domain, active: true, createdMs: 0, administrator: "u" };
  await table.write(
    ...tenantStore(table).adding(tenant, fail),
    ...[...withoutRows, ...(random.chance(0.7) ? [everyone] : [])].flatMap((role) =>
      roleStore(table).adding(domain, role, fail),
    ),
    ...items.map((put) => ({ put, when: "any" as const, otherwise: fail })),
  );
  for (const application of applications) {
    const principals = [
      ...users.map((one) => ({ type: "user" as const, id: one.id })),
      ...groups.map((one) => ({ type: "group" as const, id: one.id })),
      ...roles.map((one) => ({ type: "role" as const, id: one.id })),
    ];
    const adding = some(random, principals, 0.2);
    const change = async () => ({ adding, removing: [], steps: [] });
    await assignmentStore(table).update(domain, application.id, { taken: fail, full: fail }, change);
  }
  return {
    ...{ domain, users, applications, items, rules: random.upTo(ruleSets) },
    questions: Array.from({ length: questions }, () => questionOf(random, users, applications, domain)),
  };
};

const stateOf = (random: Random) => ({ [random.of(["accountLocked", "accountDisabled", "forcePasswordReset"])]: true });

/** A sequence that asks for a one-time code after the password. */
const withCodes = (sequence: Application["authenticationSequence"]): Application["authenticationSequence"] => ({
  ...sequence,
  type: "USER_DEFINED",
  steps: ["BasicAuthenticator", "totp"].map((authenticator, at) => ({
    id: at + 1,
    options: [{ idp: "LOCAL", authenticator }],
  })),
});

const applicationOf = (random: Random, id: string, seal: Seal, domain: string): Application => {
  const body = {
    grantTypes: random.of([["password"], ["client_credentials"], ["password", "client_credentials"]]),
    publicClient: random.chance(0.1),
    clientId: `client-${id}`,
    clientSecret: SECRET,
  };
  const oidc = oidcClient(
    body,
    undefined,
    { seal, clock: systemClock, limits: defaultClientLimits },
    `${domain}/${id}`,
  );
  const fresh = freshApplication(id, `name of ${id}`, "", false);
  return {
    ...fresh,
    applicationEnabled: !random.chance(0.07),
    ...(random.chance(0.2) && {
      associatedRoles: {
        allowedAudience: random.of(["APPLICATION" as const, "ORGANIZATION" as const]),
        roles: random.chance(0.5) ? [] : [{ id: `role-${id.split("-")[1]}-0` }],
      },
    }),
    ...(random.chance(0.06) && { authenticationSequence: withCodes(fresh.authenticationSequence) }),
    advancedConfigurations: { enableAuthorization: random.chance(0.4) },
    inbound: random.chance(0.93) ? { oidc: { ...oidc, state: random.chance(0.05) ? "REVOKED" : "ACTIVE" } } : {},
  };
};

const authorizationsOf = (random: Random, own: (typeof systemApis)[number]): readonly Authorization[] =>
  [own, ...systemApis].flatMap((api): readonly Authorization[] => {
    const scopeIds = some(
      random,
      api.scopes.filter(({ name }) => scopesOfModel.includes(name)),
      0.6,
    ).map((scope) => scope.id);
    if (scopeIds.length === 0) return [];
    return [{ apiId: api.id, policy: random.chance(0.2) ? "NO POLICY" : "RBAC", scopeIds }];
  });

const rowsOf = (application: Application, tenant: string, apis: readonly Authorization[]): Item[] => {
  const client = clientOf(application);
  const rows = applicationItems(tenant, application);
  if (!client) return rows;
  const item = clientItem(`client-${application.id}`, { tenant, applicationId: application.id }, client, apis);
  return [...rows.filter(({ PK, SK }) => PK !== item.PK || SK !== item.SK), { ...item, tokensFromMs: 0 }];
};

const questionOf = (
  random: Random,
  users: readonly User[],
  applications: readonly Application[],
  domain: string,
): ModelQuestion => {
  const application = applications.length > 0 && random.chance(0.75) ? random.of(applications) : undefined;
  const isOfClient = application?.inbound.oidc !== undefined && random.chance(0.25);
  const pool = random.chance(0.3) ? everyOperation : operationsOfModel;
  const resources = [`${ORIGIN}/scim2`, `${ORIGIN}/api/server/v1`, ORIGIN, `https://orders.${domain}`];
  const token = {
    ...(random.chance(0.3) && { scopes: some(random, scopesOfModel, 0.5) }),
    ...(random.chance(0.3) && { resources: [random.of(resources)] }),
  };
  return {
    subject: isOfClient
      ? { type: "client", id: `client-${application.id}` }
      : { type: "user", id: random.of(users).id },
    ...(random.chance(0.7) ? { operation: random.of(pool) } : { scope: random.of(scopesOfModel) }),
    ...(application && { application: application.id }),
    ...(application && Object.keys(token).length > 0 && { token }),
  };
};
