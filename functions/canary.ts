/** The synthetic check of the stage, once a minute. It has no right on the table: it is a client like any other. */

import { newCheckReport } from "#core/http/observe-check.ts";
import { newCheck } from "#core/service/health/check.ts";
import { canary } from "./env.ts";

export const handler = newCheck({ ...canary(), report: newCheckReport() });
