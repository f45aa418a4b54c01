/** API resources with their scopes, scopes of OpenID Connect, claims, user stores, and tenants. */

import { apiResourceOperations } from "#core/api-resources/contract.ts";
import { type ApiResourceStores, apiResourceHandlers } from "#core/api-resources/handlers.ts";
import { apiResourceStore } from "#core/api-resources/store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { claimOperations } from "#core/claims/contract.ts";
import { claimHandlers } from "#core/claims/handlers.ts";
import { SUPER_TENANT } from "#core/domain/tenant.ts";
import { tenantStore } from "#core/domain/tenant-store.ts";
import { type AdministrationHistoryStores, administrationHistoryHandlers } from "#core/history/administration.ts";
import { administrationHistoryOperations } from "#core/history/contract-administration.ts";
import { withHistory } from "#core/history/source.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { oidcScopeOperations } from "#core/oidc-scopes/contract.ts";
import { type OidcScopeStores, oidcScopeHandlers } from "#core/oidc-scopes/handlers.ts";
import { oidcScopeStore } from "#core/oidc-scopes/store.ts";
import { organizationOperations } from "#core/organizations/contract.ts";
import { organizationHandlers } from "#core/organizations/handlers.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { indexSection } from "#core/settings/indexes.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { tenantOperations } from "#core/tenants/contract.ts";
import { createTenant } from "#core/tenants/create.ts";
import { type TenantStores, tenantHandlers } from "#core/tenants/handlers.ts";
import { type AdministrationUndoStores, administrationUndoHandlers } from "#core/undo/administration.ts";
import { administrationUndoOperations } from "#core/undo/contract-administration.ts";
import { userStoreOperations } from "#core/user-stores/contract.ts";
import { type DeclaredStores, userStoreHandlers } from "#core/user-stores/handlers.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  apiSection,
  scim2Section,
  indexSection,
  userStoreSection,
]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), deployment.changes);
const { userStoresOf, usersIn, groupsIn, declared, canConnect } = await openUserStores("administration", deployment);

export const operations = {
  ...apiResourceOperations,
  ...oidcScopeOperations,
  ...claimOperations,
  ...userStoreOperations,
  ...organizationOperations,
  ...tenantOperations,
  ...administrationHistoryOperations,
  ...administrationUndoOperations,
};

type Stores = ApiResourceStores & OidcScopeStores & DeclaredStores & TenantStores;

export const handler = lambda<typeof operations, Stores & AdministrationHistoryStores & AdministrationUndoStores>({
  service: "administration",
  changing,
  operations,
  handlers: {
    ...apiResourceHandlers,
    ...oidcScopeHandlers,
    ...claimHandlers,
    ...userStoreHandlers,
    ...organizationHandlers,
    ...tenantHandlers,
    ...administrationHistoryHandlers,
    ...administrationUndoHandlers,
  },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  stores: (served) =>
    withHistory<Stores>(open(served), (table) => {
      const users = usersIn(table);
      const creation = { table, users, userStores: userStoresOf(SUPER_TENANT), declared };
      return {
        apiResources: apiResourceStore(table, deployment.changes.deletedDays),
        oidcScopes: oidcScopeStore(table),
        declaredStores: deployment.userStores,
        canConnect,
        tenants: tenantStore(table),
        users,
        groups: groupsIn(table),
        roles: roleStore(table),
        userStoresOf,
        create: (domain, administrator, nowMs) => createTenant(creation, domain, administrator, nowMs),
      };
    }),
});
