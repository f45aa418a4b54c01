/** SCIM 2.0: users, groups, roles, the calling user, bulk requests, and the schemas of the service. */

import { scopeNames } from "#core/api-resources/scope-store.ts";
import { hasApplication } from "#core/applications/registry/existence-store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { scim2HistoryOperations } from "#core/history/contract-scim2.ts";
import { type Scim2HistoryStores, scim2HistoryHandlers } from "#core/history/scim2.ts";
import { withHistory } from "#core/history/source.ts";
import { changing } from "#core/http/changing.ts";
import { renderFault } from "#core/http/dialects.ts";
import { lambda } from "#core/http/lambda.ts";
import type { ScimProfile } from "#core/http/scim-profile.ts";
import { nameStore, newNameMemory } from "#core/identities/memberships/shown-names.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { groupType, userTypeFor } from "#core/scim/schema/resource-types.ts";
import { scim2Operations } from "#core/scim-api/v2/contract.ts";
import { scim2Handlers } from "#core/scim-api/v2/handlers.ts";
import type { Scim2Dialect, Scim2Stores } from "#core/scim-api/v2/stores.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { indexSection } from "#core/settings/indexes.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { scim2UndoOperations } from "#core/undo/contract-scim2.ts";
import { type Scim2UndoStores, scim2UndoHandlers } from "#core/undo/scim2.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { cursorSeal } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  apiSection,
  changesSection,
  scim2Section,
  indexSection,
  userStoreSection,
]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 26_500 })), deployment.changes);
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
  errorOf: (fault) => ({ ...renderFault("scim2", fault, "", profile).body }),
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
  stores: (served) =>
    withHistory<Scim2Stores>(open(served), (table) => {
      const [groups, roles] = [groupsIn(table), roleStore(table, deployment.changes.deletedDays)];
      return {
        users: usersIn(table),
        groups,
        roles,
        knownScopes: scopeNames(table),
        hasApplication: hasApplication(table),
        tenants: tenantStore(table),
        names: nameStore(table, memory, [groups.namesOf, roles.namesOf]),
        userStores: userStoresOf(served.tenant),
        dialect: dialects[served.profile],
        seal,
      };
    }),
});
