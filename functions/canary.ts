/** The synthetic check of the stage, once a minute. It has no right on the table: it is a client like any other. */
import { newCheck } from "#core/canary/check.ts";
import { newCheckReport } from "#core/http/observe-check.ts";
import { canary } from "./env.ts";

export const handler = newCheck({ ...canary(), report: newCheckReport() });
