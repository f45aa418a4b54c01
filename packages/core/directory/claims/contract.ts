/** The operations that read claims, as in WSO2's Claim Management API v1 (decision 0100). */
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

export const DialectShown = z
  .object({
    id: z.string().meta({ description: "`local`, or the URI in Base64url" }),
    dialectURI: z.string(),
    link: z.object({ href: z.string(), rel: z.literal("claims") }),
  })
  .meta({ id: "ClaimDialect" });

const Property = z.object({ key: z.string(), value: z.string() }).meta({ id: "ClaimProperty" });

export const LocalClaimShown = z
  .object({
    id: z.string().meta({ description: "The URI in Base64url" }),
    claimURI: z.string(),
    dialectURI: z.string(),
    displayName: z.string(),
    description: z.string(),
    displayOrder: z.int(),
    readOnly: z.boolean(),
    required: z.boolean(),
    supportedByDefault: z.boolean(),
    multiValued: z.boolean(),
    dataType: z.enum(["string", "boolean", "integer"]),
    uniquenessScope: z.enum(["NONE", "WITHIN_USERSTORE", "ACROSS_USERSTORES"]),
    subAttributes: z.array(z.string()),
    canonicalValues: z.array(z.object({ label: z.string(), value: z.string() })),
    attributeMapping: z.array(z.object({ mappedAttribute: z.string(), userstore: z.string() })),
    properties: z.array(Property),
  })
  .meta({ id: "LocalClaim" });

export const ExternalClaimShown = z
  .object({
    id: z.string().meta({ description: "The URI in Base64url" }),
    claimURI: z.string(),
    claimDialectURI: z.string(),
    mappedLocalClaimURI: z.string(),
    properties: z.array(Property),
  })
  .meta({ id: "ExternalClaim" });

const unsupported = (type: "string" | "integer" = "string") =>
  z.string().max(1_000).optional().meta({ type, description: "Not supported: returns 501" });
const flag = (description: string) =>
  z
    .enum(["true", "false"], { error: "expected true or false" })
    .transform((text) => text === "true")
    .optional()
    .meta({ type: "boolean", default: false, description });

const ListQuery = z.object({
  limit: unsupported("integer"),
  offset: unsupported("integer"),
  filter: unsupported(),
  sort: unsupported(),
});
const ClaimQuery = ListQuery.extend({ attributes: unsupported() });
const LocalQuery = ClaimQuery.extend({
  "exclude-identity-claims": flag("Without the claims about the state of an account"),
  "exclude-hidden-claims": flag("Without hidden claims; this service has none"),
  profile: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "A profile, such as `console`: the claims that it shows" }),
});

const Id = z.string().min(1).max(1_000);
const ByDialect = z.object({ dialectId: Id });

const scopes = { view: "internal_claim_meta_view" } as const;
const at = endpointsOf("administration", "/api/server/v1/claim-dialects", scopes, "decision 0100");

export const claimOperations = {
  listClaimDialects: operation({
    ...at("GET", "", "view"),
    summary: "List the dialects of claims",
    query: ListQuery,
    success: { status: 200, body: z.array(DialectShown), etag: "content" },
    failures: [501],
  }),
  getClaimDialect: operation({
    ...at("GET", "/{dialectId}", "view"),
    summary: "Read a dialect of claims",
    params: ByDialect,
    success: { status: 200, body: DialectShown, etag: "content" },
    failures: [404],
  }),
  listLocalClaims: operation({
    ...at("GET", "/local/claims", "view"),
    summary: "List the local claims",
    query: LocalQuery,
    success: { status: 200, body: z.array(LocalClaimShown), etag: "content" },
    failures: [400, 501],
  }),
  getLocalClaim: operation({
    ...at("GET", "/local/claims/{claimId}", "view"),
    summary: "Read a local claim",
    params: z.object({ claimId: Id }),
    success: { status: 200, body: LocalClaimShown, etag: "content" },
    failures: [404],
  }),
  listExternalClaims: operation({
    ...at("GET", "/{dialectId}/claims", "view"),
    summary: "List the claims of a dialect, with the local claims that they are mapped to",
    params: ByDialect,
    query: ClaimQuery,
    success: { status: 200, body: z.array(ExternalClaimShown), etag: "content" },
    failures: [404, 501],
  }),
  getExternalClaim: operation({
    ...at("GET", "/{dialectId}/claims/{claimId}", "view"),
    summary: "Read a claim of a dialect",
    params: z.object({ dialectId: Id, claimId: Id }),
    success: { status: 200, body: ExternalClaimShown, etag: "content" },
    failures: [404],
  }),
} as const;
