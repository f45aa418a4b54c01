/** The Lambda authorizer: decides on every request. With the token endpoint, the only function that reads password hashes. */
import { readyRules } from "#core/access/lint.ts";
import { newAuthorizer } from "#core/auth/authorize.ts";
import { credentialStore } from "#core/auth/credentials.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout.ts";
import { operations } from "#core/catalogue/index.ts";
import { declaredGroups } from "#core/groups/declared.ts";
import { groupStore } from "#core/groups/store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { roleStore } from "#core/roles/store.ts";
import { deploymentFromFile } from "#core/settings/file.ts";
import { userStoreNames } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { tenantStore } from "#core/tenants/tenant.ts";
import { declaredUsers } from "#core/users/declared.ts";
import { userStore } from "#core/users/store.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

/** All of it must fit into the gateway's 10 seconds for an authorizer. */
const open = openTable(tableConfig({ callMs: 5_000, requestMs: 8_000 }));

const { access, ...deployment } = deploymentFromFile(deploymentFile());
const userStores = userStoreNames(deployment.userStores);

export const handler = newAuthorizer({
  operations,
  access: { certificates: access.certificates, rules: await readyRules(access.rules, operations) },
  userStores,
  clock: systemClock,
  baseUrl: baseUrl(),
  stores: (meter) => {
    const table = open(meter);
    return {
      table,
      tenants: tenantStore(table),
      users: declaredUsers(userStore(table), userStores),
      roles: roleStore(table),
      groups: declaredGroups(groupStore(table), userStores),
      credentials: credentialStore(table),
      lockouts: lockoutStore(table, defaultLockoutPolicy),
    };
  },
});
