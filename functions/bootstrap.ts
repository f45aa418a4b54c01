/** Creates the first tenant with its administrator. A deployment invokes it; the gateway does not reach it. */
import { openTable } from "#core/table/dynamo.ts";
import { newTenantBootstrapper } from "#core/tenants/bootstrapper.ts";
import { tableConfig } from "./env.ts";

export const handler = newTenantBootstrapper(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })));
