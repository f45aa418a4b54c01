/** The section `[oauth]` of deployment.toml. */
import * as z from "zod";
import { type ClientLimits, defaultClientLimits } from "../applications/protocols/limits.ts";
import { table } from "./shared.ts";

/** A minute, and a year of 365 days. */
const LIFETIME = { least: 60, most: 31_536_000 };
const BITS_MAX = 256;

const lifetime = z.int().min(LIFETIME.least).max(LIFETIME.most);

export const OAuth = table({
  show_client_secrets_to: z.enum(["viewers", "secret_viewers"]).default("viewers"),
  min_client_secret_bits: z.int().min(0).max(BITS_MAX).default(defaultClientLimits.secretBitsMin),
  max_access_token_lifetime: lifetime.default(defaultClientLimits.accessTokenSecondsMax),
  max_refresh_token_lifetime: lifetime.default(defaultClientLimits.refreshTokenSecondsMax),
  max_id_token_lifetime: lifetime.default(defaultClientLimits.idTokenSecondsMax),
});

export function clientLimitsOf(declared: z.output<typeof OAuth>): ClientLimits {
  return {
    secretBitsMin: declared.min_client_secret_bits,
    accessTokenSecondsMax: declared.max_access_token_lifetime,
    refreshTokenSecondsMax: declared.max_refresh_token_lifetime,
    idTokenSecondsMax: declared.max_id_token_lifetime,
  };
}
