/** Reads the changes of all resources of a tenant. */
import { findRecords } from "#core/database/changes/audit.ts";
import { auditOperations } from "#core/database/changes/contract.ts";
import { changeFeed } from "#core/database/changes/feed.ts";
import { type AuditStores, auditHandlers } from "#core/database/changes/handlers.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { lambda } from "#core/http/lambda.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const { customProtocols: customKinds } = sectionsFromFile(deploymentFile(), [customProtocolSection]);

export const operations = auditOperations;

export const handler = lambda<typeof operations, AuditStores>({
  service: "audit",
  operations,
  handlers: auditHandlers,
  baseUrl: baseUrl(),
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (table) => ({
    feed: changeFeed(table),
    customKinds,
    findRecords: (...given) => findRecords(table, ...given),
  }),
});
