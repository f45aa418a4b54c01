/**
 * Applications: list, create, read, change, delete, owner, authenticators, authorized APIs, assignments, resident
 * application, files.
 */

import { apiResourceStore } from "#core/applications/apis/store.ts";
import { assignmentOperations } from "#core/applications/assignments/contract.ts";
import { type AssignmentStores, assignmentHandlers } from "#core/applications/assignments/handlers.ts";
import { authorizedApiOperations } from "#core/applications/authorized-apis/contract.ts";
import { type AuthorizedApiStores, authorizedApiHandlers } from "#core/applications/authorized-apis/handlers.ts";
import { applicationFileOperations } from "#core/applications/files/contract.ts";
import { type ApplicationFileStores, applicationFileHandlers } from "#core/applications/files/handlers.ts";
import { applicationOperations } from "#core/applications/management/contract.ts";
import { type ApplicationStores, applicationHandlers } from "#core/applications/management/handlers.ts";
import { authorizedApiStore } from "#core/applications/registry/authorization-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { assignmentStore } from "#core/directory/memberships/assignments.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { oauthSection } from "#core/service/settings/oauth.ts";
import { scim2Section } from "#core/service/settings/scim2.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { userStoreSection } from "#core/service/settings/user-stores.ts";
import { type ApplicationHistoryStores, applicationHistoryHandlers } from "#core/versions/history/applications.ts";
import { applicationHistoryOperations } from "#core/versions/history/contract-applications.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { type ApplicationUndoStores, applicationUndoHandlers } from "#core/versions/undo/applications.ts";
import { applicationUndoOperations } from "#core/versions/undo/contract-applications.ts";
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
const recorded = recordedTables(deployment.changes);
const protocols = protocolSupport(deployment);
const { usersIn, groupsIn, userStoresOf } = await openUserStores("applications", deployment);

export const operations = {
  ...applicationOperations,
  ...authorizedApiOperations,
  ...assignmentOperations,
  ...applicationFileOperations,
  ...applicationHistoryOperations,
  ...applicationUndoOperations,
};

type Stores = ApplicationStores & AuthorizedApiStores & AssignmentStores & ApplicationFileStores;

export const handler = lambda<typeof operations, Stores & ApplicationHistoryStores & ApplicationUndoStores>({
  service: "applications",
  changing,
  operations,
  handlers: {
    ...applicationHandlers,
    ...authorizedApiHandlers,
    ...assignmentHandlers,
    ...applicationFileHandlers,
    ...applicationHistoryHandlers,
    ...applicationUndoHandlers,
  },
  readMultipart: async (bytes, contentType) =>
    (await import("#core/http/multipart.ts")).readMultipart(bytes, contentType),
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...deployment.api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) =>
    withHistory<Stores>(recorded(plain, served.caused), (table) => ({
      applications: applicationStore(table, deployment.changes.deletedDays),
      templates: templateStore(table),
      protocols,
      users: usersIn(table),
      groups: groupsIn(table),
      userStoresOf,
      roles: roleStore(table),
      apiResources: apiResourceStore(table),
      authorizedApis: authorizedApiStore(table),
      assignments: assignmentStore(table),
    })),
});
