/** SCIM 1.1: users and groups. */

import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { newIsAdministrator } from "#core/directory/scim-api/v1/administrators.ts";
import { scim1Operations } from "#core/directory/scim-api/v1/contract.ts";
import { scim1Handlers } from "#core/directory/scim-api/v1/handlers.ts";
import type { Scim1Dialect } from "#core/directory/scim-api/v1/stores.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  apiSection,
  changesSection,
  emailSection,
  scim2Section,
  indexSection,
  userNameSection,
  passwordSection,
  userStoreSection,
]);
const recorded = recordedTables(deployment.changes);
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
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })),
  stores: (plain, served) => {
    const table = recorded(plain, served.caused);
    const [groups, roles] = [groupsIn(table), roleStore(table, deployment.changes.deletedDays)];
    return {
      users: usersIn(table),
      groups,
      roles,
      isAdministrator,
      tenants: tenantStore(table),
      names: nameStore(table, memory, [groups.namesOf, roles.namesOf]),
      userStores: userStoresOf(served.tenant),
      nameRules: deployment.nameRules,
      passwords: deployment.passwords,
      sendsMail: sendsMails(deployment),
      dialect,
    };
  },
});
