/** The Lambda authorizer. With the token endpoint, it is the only function that reads password hashes. */
import { readyRules } from "#core/auth/access-control/lint.ts";
import { newAuthorizer } from "#core/auth/authorize.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/auth/lockout-store.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { credentialStore } from "#core/identities/credentials/store.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { systemClock } from "#core/platform/clock.ts";
import { protections as operations } from "#core/protection.ts";
import { accessSection } from "#core/settings/access.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openProofs } from "./proofs.ts";
import { openUserStores } from "./user-stores.ts";

/** The gateway allows an authorizer 10 seconds. */
const open = openTable(tableConfig({ callMs: 5_000, requestMs: 6_500, attemptMs: 1_200 }));

const file = deploymentFile();
const deployment = sectionsFromFile(file, [accessSection, scim2Section, userStoreSection]);
const { certificates, rules } = deployment.access;
/** Refusals of a rule name the file. */
const named = rules.map((rule) => ({ ...rule, file }));
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
      lockouts: lockoutStore(table, defaultLockoutPolicy),
    };
  },
});
