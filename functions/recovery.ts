/** Deleted resources: list, read, restore, and remove for good. */
import { asideStore } from "#core/aside/aside-store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { recoveryOperations } from "#core/recovery/contract.ts";
import { recoveryHandlers } from "#core/recovery/handlers.ts";
import { restoredPeople } from "#core/recovery/people.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { indexSection } from "#core/settings/indexes.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  apiSection,
  scim2Section,
  indexSection,
  userStoreSection,
]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })), deployment.changes);
const { userStoresOf, usersIn, groupsIn, declared } = await openUserStores("recovery", deployment, false);

export const operations = recoveryOperations;

export const handler = lambda({
  service: "recovery",
  changing,
  operations,
  handlers: recoveryHandlers,
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  stores: (served) => {
    const table = open(served);
    return {
      asides: asideStore(table),
      table,
      people: restoredPeople({
        table,
        declared,
        users: usersIn(table),
        groups: groupsIn(table),
        roles: roleStore(table),
        tenants: tenantStore(table),
        userStores: userStoresOf(served.tenant),
      }),
    };
  },
});
