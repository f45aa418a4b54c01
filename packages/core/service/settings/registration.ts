/** The section `[registration]` of deployment.toml (decision 0183). */
import { domainOf } from "../../kernel/mail-address.ts";
import * as z from "../../kernel/zod.ts";
import type { Registration } from "../../sign-in/recovery/context.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const DOMAINS_MAX = 1_000;

const HOUR_MAX = 500;

const settings = {
  enabled: z.boolean().optional(),
  email_domains: z
    .array(
      z
        .string()
        .transform((domain) => domainOf(domain) ?? "")
        .refine((domain) => domain !== "", { error: 'must be the domain of an e-mail address, like "example.com"' }),
    )
    .max(DOMAINS_MAX)
    .optional(),
  terms_url: z
    .string()
    .max(500)
    .refine((text) => /^https:\/\/[^\s"<>]+$/.test(text) && URL.canParse(text), { error: "must be an https address" })
    .optional(),
  requests_per_hour: z.int().min(1).max(1_000_000).optional(),
} as const;
const One = table(settings);
const Tenants = z.record(z.string(), One).superRefine((tenants, context) => {
  for (const domain of Object.keys(tenants).filter((each) => each !== each.toLowerCase())) {
    context.addIssue({ code: "custom", path: [domain], message: "must be the domain of a tenant, in small letters" });
  }
});
type Declared = z.output<typeof One>;
const Registering = table({ ...settings, tenants: Tenants.optional() });

/** Where people may register by a page: `registrationOf` is `undefined` for a tenant where they may not. */
export const registrationSection = section(
  { registration: Registering.prefault({}) },
  ({
    registration: { tenants = {}, ...all },
  }): {
    readonly registrationOf: (tenant: string) => Registration | undefined;
  } => ({
    registrationOf: (tenant) => registrationFrom(Object.hasOwn(tenants, tenant) ? { ...all, ...tenants[tenant] } : all),
  }),
);

function registrationFrom({
  enabled = false,
  email_domains = [],
  terms_url,
  requests_per_hour = HOUR_MAX,
}: Declared): Registration | undefined {
  return enabled ? { emailDomains: email_domains, termsUrl: terms_url, hourMax: requests_per_hour } : undefined;
}
