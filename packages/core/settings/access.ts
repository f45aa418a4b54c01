/** The sections of deployment.toml on access: `[[resource.access_control]]` and `[intermediate_cert_validation]`. */
import { X509Certificate } from "node:crypto";
import * as z from "zod";
import {
  type AccessRule,
  type AuthenticationHandler,
  authenticationHandlers,
  type CertificateSettings,
} from "../auth/access-control/model.ts";
import { table } from "./table.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const TEXT_MAX = 1_000;
const LIST_MAX = 100;

/** A list, or one text with blanks or commas between its parts: real files have both. */
const Words = z
  .union([z.string().max(TEXT_MAX), z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX)], {
    error: "expected a list of texts, or one text",
  })
  .transform((given) => (typeof given === "string" ? given.split(/[\s,]+/).filter((word) => word !== "") : given));

const Switch = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
  error: "expected true or false",
});

const Methods = Words.transform((words) => words.map((word) => word.toUpperCase())).superRefine((words, context) => {
  const odd = words.find((word) => word !== "ALL" && !METHODS.includes(word));
  if (odd !== undefined) {
    context.addIssue({ code: "custom", message: `"${odd}" is no method (all, or some of ${METHODS.join(", ")})` });
  }
  if (words.length === 0) context.addIssue({ code: "custom", message: 'expected a method, or "all"' });
});

const Handlers = Words.superRefine((words, context) => {
  const odd = words.find((word) => word !== "all" && !(authenticationHandlers as readonly string[]).includes(word));
  if (odd !== undefined) {
    context.addIssue({
      code: "custom",
      message: `"${odd}" is no handler (all, or some of ${authenticationHandlers.join(", ")})`,
    });
  }
});

const Rule = table({
  // Relative to the root, with its slash or without; a pattern may begin otherwise.
  context: z
    .string()
    .trim()
    .min(1)
    .max(TEXT_MAX)
    .transform((context) => (/^[/(^.*]/.test(context) ? context : `/${context}`)),
  http_method: Methods,
  secured: Switch.optional(),
  secure: Switch.optional(),
  permissions: Words.optional(),
  scope: Words.optional(),
  scopes: Words.optional(),
  allowed_auth_handlers: Handlers.optional(),
}).superRefine((rule, context) => {
  if (!agree(rule.secured, rule.secure)) {
    context.addIssue({ code: "custom", path: ["secure"], message: "says something else than secured" });
  }
  if (!agree(rule.scope, rule.scopes)) {
    context.addIssue({ code: "custom", path: ["scopes"], message: "says something else than scope" });
  }
});

/** One table or several. */
export const AccessControl = z.preprocess(
  (given) => (typeof given === "object" && given !== null && !Array.isArray(given) ? [given] : given),
  z.array(Rule).max(LIST_MAX).default([]),
);

const Pem = z
  .string()
  .max(16_384)
  .refine((text) => {
    try {
      return new X509Certificate(text).publicKey !== undefined;
    } catch {
      return false;
    }
  }, "is no certificate in PEM");

const Issuer = table({
  cn: z.string().min(1).max(TEXT_MAX),
  certificate: Pem.optional(),
  tenants: z.array(z.string().min(1).max(255)).min(1).max(LIST_MAX).optional(),
});

/** The section on certificates. */
export const Certificates = table({
  enable: Switch.default(false),
  cert_cns: z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX).default([]),
  exempt_contexts: z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX).default([]),
  issuer: z.array(Issuer).max(LIST_MAX).default([]),
}).superRefine(({ enable, cert_cns, issuer }, context) => {
  if (enable && cert_cns.length + issuer.length === 0) {
    context.addIssue({
      code: "custom",
      path: ["cert_cns"],
      message: "names nobody: with enable = true the issuers of certificates must be named",
    });
  }
});

/** The rules, in the order of the file; `lineOf` tells where each stands. */
export function rulesOf(
  declared: z.output<typeof AccessControl>,
  lineOf: (index: number) => number | undefined,
): readonly AccessRule[] {
  return declared.map((rule, index) => {
    const line = lineOf(index);
    const handlers = rule.allowed_auth_handlers ?? [];
    const scopes = rule.scope ?? rule.scopes;
    const { permissions = [] } = rule;
    return {
      place: `resource.access_control number ${index + 1}${line === undefined ? "" : ` (line ${line})`}`,
      context: rule.context,
      methods: rule.http_method.includes("ALL") ? undefined : new Set(rule.http_method),
      // Absent means secured: upstream's own reading of an unknown spelling as open is not followed.
      isSecured: rule.secured ?? rule.secure ?? true,
      // An empty list says "none"; a key that is left out says nothing.
      scopes: scopes === undefined && permissions.length === 0 ? undefined : [...(scopes ?? []), ...permissions],
      handlers:
        handlers.length === 0 || handlers.includes("all") ? undefined : new Set(handlers as AuthenticationHandler[]),
    };
  });
}

/** How certificates are judged. An issuer that has a section of its own is held to that section. */
export function certificatesOf(declared: z.output<typeof Certificates>): CertificateSettings {
  const own = new Set(declared.issuer.map(({ cn }) => cn));
  return {
    enabled: declared.enable,
    issuers: [
      ...declared.issuer.map(({ cn, certificate, tenants }) => ({
        commonName: cn,
        certificate,
        tenants: tenants && new Set(tenants.map((tenant) => tenant.toLowerCase())),
      })),
      ...declared.cert_cns.filter((cn) => !own.has(cn)).map((commonName) => ({ commonName })),
    ],
    exemptContexts: declared.exempt_contexts.map((context) => `/${context.replace(/^\/+|\/+$/g, "")}`),
  };
}

/** Both spellings of a key; both at once must agree, or nobody could say what was meant. */
function agree(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined || JSON.stringify(one) === JSON.stringify(other);
}
