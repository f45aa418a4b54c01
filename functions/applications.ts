/**
 * Applications: list, create, read, change, delete, owner, authenticators, authorized APIs, resident application,
 * files.
 */

import { apiResourceStore } from "#core/api-resources/store.ts";
import { authorizedApiOperations } from "#core/applications/authorized-apis/contract.ts";
import { type AuthorizedApiStores, authorizedApiHandlers } from "#core/applications/authorized-apis/handlers.ts";
import { applicationFileOperations } from "#core/applications/files/contract.ts";
import { type ApplicationFileStores, applicationFileHandlers } from "#core/applications/files/handlers.ts";
import { applicationOperations } from "#core/applications/management/contract.ts";
import { type ApplicationStores, applicationHandlers } from "#core/applications/management/handlers.ts";
import { authorizedApiStore } from "#core/applications/registry/authorization-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { type ApplicationHistoryStores, applicationHistoryHandlers } from "#core/history/applications.ts";
import { applicationHistoryOperations } from "#core/history/contract-applications.ts";
import { withHistory } from "#core/history/source.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { roleStore } from "#core/identities/roles/store.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { oauthSection } from "#core/settings/oauth.ts";
import { scim2Section } from "#core/settings/scim2.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { userStoreSection } from "#core/settings/user-stores.ts";
import { openTable } from "#core/table/dynamo.ts";
import { type ApplicationUndoStores, applicationUndoHandlers } from "#core/undo/applications.ts";
import { applicationUndoOperations } from "#core/undo/contract-applications.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";
import { protocolSupport } from "./seals.ts";
import { openUserStores } from "./user-stores.ts";

const deployment = sectionsFromFile(deploymentFile(), [
  changesSection,
  apiSection,
  customProtocolSection,
  oauthSection,
  scim2Section,
  userStoreSection,
]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), deployment.changes);
const protocols = protocolSupport(deployment);
const { usersIn, groupsIn, userStoresOf } = await openUserStores("applications", deployment);

export const operations = {
  ...applicationOperations,
  ...authorizedApiOperations,
  ...applicationFileOperations,
  ...applicationHistoryOperations,
  ...applicationUndoOperations,
};

type Stores = ApplicationStores & AuthorizedApiStores & ApplicationFileStores;

export const handler = lambda<typeof operations, Stores & ApplicationHistoryStores & ApplicationUndoStores>({
  service: "applications",
  changing,
  operations,
  handlers: {
    ...applicationHandlers,
    ...authorizedApiHandlers,
    ...applicationFileHandlers,
    ...applicationHistoryHandlers,
    ...applicationUndoHandlers,
  },
  readMultipart: async (bytes, contentType) =>
    (await import("#core/http/multipart.ts")).readMultipart(bytes, contentType),
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  stores: (served) =>
    withHistory<Stores>(open(served), (table) => ({
      applications: applicationStore(table, deployment.changes.deletedDays),
      templates: templateStore(table),
      protocols,
      users: usersIn(table),
      groups: groupsIn(table),
      userStoresOf,
      roles: roleStore(table),
      apiResources: apiResourceStore(table),
      authorizedApis: authorizedApiStore(table),
    })),
});
