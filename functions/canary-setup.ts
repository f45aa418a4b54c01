/** Creates what the synthetic check uses. A deployment invokes it; the gateway does not reach it. */
import { newCanarySetup } from "#core/canary/setup.ts";
import { openTable } from "#core/table/dynamo.ts";
import { tableConfig } from "./env.ts";
import { canarySecret, seal } from "./seals.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000 }));

export const handler = newCanarySetup(open, { seal: seal(), secret: canarySecret() });
