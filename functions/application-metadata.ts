/** What needs no database: the API document, and the answer to every path that no other function takes. */
import { readFile } from "node:fs/promises";
import { documentHandlers } from "#core/documents/handlers.ts";
import { lambda } from "#core/http/lambda.ts";
import { baseUrl, openApiFile } from "./env.ts";

const file = openApiFile();
let document: Promise<{ readonly openapi: string }> | undefined;

const openApi = () => {
  document ??= readFile(file, "utf8").then((text) => JSON.parse(text) as { readonly openapi: string });
  return document;
};

export const handler = lambda({
  service: "application-metadata",
  handlers: documentHandlers,
  baseUrl: baseUrl(),
  stores: () => ({ openApi }),
});
