/** Deleted resources: list, read, restore, and remove for good. */

import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { asideStore } from "#core/database/trash/aside-store.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { recoveryOperations } from "#core/versions/deleted/contract.ts";
import { recoveryHandlers } from "#core/versions/deleted/handlers.ts";
import { restoredPeople } from "#core/versions/deleted/people.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  apiSection,
  scim2Section,
  indexSection,
  userNameSection,
  userStoreSection,
]);
const recorded = recordedTables(deployment.changes);
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
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })),
  stores: (plain, served) => {
    const table = recorded(plain, served.caused);
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
        nameRules: deployment.nameRules,
      }),
    };
  },
});
