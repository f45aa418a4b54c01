/** Reads the changes of all resources of a tenant. */
import { findRecords } from "#core/changes/audit.ts";
import { auditOperations } from "#core/changes/contract.ts";
import { changeFeed } from "#core/changes/feed.ts";
import { type AuditStores, auditHandlers } from "#core/changes/handlers.ts";
import { lambda } from "#core/http/lambda.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const { customProtocols: customKinds } = sectionsFromFile(deploymentFile(), [customProtocolSection]);
const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));

export const operations = auditOperations;

export const handler = lambda<typeof operations, AuditStores>({
  service: "audit",
  operations,
  handlers: auditHandlers,
  baseUrl: baseUrl(),
  stores: ({ meter }) => {
    const table = open(meter);
    return { feed: changeFeed(table), customKinds, findRecords: (...given) => findRecords(table, ...given) };
  },
});
