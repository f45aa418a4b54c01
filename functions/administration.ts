/** What is set up rarely and used by everything else: API resources and their scopes. */
import { apiResourceOperations } from "#core/api-resources/contract.ts";
import { apiResourceHandlers } from "#core/api-resources/handlers.ts";
import { apiResourceStore } from "#core/api-resources/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { openTable } from "#core/table/dynamo.ts";
import { baseUrl, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));

export const operations = apiResourceOperations;

export const handler = lambda({
  service: "administration",
  operations,
  handlers: apiResourceHandlers,
  baseUrl: baseUrl(),
  stores: (meter) => ({ apiResources: apiResourceStore(open(meter)) }),
});
