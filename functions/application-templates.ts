/** Application templates: list, add, read, update, delete. */

import { templateOperations } from "#core/applications/templates/contract.ts";
import { templateHandlers } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { recordedTables } from "#core/changes/open.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { changesSection } from "#core/settings/changes.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const {
  api,
  changes,
  customProtocols: customKinds,
} = sectionsFromFile(deploymentFile(), [changesSection, apiSection, customProtocolSection]);
const open = recordedTables(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })), changes);

export const operations = templateOperations;

export const handler = lambda({
  service: "application-templates",
  operations,
  handlers: templateHandlers,
  baseUrl: baseUrl(),
  isStrict: api.isStrict,
  stores: (served) => ({ templates: templateStore(open(served)), customKinds }),
});
