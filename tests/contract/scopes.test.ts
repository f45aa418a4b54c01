/** The scope of each operation that the requirements name one for (AM-158 to AM-162, S2-008). */
import { expect, test } from "vitest";
import { type OperationId, operations } from "#core/service/catalogue.ts";

const required: Readonly<Record<string, readonly OperationId[]>> = {
  internal_application_mgt_view: [
    "listApplications",
    "getApplication",
    "exportApplication",
    "getApplicationAuthenticators",
    "listAuthorizedApis",
    "getResidentApplication",
    "listInboundProtocols",
    "getSamlConfiguration",
    "getOidcConfiguration",
    "getPassiveStsConfiguration",
    "getWsTrustConfiguration",
    "getCustomConfiguration",
    "listSupportedProtocols",
    "getSamlMetadata",
    "getOidcMetadata",
    "getWsTrustMetadata",
    "getCustomProtocolMetadata",
    "getAdaptiveAuthTemplates",
    "listApplicationTemplates",
    "getApplicationTemplate",
  ],
  internal_application_mgt_create: [
    "createApplication",
    "importApplication",
    "regenerateClientSecret",
    "revokeClient",
    "addApplicationTemplate",
  ],
  internal_application_mgt_update: [
    "updateApplicationFromFile",
    "patchApplication",
    "authorizeApi",
    "patchAuthorizedApi",
    "deleteAuthorizedApi",
    "updateResidentApplication",
    "updateSamlConfiguration",
    "updateOidcConfiguration",
    "updatePassiveStsConfiguration",
    "updateWsTrustConfiguration",
    "updateCustomConfiguration",
    "updateApplicationTemplate",
  ],
  internal_application_mgt_delete: [
    "deleteApplication",
    "deleteSamlConfiguration",
    "deleteOidcConfiguration",
    "deletePassiveStsConfiguration",
    "deleteWsTrustConfiguration",
    "deleteCustomConfiguration",
  ],
  internal_application_mgt_client_secret_create: ["createClientSecret"],
  internal_application_mgt_client_secret_view: ["listClientSecrets", "getClientSecret"],
  internal_application_mgt_client_secret_delete: ["deleteClientSecret"],
  internal_organization_admin: ["changeApplicationOwner"],
  internal_user_mgt_list: ["listUsers", "searchUsers"],
  internal_user_mgt_create: ["createUser"],
  internal_user_mgt_view: ["getUser"],
  internal_user_mgt_update: ["replaceUser", "patchUser"],
  internal_user_mgt_delete: ["deleteUser"],
};

test.each(Object.entries(required))("%s is the only scope that its operations require", (scope, ids) => {
  for (const id of ids) {
    const { scope: needed, furtherScopes = [] } = operations[id] ?? {};
    expect([id, needed, ...furtherScopes]).toEqual([id, scope]);
  }
});
