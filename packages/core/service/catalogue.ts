/** The operation catalogue: lists the operations of every contract. */
import { apiResourceOperations } from "../applications/apis/contract.ts";
import { assignmentOperations } from "../applications/assignments/contract.ts";
import { authorizedApiOperations } from "../applications/authorized-apis/contract.ts";
import { clientSecretOperations } from "../applications/client-secrets/contract.ts";
import { applicationFileOperations } from "../applications/files/contract.ts";
import { protocolOperations } from "../applications/inbound-protocols/contract.ts";
import { applicationOperations } from "../applications/management/contract.ts";
import { metadataOperations } from "../applications/metadata/contract.ts";
import { oidcScopeOperations } from "../applications/oidc-scopes/contract.ts";
import { templateOperations } from "../applications/templates/contract.ts";
import { auditOperations } from "../database/changes/contract.ts";
import { claimOperations } from "../directory/claims/contract.ts";
import { organizationOperations } from "../directory/organizations/contract.ts";
import { scim1Operations } from "../directory/scim-api/v1/contract.ts";
import { scim2Operations } from "../directory/scim-api/v2/contract.ts";
import { tenantOperations } from "../directory/tenants/contract.ts";
import { userStoreOperations } from "../directory/user-stores/contract.ts";
import { signalOperations } from "../events/shared-signals/contract.ts";
import { webhookOperations } from "../events/webhooks/contract.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import { accountOperations } from "../sign-in/account/contract.ts";
import { casOperations } from "../sign-in/cas/contract.ts";
import { explainOperations } from "../sign-in/explain/contract.ts";
import { authZenOperations } from "../sign-in/explain/contract-authzen.ts";
import { signInOperations } from "../sign-in/flow/contract.ts";
import { answerOperations } from "../sign-in/flow/contract-answers.ts";
import { pushedOperations } from "../sign-in/flow/contract-pushed.ts";
import { oauthOperations } from "../sign-in/oauth/contract.ts";
import { passiveStsOperations } from "../sign-in/passive-sts/contract.ts";
import { portalOperations } from "../sign-in/portal/contract.ts";
import { accountRecoveryOperations } from "../sign-in/recovery/contract.ts";
import { samlOperations } from "../sign-in/saml/contract.ts";
import { sessionOperations } from "../sign-in/sessions/contract.ts";
import { recoveryOperations } from "../versions/deleted/contract.ts";
import { administrationHistoryOperations } from "../versions/history/contract-administration.ts";
import { applicationHistoryOperations } from "../versions/history/contract-applications.ts";
import { protocolHistoryOperations } from "../versions/history/contract-protocols.ts";
import { scim2HistoryOperations } from "../versions/history/contract-scim2.ts";
import { templateHistoryOperations } from "../versions/history/contract-templates.ts";
import { webhookHistoryOperations } from "../versions/history/contract-webhooks.ts";
import { administrationUndoOperations } from "../versions/undo/contract-administration.ts";
import { applicationUndoOperations } from "../versions/undo/contract-applications.ts";
import { protocolUndoOperations } from "../versions/undo/contract-protocols.ts";
import { scim2UndoOperations } from "../versions/undo/contract-scim2.ts";
import { templateUndoOperations } from "../versions/undo/contract-templates.ts";

/** Every operation by its id, which is also the name of its handler, its `operationId` and its log field. */
export const catalogue = {
  ...applicationOperations,
  ...protocolOperations,
  ...clientSecretOperations,
  ...templateOperations,
  ...metadataOperations,
  ...authorizedApiOperations,
  ...assignmentOperations,
  ...apiResourceOperations,
  ...oidcScopeOperations,
  ...claimOperations,
  ...userStoreOperations,
  ...organizationOperations,
  ...oauthOperations,
  ...pushedOperations,
  ...answerOperations,
  ...signInOperations,
  ...accountRecoveryOperations,
  ...sessionOperations,
  ...samlOperations,
  ...passiveStsOperations,
  ...casOperations,
  ...accountOperations,
  ...portalOperations,
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
  ...explainOperations,
  ...authZenOperations,
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
