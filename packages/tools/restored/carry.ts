/**
 * Carries over into the restored table what protects in the old one. Each change is made by the store of its resource,
 * so that lists, counts and revocations follow; a repeated change changes nothing.
 */
import { secretsOf, withSecrets } from "#core/applications/protocols/client-secrets.ts";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import { applicationKind } from "#core/applications/registry/application-rows.ts";
import type { Authorization } from "#core/applications/registry/authorization-model.ts";
import { AUTHORIZE_ANY } from "#core/applications/registry/authorization-rules.ts";
import { authorizedApiStore } from "#core/applications/registry/authorization-store.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import type { Item, Step, Table } from "#core/database/table/table.ts";
import { asideOf } from "#core/database/trash/aside-rows.ts";
import { asideStore } from "#core/database/trash/aside-store.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import type { AssigneeKind } from "#core/directory/memberships/assignees.ts";
import { toRole } from "#core/directory/roles/rows.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import type { User } from "#core/directory/users/model.ts";
import { toUser } from "#core/directory/users/rows.ts";
import { userStore } from "#core/directory/users/store.ts";
import { Fault } from "#core/kernel/faults.ts";
import { changingTenant, revokingUser } from "#core/tokens/revocation-store.ts";
import { type Finding, type Kind, lostScopeIds, type Pair } from "./findings.ts";

/** The status flags that administrators set in a profile. */
const SYSTEM_SCHEMA = "urn:scim:wso2:schema";
const CALLER: ReadonlySet<string> = new Set([AUTHORIZE_ANY]);

/** What a change is made with. */
interface Carrying {
  readonly table: Table;
  readonly nowMs: number;
}

type Carry = (finding: Finding, pair: Pair, carrying: Carrying) => Promise<unknown> | undefined;

/** Changes the restored table. What a person or an earlier run has removed meanwhile stays as it is. */
export async function carryOver(finding: Finding, pair: Pair, carrying: Carrying): Promise<void> {
  try {
    await carriers[finding.kind]?.(finding, pair, carrying);
  } catch (error) {
    if (!(error instanceof Fault) || !/not_found$/.test(error.fault)) throw error;
  }
}

const carriers: { readonly [K in Kind]?: Carry } = {
  "tenants-deactivated": ({ place }, _, { table }) =>
    tenantStore(table).setActive(place.tenant, false, {
      absent: () => new Error(`the tenant ${place.tenant} is gone`),
      telling: () => [changingTenant(place.tenant)],
    }),
  "users-deleted": (finding, _, carrying) => changeUser(finding, carrying, (user) => ({ ...user, active: false })),
  "users-blocked": (finding, { old }, carrying) =>
    changeUser(finding, carrying, (user) => (old ? withStatusOf(toUser(old), user) : user)),
  passwords: ({ place }, { restored, old }, { table }) =>
    old && table.write(putting(expiringAs(restored, old)), ...revokingUser(place.tenant, place.id)),
  locks: (_, { old }, { table }) => old && table.write(putting(old)),
  "deleted-resources": ({ place }, { restored }, { table }) => asideStore(table).purge(place.tenant, asideOf(restored)),
  memberships: ({ place: { tenant, id, member } }, _, { table, nowMs }) =>
    groupStore(table).update(tenant, id, nowMs, {
      prepare: async () => (await groupStore(table).membersAmong(tenant, id, [member])).has(member),
      change: async (after, isMember) => (isMember ? { after, adding: [], removing: [member] } : undefined),
    }),
  "groups-deleted": ({ place: { tenant, id } }, _, { table }) => groupStore(table).remove(tenant, id, () => undefined),
  assignments({ place: { tenant, id, member, kind } }, _, { table, nowMs }) {
    const roles = roleStore(table);
    const of: AssigneeKind = kind === "role of user" ? "user" : "group";
    const assignee = { kind: of, id: member };
    return roles.update(tenant, id, nowMs, async (after) => {
      const has = (await roles.assigneesAmong(tenant, id, [assignee])).has(assignee);
      return has ? { after, adding: [], removing: [assignee] } : undefined;
    });
  },
  "roles-deleted": ({ place: { tenant, id } }, _, { table }) => roleStore(table).remove(tenant, id, () => undefined),
  permissions({ place: { tenant, id } }, { old }, { table, nowMs }) {
    if (!old) return undefined;
    const now = toRole(old);
    return roleStore(table).update(tenant, id, nowMs, async (before) => {
      const own = before.holdsEveryScope ? now.permissions : before.permissions;
      const permissions = now.holdsEveryScope ? own : own.filter((name) => now.permissions.includes(name));
      const after = { ...before, permissions, holdsEveryScope: before.holdsEveryScope && now.holdsEveryScope };
      return { after, adding: [], removing: [] };
    });
  },
  "applications-deleted": (finding, _, carrying) => changeApplication(finding, carrying, disabled),
  "applications-disabled": (finding, _, carrying) => changeApplication(finding, carrying, disabled),
  "clients-ended": (finding, _, carrying) =>
    changeApplication(finding, carrying, (before) => withClient(before, (client) => ({ ...client, state: "REVOKED" }))),
  secrets(finding, { old }, carrying) {
    const now = old && applicationKind.item.read(old).value.inbound.oidc;
    if (!now) return undefined;
    return changeApplication(finding, carrying, (before) =>
      withClient(before, (client) => withSecrets(client, secretsOf(now))),
    );
  },
  "client-keys"(finding, { old }, carrying) {
    const now = old && applicationKind.item.read(old).value;
    return now && changeApplication(finding, carrying, (before) => withProofsOf(now, before));
  },
  authorizations({ place: { tenant, id } }, { restored, old }, { table }) {
    const lost = new Set(lostScopeIds(restored, old));
    const kept = (apis: readonly Authorization[]) =>
      apis
        .filter(({ apiId }) => !lost.has(apiId))
        .map((api) => ({ ...api, scopeIds: api.scopeIds.filter((scope) => !lost.has(`${api.apiId} ${scope}`)) }));
    // All tokens have ended, so that none with a lost scope is left.
    return authorizedApiStore(table).update(tenant, id, async (before) => ({ after: kept(before), holding: [] }));
  },
};

