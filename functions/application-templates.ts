/** Application templates: list, add, read, update, delete. */

import { templateOperations } from "#core/applications/templates/contract.ts";
import { templateHandlers } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { recordedTables } from "#core/database/changes/open.ts";
import { openTable } from "#core/database/table/dynamo.ts";
import { changing } from "#core/http/changing.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/service/settings/api.ts";
import { changesSection } from "#core/service/settings/changes.ts";
import { customProtocolSection } from "#core/service/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/service/settings/section.ts";
import { templateHistoryOperations } from "#core/versions/history/contract-templates.ts";
import { withHistory } from "#core/versions/history/source.ts";
import { type TemplateHistoryStores, templateHistoryHandlers } from "#core/versions/history/templates.ts";
import { templateUndoOperations } from "#core/versions/undo/contract-templates.ts";
import { type TemplateUndoStores, templateUndoHandlers } from "#core/versions/undo/templates.ts";
import { answerKeys, baseUrl, deploymentFile, tableConfig } from "./env.ts";

const {
  api,
  changes,
  customProtocols: customKinds,
} = sectionsFromFile(deploymentFile(), [changesSection, apiSection, customProtocolSection]);
const recorded = recordedTables(changes);

export const operations = { ...templateOperations, ...templateHistoryOperations, ...templateUndoOperations };

export const handler = lambda<typeof operations, TemplateHistoryStores & TemplateUndoStores>({
  service: "application-templates",
  changing,
  operations,
  handlers: { ...templateHandlers, ...templateHistoryHandlers, ...templateUndoHandlers },
  baseUrl: baseUrl(),
  answerKeys: answerKeys(),
  ...api,
  table: openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })),
  stores: (plain, served) =>
    withHistory(recorded(plain, served.caused), (table) => ({
      templates: templateStore(table, changes.deletedDays),
      customKinds,
    })),
});
