/** API resources with their scopes, scopes of OpenID Connect, claims, user stores, and tenants. */

import { apiResourceOperations } from "#core/applications/apis/contract.ts";
import { type ApiResourceStores, apiResourceHandlers } from "#core/applications/apis/handlers.ts";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { oidcScopeOperations } from "#core/applications/oidc-scopes/contract.ts";
import { type OidcScopeStores, oidcScopeHandlers } from "#core/applications/oidc-scopes/handlers.ts";
import { oidcScopeStore } from "#core/applications/oidc-scopes/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { claimOperations } from "#core/directory/claims/contract.ts";
import { claimHandlers } from "#core/directory/claims/handlers.ts";
import { organizationOperations } from "#core/directory/organizations/contract.ts";
import { organizationHandlers } from "#core/directory/organizations/handlers.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { tenantOperations } from "#core/directory/tenants/contract.ts";
import { createTenant } from "#core/directory/tenants/create.ts";
import { type TenantStores, tenantHandlers } from "#core/directory/tenants/handlers.ts";
import { userStoreOperations } from "#core/directory/user-stores/contract.ts";
import { type DeclaredStores, userStoreHandlers } from "#core/directory/user-stores/handlers.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { emailSection } from "#core/service/settings/email.ts";
import { indexSection } from "#core/service/settings/indexes.ts";
import { passwordSection } from "#core/service/settings/password.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userNameSection } from "#core/service/settings/user-names.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import {
  type AdministrationHistoryStores,
  administrationHistoryHandlers,
} from "#core/versions/history/administration.ts";
import { administrationHistoryOperations } from "#core/versions/history/contract-administration.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { type AdministrationUndoStores, administrationUndoHandlers } from "#core/versions/undo/administration.ts";
import { administrationUndoOperations } from "#core/versions/undo/contract-administration.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { sendsMails } from "./mails.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  emailSection,
  apiSection,
  scim2Section,
  indexSection,
  userNameSection,
  passwordSection,
  userStoreSection,
]);
const recorded = recordedTables(deployment.changes);
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
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) =>
    withHistory<Stores>(recorded(plain, served.caused), (table) => {
      const users = usersIn(table);
      const { history } = deployment.passwords;
      const creation = { table, users, userStores: userStoresOf(SUPER_TENANT), declared, history };
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
        nameRules: deployment.nameRules,
        passwords: deployment.passwords,
        sendsMail: sendsMails(deployment),
        create: (domain, administrator, nowMs) => createTenant(creation, domain, administrator, nowMs),
      };
    }),
});
