/** The sections `[[resource.access_control]]` and `[intermediate_cert_validation]` of deployment.toml. */

import { systemScopes } from "../../kernel/domain/system-apis.ts";
import { nearest } from "../../kernel/nearest.ts";
import * as z from "../../kernel/zod.ts";
import {
  type AccessRule,
  type AccessSettings,
  type AuthenticationHandler,
  authenticationHandlers,
  type CertificateSettings,
} from "../../sign-in/authentication/access-control/model.ts";
import { section } from "./section.ts";
import { pem, table } from "./shared.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const TEXT_MAX = 1_000;
const LIST_MAX = 100;

/** A list, or one string with spaces or commas between its words. Upstream's files use both. */
const Words = z
  .union([z.string().max(TEXT_MAX), z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX)], {
    error: "must be a list of strings, or one string",
  })
  .transform((given) => (typeof given === "string" ? given.split(/[\s,]+/).filter((word) => word !== "") : given));

const Switch = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
  error: "must be true or false",
});

const Methods = Words.transform((words) => words.map((word) => word.toUpperCase())).superRefine((words, context) => {
  const odd = words.find((word) => word !== "ALL" && !METHODS.includes(word));
  if (odd !== undefined) {
    context.addIssue({
      code: "custom",
      message: `must be "all" or some of ${METHODS.join(", ")}; "${odd}" is not a method`,
    });
  }
  if (words.length === 0) context.addIssue({ code: "custom", message: 'must be "all" or at least one method' });
});

const Handlers = Words.superRefine((words, context) => {
  const odd = words.find((word) => word !== "all" && !(authenticationHandlers as readonly string[]).includes(word));
  if (odd !== undefined) {
    context.addIssue({
      code: "custom",
      message: `must be "all" or some of ${authenticationHandlers.join(", ")}; "${odd}" is not a handler`,
    });
  }
});

/** Scopes of this service. Other words would be rights that a tenant can make (decision 0143). */
const Scopes = Words.superRefine((words, context) => {
  const known = [...systemScopes];
  for (const word of new Set(words.filter((each) => !systemScopes.has(each)))) {
    const meant = scopeOfPermission(word) ?? nearest(word, known);
    const hint = meant === undefined ? "GET /api/server/v1/scopes lists them" : `did you mean "${meant}"?`;
    const kind = word.startsWith("/permission") ? "a path of a permission; here permissions are scopes" : "none";
    context.addIssue({
      code: "custom",
      message: `must be scopes of this service; "${word.slice(0, 100)}" is ${kind} (${hint})`,
    });
  }
});

const Rule = table({
  // A path may lack its leading slash; a pattern may begin with other characters.
  context: z
    .string()
    .trim()
    .min(1)
    .max(TEXT_MAX)
    .transform((context) => (/^[/(^.*]/.test(context) ? context : `/${context}`)),
  http_method: Methods,
  secured: Switch.optional(),
  secure: Switch.optional(),
  permissions: Scopes.optional(),
  scope: Scopes.optional(),
  scopes: Scopes.optional(),
  allowed_auth_handlers: Handlers.optional(),
}).superRefine((rule, context) => {
  if (!agree(rule.secured, rule.secure)) {
    context.addIssue({
      code: "custom",
      path: ["secure"],
      message: "contradicts secured; keep only one of the two keys",
    });
  }
  if (!agree(rule.scope, rule.scopes)) {
    context.addIssue({ code: "custom", path: ["scopes"], message: "contradicts scope; keep only one of the two keys" });
  }
});

/** `[resource.access_control]` once, or `[[resource.access_control]]` several times. */
const AccessControl = z.preprocess(
  (given) => (typeof given === "object" && given !== null && !Array.isArray(given) ? [given] : given),
  z
    .array(z.lazy(() => Rule))
    .max(LIST_MAX)
    .default([]),
);

const Issuer = table({
  cn: z.string().min(1).max(TEXT_MAX),
  certificate: pem(16_384).optional(),
  tenants: z.array(z.string().min(1).max(255)).min(1).max(LIST_MAX).optional(),
});

const Certificates = table({
  enable: Switch.default(false),
  cert_cns: z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX).default([]),
  exempt_contexts: z.array(z.string().min(1).max(TEXT_MAX)).max(LIST_MAX).default([]),
  issuer: z
    .array(z.lazy(() => Issuer))
    .max(LIST_MAX)
    .default([]),
}).superRefine(({ enable, cert_cns, issuer }, context) => {
  if (enable && cert_cns.length + issuer.length === 0) {
    context.addIssue({
      code: "custom",
      path: ["cert_cns"],
      message: "must name at least one issuer of certificates, because enable = true",
    });
  }
});

/** Who may do what: the rules of the operator, and client certificates as credentials. */
export const accessSection = section(
  {
    intermediate_cert_validation: Certificates.prefault({}),
    resource: table({ access_control: AccessControl }).prefault({}),
  },
  ({ intermediate_cert_validation: certificates, resource }, lineOf): { readonly access: AccessSettings } => ({
    access: {
      rules: rulesOf(
        resource.access_control,
        (index) => lineOf(["resource", "access_control", index]) ?? lineOf(["resource", "access_control"]),
      ),
      certificates: certificatesOf(certificates),
    },
  }),
);

/** The rules, in the order of the file. `lineOf` finds the line of the rule with an index. */
function rulesOf(
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
      // Absent means secured. Upstream would open the paths instead (decision 0051).
      isSecured: rule.secured ?? rule.secure ?? true,
      // An empty list requires no scope. An absent key keeps the scope of the operation.
      scopes: scopes === undefined && permissions.length === 0 ? undefined : [...(scopes ?? []), ...permissions],
      handlers:
        handlers.length === 0 || handlers.includes("all") ? undefined : new Set(handlers as AuthenticationHandler[]),
    };
  });
}

/** An issuer with a section of its own must fulfil that section, also where `cert_cns` lists it. */
function certificatesOf(declared: z.output<typeof Certificates>): CertificateSettings {
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

/** The scope that replaced a permission of WSO2 Identity Server before 7.0, such as `/permission/admin/login`. */
function scopeOfPermission(path: string): string | undefined {
  const [, resource, act] = /^\/permission\/.*?([a-z]+?)_?mgt\/(\w+)$/.exec(path) ?? [];
  const scope = resource === undefined ? "internal_login" : `internal_${resource}_mgt_${act}`;
  const isKnown = resource === undefined ? path === "/permission/admin/login" : systemScopes.has(scope);
  return isKnown ? scope : undefined;
}

/** Whether two spellings of one key do not contradict each other. */
function agree(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined || JSON.stringify(one) === JSON.stringify(other);
}
