/** Application templates: list, add, read, update, delete. */

import { templateOperations } from "#core/applications/templates/contract.ts";
import { templateHandlers } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { deploymentFromFile } from "#core/settings/file.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, deploymentFile, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const { customProtocols: customKinds } = deploymentFromFile(deploymentFile());

export const operations = templateOperations;

export const handler = lambda({
  service: "application-templates",
  operations,
  handlers: templateHandlers,
  baseUrl: baseUrl(),
  stores: (meter) => ({ templates: templateStore(open(meter)), customKinds }),
});
