/** The Lambda authorizer. With the token endpoint, it is the only function that reads password hashes. */
import { readyRules } from "#core/auth/access-control/lint.ts";
import { newAuthorizer } from "#core/auth/authorize.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout-store.ts";
import { operations } from "#core/catalogue.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { credentialStore } from "#core/identities/credentials/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { deploymentFromFile } from "#core/settings/deployment.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openProofs } from "./proofs.ts";
import { openUserStores } from "./user-stores.ts";

/** The gateway allows an authorizer 10 seconds. */
const open = openTable(tableConfig({ callMs: 5_000, requestMs: 6_500, attemptMs: 1_200 }));

const deployment = deploymentFromFile(deploymentFile());
const { access } = deployment;
const { userStoresOf, usersIn, groupsIn } = await openUserStores("authorizer", deployment);

export const handler = newAuthorizer({
  operations,
  access: { certificates: access.certificates, rules: await readyRules(access.rules, operations) },
  userStoresOf,
  clock: systemClock,
  proofs: openProofs(),
  baseUrl: baseUrl(),
  stores: (meter) => {
    const table = open(meter);
    return {
      table,
      tenants: tenantStore(table),
      users: usersIn(table),
      roles: roleStore(table),
      groups: groupsIn(table),
      credentials: credentialStore(table),
      lockouts: lockoutStore(table, defaultLockoutPolicy),
    };
  },
});
