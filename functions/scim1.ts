/** SCIM 1.1: users and groups. */

import { recordedTables } from "#core/changes/open.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { nameStore, newNameMemory } from "#core/identities/memberships/shown-names.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { newIsAdministrator } from "#core/scim-api/v1/administrators.ts";
import { scim1Operations } from "#core/scim-api/v1/contract.ts";
import { scim1Handlers } from "#core/scim-api/v1/handlers.ts";
import type { Scim1Dialect } from "#core/scim-api/v1/stores.ts";
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
  apiSection,
  changesSection,
  scim2Section,
  indexSection,
  userStoreSection,
]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })), deployment.changes);
// SCIM 1.1 has no media type of its own, so that nothing is negotiated.
const isWso2 = deployment.scim2.profile !== "rfc7644";
const { userStoresOf, usersIn, groupsIn } = await openUserStores("scim1", deployment);
const memory = newNameMemory();
const isAdministrator = newIsAdministrator();
const { requiresIfMatch } = deployment.api;
const dialect: Scim1Dialect = {
  showsUsername: false,
  needsPassword: isWso2,
  listsWhole: !isWso2,
  requiresIfMatch,
};

export const operations = scim1Operations;

export const handler = lambda({
  service: "scim1",
  changing,
  operations,
  handlers: scim1Handlers,
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  // Unknown attributes are no matter of `strict` in SCIM (decision 0076).
  requiresIfMatch,
  stores: (served) => {
    const table = open(served);
    const [groups, roles] = [groupsIn(table), roleStore(table, deployment.changes.deletedDays)];
    return {
      users: usersIn(table),
      groups,
      roles,
      isAdministrator,
      tenants: tenantStore(table),
      names: nameStore(table, memory, [groups.namesOf, roles.namesOf]),
      userStores: userStoresOf(served.tenant),
      dialect,
    };
  },
});
