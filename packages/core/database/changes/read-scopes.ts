/** Which scope shows the values of changes, for those who are told of changes while they do not call. Pure data. */
import type { ResourceType } from "./model.ts";

/** The scope that shows who changed what of every resource, with all values. */
export const VIEW_CHANGES = "internal_audit_view";

/** The scope that reads the resources of a type, and so their histories. */
export const readScopes: Readonly<Record<ResourceType, string>> = {
  application: "internal_application_mgt_view",
  "inbound-protocol": "internal_application_mgt_view",
  "authorized-apis": "internal_application_mgt_view",
  assignments: "internal_application_mgt_view",
  "application-template": "internal_application_mgt_view",
  "resident-application": "internal_application_mgt_view",
  "api-resource": "internal_api_resource_view",
  "oidc-scopes": "internal_application_mgt_view",
  user: "internal_user_mgt_view",
  group: "internal_group_mgt_view",
  role: "internal_role_mgt_view",
  tenant: "internal_list_tenants",
  webhook: "internal_webhook_view",
  // Their owners alone read them, each its own.
  "event-stream": VIEW_CHANGES,
};

/** Whether some scopes show the values of changes of a type. */
export function showsValues(type: ResourceType, scopes: ReadonlySet<string>): boolean {
  return scopes.has(readScopes[type]) || scopes.has(VIEW_CHANGES);
}
