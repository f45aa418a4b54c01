/** Founds the first tenant with its administrator: invoked by a deployment, out of reach of the gateway. */
import { openTable } from "#core/table/dynamo.ts";
import { newFounder } from "#core/tenants/bootstrapper.ts";
import { tableConfig } from "./env.ts";

export const handler = newFounder(openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 })));
