/** Reads the changes of all resources of a tenant, and explains who may do what. */
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { findRecords } from "#core/database/changes/audit.ts";
import { auditOperations } from "#core/database/changes/contract.ts";
import { changeFeed } from "#core/database/changes/feed.ts";
import { type AuditStores, auditHandlers } from "#core/database/changes/handlers.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { groupStore } from "#core/directory/groups/store.ts";
import { assignmentStore } from "#core/directory/memberships/assignments.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { protections } from "#core/service/protection.ts";
import { accessSection } from "#core/service/settings/access.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";
import { explainOperations } from "#core/sign-in/explain/contract.ts";
import { authZenOperations } from "#core/sign-in/explain/contract-authzen.ts";
import { explainHandlers } from "#core/sign-in/explain/handlers.ts";
import { type AuthZenStores, authZenHandlers } from "#core/sign-in/explain/handlers-authzen.ts";
import { newOperationFinder } from "#core/sign-in/explain/question.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const file = deploymentFile();
const deployment = sectionsFromFile(file, [customProtocolSection, accessSection, apiSection]);
const { customProtocols: customKinds, access, api } = deployment;
const { certificates } = access;
/** Refusals of a rule name the file. */
const named = access.rules.map((rule) => ({ ...rule, file }));
const finder = newOperationFinder(protections, await readyRules(named, protections));

export const operations = { ...auditOperations, ...explainOperations, ...authZenOperations };

export const handler = lambda<typeof operations, AuditStores & AuthZenStores>({
  service: "audit",
  changing,
  ...api,
  operations,
  handlers: { ...auditHandlers, ...explainHandlers, ...authZenHandlers },
  baseUrl: baseUrl(),
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table) => ({
    feed: changeFeed(table),
    customKinds,
    findRecords: (...given) => findRecords(table, ...given),
    table,
    users: userStore(table),
    groups: groupStore(table),
    roles: roleStore(table),
    tenants: tenantStore(table),
    clients: clientStore(table),
    applications: applicationStore(table),
    apiResources: apiResourceStore(table),
    assignments: assignmentStore(table),
    finder,
    certificates,
  }),
});
