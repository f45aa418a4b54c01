/** Applications: list, create, read, change, delete, owner, authenticators, resident application. */
import { applicationOperations } from "#core/applications/contract.ts";
import { applicationHandlers } from "#core/applications/handlers.ts";
import { applicationStore } from "#core/applications/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { openTable } from "#core/table/dynamo.ts";
import { templateStore } from "#core/templates/store.ts";
import { userStore } from "#core/users/store.ts";
import { baseUrl, protocolSupport, tableConfig } from "./env.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));
const protocols = protocolSupport();

export const operations = applicationOperations;

export const handler = lambda({
  service: "applications",
  operations,
  handlers: applicationHandlers,
  baseUrl: baseUrl(),
  stores: (meter) => {
    const table = open(meter);
    return {
      applications: applicationStore(table),
      templates: templateStore(table),
      users: userStore(table),
      protocols,
    };
  },
});
