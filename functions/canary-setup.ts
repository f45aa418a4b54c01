/** Creates what the synthetic check uses. A deployment invokes it; the gateway does not reach it. */

import { openTable } from "#core/database/table/dynamo.ts";
import { newCanarySetup } from "#core/service/health/setup.ts";
import { tableConfig } from "./env.ts";
import { canarySecret, seal } from "./seals.ts";

const open = openTable(tableConfig({ callMs: 9_000, requestMs: 25_000, throttling: "awaited" }));

export const handler = newCanarySetup(open, { seal: seal(), secret: canarySecret() });
