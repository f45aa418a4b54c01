/** The operation catalogue: lists the operations of every contract. */
import { apiResourceOperations } from "./api-resources/contract.ts";
import { authorizedApiOperations } from "./applications/authorized-apis/contract.ts";
import { clientSecretOperations } from "./applications/client-secrets/contract.ts";
import { applicationFileOperations } from "./applications/files/contract.ts";
import { protocolOperations } from "./applications/inbound-protocols/contract.ts";
import { applicationOperations } from "./applications/management/contract.ts";
import { metadataOperations } from "./applications/metadata/contract.ts";
import { templateOperations } from "./applications/templates/contract.ts";
import { auditOperations } from "./changes/contract.ts";
import { claimOperations } from "./claims/contract.ts";
import { documentOperations } from "./documents/contract.ts";
import { administrationHistoryOperations } from "./history/contract-administration.ts";
import { applicationHistoryOperations } from "./history/contract-applications.ts";
import { protocolHistoryOperations } from "./history/contract-protocols.ts";
import { scim2HistoryOperations } from "./history/contract-scim2.ts";
import { templateHistoryOperations } from "./history/contract-templates.ts";
import { webhookHistoryOperations } from "./history/contract-webhooks.ts";
import { oauthOperations } from "./oauth/contract.ts";
import { oidcScopeOperations } from "./oidc-scopes/contract.ts";
import type { Operation } from "./operation/operation.ts";
import type { ServiceName } from "./operation/services.ts";
import { organizationOperations } from "./organizations/contract.ts";
import { recoveryOperations } from "./recovery/contract.ts";
import { scim1Operations } from "./scim-api/v1/contract.ts";
import { scim2Operations } from "./scim-api/v2/contract.ts";
import { sessionOperations } from "./sessions/contract.ts";
import { signInOperations } from "./sign-in/contract.ts";
import { answerOperations } from "./sign-in/contract-answers.ts";
import { pushedOperations } from "./sign-in/contract-pushed.ts";
import { signalOperations } from "./signals/contract.ts";
import { tenantOperations } from "./tenants/contract.ts";
import { administrationUndoOperations } from "./undo/contract-administration.ts";
import { applicationUndoOperations } from "./undo/contract-applications.ts";
import { protocolUndoOperations } from "./undo/contract-protocols.ts";
import { scim2UndoOperations } from "./undo/contract-scim2.ts";
import { templateUndoOperations } from "./undo/contract-templates.ts";
import { userStoreOperations } from "./user-stores/contract.ts";
import { webhookOperations } from "./webhooks/contract.ts";

/** Every operation by its id, which is also the name of its handler, its `operationId` and its log field. */
export const catalogue = {
  ...documentOperations,
  ...applicationOperations,
  ...protocolOperations,
  ...clientSecretOperations,
  ...templateOperations,
  ...metadataOperations,
  ...authorizedApiOperations,
  ...apiResourceOperations,
  ...oidcScopeOperations,
  ...claimOperations,
  ...userStoreOperations,
  ...organizationOperations,
  ...oauthOperations,
  ...pushedOperations,
  ...answerOperations,
  ...signInOperations,
  ...sessionOperations,
  ...scim1Operations,
  ...applicationFileOperations,
  ...scim2Operations,
  ...tenantOperations,
  ...recoveryOperations,
  ...applicationUndoOperations,
  ...protocolUndoOperations,
  ...templateUndoOperations,
  ...administrationUndoOperations,
  ...scim2UndoOperations,
  ...signalOperations,
  ...webhookOperations,
  ...auditOperations,
  ...applicationHistoryOperations,
  ...protocolHistoryOperations,
  ...templateHistoryOperations,
  ...administrationHistoryOperations,
  ...scim2HistoryOperations,
  ...webhookHistoryOperations,
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof catalogue;

/** The catalogue as a record, for lookups by any id. */
export const operations: Readonly<Record<string, Operation>> = catalogue;

/** The operations of one endpoint group. */
export function operationsOf(service: ServiceName): Readonly<Record<string, Operation>> {
  return Object.fromEntries(Object.entries(operations).filter(([, declaration]) => declaration.service === service));
}
