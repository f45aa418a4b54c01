/** The section `[registration]` of deployment.toml (decision 0183). */
import { domainOf } from "../../kernel/mail-address.ts";
import * as z from "../../kernel/zod.ts";
import type { Registration } from "../../sign-in/recovery/context.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const DOMAINS_MAX = 1_000;

const settings = {
  enabled: z.boolean(),
  email_domains: z
    .array(
      z
        .string()
        .transform((domain) => domainOf(domain) ?? "")
        .refine((domain) => domain !== "", { error: 'must be the domain of an e-mail address, like "example.com"' }),
    )
    .max(DOMAINS_MAX),
  terms_url: z
    .string()
    .max(500)
    .refine((text) => /^https:\/\/[^\s"<>]+$/.test(text) && URL.canParse(text), { error: "must be an https address" }),
  requests_per_hour: z.int().min(1).max(1_000_000),
} as const;

const Registering = table({
  enabled: settings.enabled.default(false),
  email_domains: settings.email_domains.default([]),
  terms_url: settings.terms_url.optional(),
  requests_per_hour: settings.requests_per_hour.default(500),
  tenants: z.record(z.string().min(1).max(255), table(settings).partial()).default({}),
});
type Declared = Omit<z.output<typeof Registering>, "tenants">;

/** Where people may register by a page: `registrationOf` is `undefined` for a tenant where they may not. */
export const registrationSection = section(
  { registration: Registering.prefault({}) },
  ({
    registration: { tenants, ...all },
  }): {
    readonly registrationOf: (tenant: string) => Registration | undefined;
  } => ({ registrationOf: (tenant) => registrationFrom({ ...all, ...definedIn(tenants, tenant) }) }),
);

/** What is declared for one tenant. */
function definedIn(tenants: z.output<typeof Registering>["tenants"], tenant: string): Partial<Declared> {
  const declared = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const defined = Object.entries(declared ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Partial<Declared>;
}

function registrationFrom({
  enabled,
  email_domains,
  terms_url,
  requests_per_hour,
}: Declared): Registration | undefined {
  if (!enabled) return undefined;
  return { emailDomains: email_domains, termsUrl: terms_url, hourMax: requests_per_hour };
}
