/** The section `[sign_in]` of deployment.toml. */
import * as z from "../../kernel/zod.ts";
import type { SignInSettings } from "../../sign-in/flow/context.ts";
import type { Brand } from "../../sign-in/pages/layout.ts";
import { BrandedTenant, brandFrom } from "./brand.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

const MINUTE = 60;
/** 90 days. */
const LONGEST_MAX = 7_776_000;

const SignIn = table({
  session_idle_timeout: z
    .int()
    .min(5 * MINUTE)
    .max(LONGEST_MAX)
    .default(3_600),
  session_lifetime: z
    .int()
    .min(5 * MINUTE)
    .max(LONGEST_MAX)
    .default(43_200),
  identifiers: z
    .array(z.enum(["userName", "emails.value", "phoneNumbers.value"]))
    .refine((names) => names.includes("userName"), { error: 'must contain "userName", which always counts' })
    .refine((names) => new Set(names).size === names.length, { error: "has a name twice" })
    .default(["userName", "emails.value"]),
  tenant: z
    .array(BrandedTenant)
    .max(1_000)
    .refine((tenants) => new Set(tenants.map(({ domain }) => domain)).size === tenants.length, {
      error: "has a domain twice",
    })
    .default([]),
}).refine((declared) => declared.session_idle_timeout <= declared.session_lifetime, {
  path: ["session_idle_timeout"],
  error: "must be at most session_lifetime",
});

/** How people sign in. */
export const signInSection = section(
  { sign_in: SignIn.prefault({}) },
  ({ sign_in: declared }): { readonly signIn: SignInSettings } => ({
    signIn: {
      identifiers: new Set(declared.identifiers),
      sessions: { idleSeconds: declared.session_idle_timeout, longestSeconds: declared.session_lifetime },
      brandOf: brandsOf(declared.tenant),
    },
  }),
);

function brandsOf(tenants: readonly z.output<typeof BrandedTenant>[]): (tenant: string) => Brand {
  const brands = new Map(tenants.map((tenant) => [tenant.domain, brandFrom(tenant)]));
  return (tenant) => brands.get(tenant) ?? NO_BRAND;
}

const NO_BRAND: Brand = {};
