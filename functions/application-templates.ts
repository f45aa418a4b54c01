/** Application templates: list, add, read, update, delete. */

import { templateOperations } from "#core/applications/templates/contract.ts";
import { templateHandlers } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { templateHistoryOperations } from "#core/history/contract-templates.ts";
import { withHistory } from "#core/history/source.ts";
import { type TemplateHistoryStores, templateHistoryHandlers } from "#core/history/templates.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { templateUndoOperations } from "#core/undo/contract-templates.ts";
import { type TemplateUndoStores, templateUndoHandlers } from "#core/undo/templates.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";

const {
  api,
  changes,
  customProtocols: customKinds,
} = sectionsFromFile(deploymentFile(), [changesSection, apiSection, customProtocolSection]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), changes);

export const operations = { ...templateOperations, ...templateHistoryOperations, ...templateUndoOperations };

export const handler = lambda<typeof operations, TemplateHistoryStores & TemplateUndoStores>({
  service: "application-templates",
  changing,
  operations,
  handlers: { ...templateHandlers, ...templateHistoryHandlers, ...templateUndoHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...api,
  stores: (served) =>
    withHistory(open(served), (table) => ({ templates: templateStore(table, changes.deletedDays), customKinds })),
});
