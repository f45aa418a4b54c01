/** Application templates: list, add, read, update, delete. */

import { templateOperations } from "#core/applications/templates/contract.ts";
import { templateHandlers } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { apiSection } from "#core/settings/api.ts";
import { customProtocolSection } from "#core/settings/custom-protocols.ts";
import { sectionsFromFile } from "#core/settings/section.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const { api, customProtocols: customKinds } = sectionsFromFile(deploymentFile(), [apiSection, customProtocolSection]);

export const operations = templateOperations;

export const handler = lambda({
  service: "application-templates",
  operations,
  handlers: templateHandlers,
  baseUrl: baseUrl(),
  ...api,
  stores: (meter) => ({ templates: templateStore(open(meter)), customKinds }),
});
