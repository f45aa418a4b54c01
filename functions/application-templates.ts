/** Application templates: list, add, read, update, delete. */
import { lambda } from "#core/http/lambda.ts";
import { deploymentFromFile } from "#core/settings/file.ts";
import { openTable } from "#core/table/dynamo.ts";
import { templateOperations } from "#core/templates/contract.ts";
import { templateHandlers } from "#core/templates/handlers.ts";
import { templateStore } from "#core/templates/store.ts";
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