function changeUser(
  { place: { tenant, id } }: Finding,
  { table, nowMs }: Carrying,
  change: (user: User) => User,
): Promise<unknown> {
  return userStore(table).update(tenant, id, (before) => ({
    after: { ...change(before), version: before.version + 1, modifiedMs: nowMs },
  }));
}

function withStatusOf(old: User, user: User): User {
  const [status, own] = [old.profile[SYSTEM_SCHEMA], user.profile[SYSTEM_SCHEMA]];
  const flags = Object.fromEntries(
    ["accountLocked", "accountDisabled"].flatMap((flag) =>
      isMap(status) && status[flag] === true ? [[flag, true]] : [],
    ),
  );
  const profile =
    Object.keys(flags).length > 0
      ? { ...user.profile, [SYSTEM_SCHEMA]: { ...(isMap(own) ? own : {}), ...flags } }
      : user.profile;
  return { ...user, active: user.active && old.active, profile };
}

function isMap(value: unknown): value is Readonly<Record<string, never>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function changeApplication(
  { place: { tenant, id } }: Finding,
  { table }: Carrying,
  change: (before: Application) => Application,
): Promise<void> {
  return applicationStore(table).update(tenant, id, CALLER, change);
}

function disabled(before: Application): Application {
  return { ...before, applicationEnabled: false };
}

function withClient(before: Application, change: (client: OidcClient) => OidcClient): Application {
  const { oidc } = before.inbound;
  return oidc ? { ...before, inbound: { ...before.inbound, oidc: change(oidc) } } : before;
}

/** The application with the method, the key and the binding of another state of it. */
function withProofsOf(now: Application, before: Application): Application {
  const { clientAuthentication, accessToken } = now.inbound.oidc ?? {};
  const { certificate } = now.advancedConfigurations;
  const { bindingType } = accessToken ?? {};
  const { certificate: _, ...advanced } = before.advancedConfigurations;
  const proven = { ...before, advancedConfigurations: { ...advanced, ...(certificate && { certificate }) } };
  return withClient(proven, ({ clientAuthentication: __, ...client }) => {
    const { bindingType: ___, ...token } = client.accessToken;
    return {
      ...client,
      ...(clientAuthentication && { clientAuthentication }),
      accessToken: { ...token, ...(bindingType !== undefined && { bindingType }) },
    };
  });
}

/** A password with the expiry of the restored one: there a user is deleted, or is not, and its password with it. */
function expiringAs({ expiresAtSeconds }: Item, { expiresAtSeconds: _, ...old }: Item): Item {
  return { ...old, PK: old.PK, SK: old.SK, ...(expiresAtSeconds !== undefined && { expiresAtSeconds }) } as Item;
}

function putting(put: Item): Step {
  return { put, when: "any", otherwise: () => new Error("a step without a condition failed") };
}
