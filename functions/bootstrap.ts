/** Creates the first tenant with its administrator. A deployment invokes it; the gateway does not reach it. */
import { openTable } from "#core/table/dynamo.ts";
import { newFounder } from "#core/tenants/bootstrapper.ts";
import { tableConfig } from "./env.ts";

export const handler = newFounder(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })));
