/** Applications: list, create, read, change, delete, owner, authenticators, resident application. */
import { applicationHandlers } from "#core/applications/handlers.ts";
import { applicationStore } from "#core/applications/store.ts";
import { lambda } from "#core/http/lambda.ts";
import { openTable } from "#core/table/dynamo.ts";
import { userStore } from "#core/users/store.ts";
import { baseUrl, tableConfig } from "./env.ts";

const DEADLINE_MS = 9_000;

const open = openTable(tableConfig(DEADLINE_MS));

export const handler = lambda({
  service: "applications",
  handlers: applicationHandlers,
  baseUrl: baseUrl(),
  stores: (meter) => {
    const table = open(meter);
    return { applications: applicationStore(table), users: userStore(table) };
  },
});
