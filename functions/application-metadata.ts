/** What needs no database: the API document, and the answer to every path that no other function takes. */
import { documentOperations } from "#core/documents/contract.ts";
import { documentHandlers } from "#core/documents/handlers.ts";
import { documentFile } from "#core/documents/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { baseUrl, openApiFile } from "./env.ts";

const openApi = documentFile(openApiFile());

export const operations = documentOperations;

export const handler = lambda({
  service: "application-metadata",
  operations,
  handlers: documentHandlers,
  baseUrl: baseUrl(),
  stores: () => ({ openApi }),
});
