/** The Lambda authorizer. With the token endpoint, it is the only function that reads password hashes. */

import { openTable } from "#core/database/table/dynamo.ts";
import { credentialStore } from "#core/directory/credentials/store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { protections as operations } from "#core/service/protection.ts";
import { accessSection } from "#core/service/settings/access.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { newAuthorizer } from "#core/sign-in/authentication/authorize.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openProofs } from "./proofs.ts";
import { openUserStores } from "./user-stores.ts";

/** The gateway allows an authorizer 10 seconds. */
const open = openTable(tableConfig({ callMs: 5_000, requestMs: 6_500, attemptMs: 1_200 }));

const file = deploymentFile();
const deployment = sectionsFromFile(file, [accessSection, passwordSection, scim2Section, userStoreSection]);
const { certificates, rules } = deployment.access;
/** Refusals of a rule name the file. */
const named = rules.map((rule) => ({ ...rule, file }));
const lockouts = { ...defaultLockoutPolicy, names: deployment.sourceNames };
const { userStoresOf, usersIn, groupsIn } = await openUserStores("authorizer", deployment);

export const handler = newAuthorizer({
  operations,
  access: { certificates, rules: await readyRules(named, operations) },
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
      lockouts: lockoutStore(table, lockouts),
    };
  },
});
