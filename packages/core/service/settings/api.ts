/** The section `[api]` of deployment.toml. */
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

export interface ApiSettings {
  /** Whether the management API refuses unknown members unless a request asks to ignore them (decision 0076). */
  readonly isStrict: boolean;
  /** Whether changes of existing resources need `If-Match`, of SCIM too (decision 0085). */
  readonly requiresIfMatch: boolean;
}

const Api = table({ strict: z.boolean().default(false), require_if_match: z.boolean().default(false) });

/** What holds for all requests, whatever they are about. */
export const apiSection = section({ api: Api.prefault({}) }, ({ api }): { readonly api: ApiSettings } => ({
  api: { isStrict: api.strict, requiresIfMatch: api.require_if_match },
}));
