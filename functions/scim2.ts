/** SCIM 2.0: users, groups, roles, the calling user, bulk requests, and the schemas of the service. */

import { scopeNames } from "#core/applications/apis/scope-store.ts";
import { applicationNames } from "#core/applications/registry/names-store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { nameStore, newNameMemory } from "#core/directory/memberships/shown-names.ts";
import { namesWithAudiences } from "#core/directory/roles/audiences.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { scim2Operations } from "#core/directory/scim-api/v2/contract.ts";
import { scim2Handlers } from "#core/directory/scim-api/v2/handlers.ts";
import type { Scim2Dialect, Scim2Stores } from "#core/directory/scim-api/v2/stores.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { changing } from "#core/http/changing.ts";
import { renderFault } from "#core/http/dialects.ts";
import { lambda } from "#core/http/lambda.ts";
import type { ScimProfile } from "#core/http/scim-profile.ts";
import { groupType, userTypeFor } from "#core/scim/protocol/schema/resource-types.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { scim2HistoryOperations } from "#core/versions/history/contract-scim2.ts";
import { type Scim2HistoryStores, scim2HistoryHandlers } from "#core/versions/history/scim2.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { scim2UndoOperations } from "#core/versions/undo/contract-scim2.ts";
import { type Scim2UndoStores, scim2UndoHandlers } from "#core/versions/undo/scim2.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { cursorSeal } from "./seals.ts";
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
const { scim2 } = deployment;
const { userStoresOf, usersIn, groupsIn } = await openUserStores("scim2", deployment);
const memory = newNameMemory();
const seal = cursorSeal();
const dialectOf = (profile: ScimProfile): Scim2Dialect => ({
  showsUsername: profile === "wso2",
  needsPassword: profile === "wso2",
  showsEvents: profile === "wso2",
  requiresIfMatch: deployment.api.requiresIfMatch,
  removesDuplicateUsers: scim2.removesDuplicateUsers,
  userType: userTypeFor(profile),
  groupType,
  errorOf: (fault) => ({ ...(renderFault("scim2", fault, "", profile).body as object) }),
});
const dialects = { wso2: dialectOf("wso2"), rfc7644: dialectOf("rfc7644") };

export const operations = { ...scim2Operations, ...scim2HistoryOperations, ...scim2UndoOperations };

export const handler = lambda<typeof operations, Scim2HistoryStores & Scim2UndoStores>({
  service: "scim2",
  changing,
  operations,
  handlers: { ...scim2Handlers, ...scim2HistoryHandlers, ...scim2UndoHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  // Unknown attributes are no matter of `strict` in SCIM (decision 0076).
  requiresIfMatch: deployment.api.requiresIfMatch,
  scimProfile: scim2.profile,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })),
  stores: (plain, served) =>
    withHistory<Scim2Stores>(recorded(plain, served.caused), (table) => {
      const [groups, roles] = [groupsIn(table), roleStore(table, deployment.changes.deletedDays)];
      const named = applicationNames(table);
      return {
        users: usersIn(table),
        groups,
        roles,
        knownScopes: scopeNames(table),
        applicationNames: named,
        tenants: tenantStore(table),
        names: nameStore(table, memory, [groups.namesOf, namesWithAudiences(roles.findMany, named)]),
        userStores: userStoresOf(served.tenant),
        nameRules: deployment.nameRules,
        passwords: deployment.passwords,
        sendsMail: sendsMails(deployment),
        dialect: dialects[served.profile],
        seal,
      };
    }),
});
