/** The section `[oauth]` of deployment.toml. */

import type { ClientSecretsShownTo } from "../../applications/protocols/contract-secrets.ts";
import { CLIENT_SECRETS_CEILING, type ClientLimits, defaultClientLimits } from "../../applications/protocols/limits.ts";
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

/** A minute, and a year of 365 days. */
const LIFETIME = { least: 60, most: 31_536_000 };
const BITS_MAX = 256;

const lifetime = z.int().min(LIFETIME.least).max(LIFETIME.most);

const OAuth = table({
  show_client_secrets_to: z.enum(["viewers", "secret_viewers"]).default("viewers"),
  min_client_secret_bits: z.int().min(0).max(BITS_MAX).default(defaultClientLimits.secretBitsMin),
  max_client_secrets: z.int().min(1).max(CLIENT_SECRETS_CEILING).default(defaultClientLimits.clientSecretsMax),
  max_access_token_lifetime: lifetime.default(defaultClientLimits.accessTokenSecondsMax),
  max_refresh_token_lifetime: lifetime.default(defaultClientLimits.refreshTokenSecondsMax),
  max_id_token_lifetime: lifetime.default(defaultClientLimits.idTokenSecondsMax),
});

/** Who sees client secrets, and what OAuth clients may be configured for. */
export const oauthSection = section(
  { oauth: OAuth.prefault({}) },
  ({ oauth }): { readonly clients: ClientLimits; readonly clientSecretsShownTo: ClientSecretsShownTo } => ({
    clients: clientLimitsOf(oauth),
    clientSecretsShownTo: oauth.show_client_secrets_to,
  }),
);

function clientLimitsOf(declared: z.output<typeof OAuth>): ClientLimits {
  return {
    secretBitsMin: declared.min_client_secret_bits,
    clientSecretsMax: declared.max_client_secrets,
    accessTokenSecondsMax: declared.max_access_token_lifetime,
    refreshTokenSecondsMax: declared.max_refresh_token_lifetime,
    idTokenSecondsMax: declared.max_id_token_lifetime,
  };
}
