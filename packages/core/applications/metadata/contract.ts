/** The operations that list what applications can be configured with. */

import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

const Options = z
  .object({ options: z.array(z.string()), defaultValue: z.string().optional() })
  .meta({ id: "MetadataOptions" });

const NamedValue = z.object({ name: z.string(), displayName: z.string() }).meta({ id: "NamedValue" });

const SamlMetadata = z
  .object({
    defaultNameIdFormat: z.string(),
    certificateAlias: Options,
    responseSigningAlgorithm: Options,
    responseDigestAlgorithm: Options,
    assertionEncryptionAlgorithm: Options,
    keyEncryptionAlgorithm: Options,
  })
  .meta({ id: "SAMLMetadata" });

const OidcMetadata = z
  .object({
    allowedGrantTypes: z.object({
      options: z.array(NamedValue.extend({ publicClientAllowed: z.boolean() }).meta({ id: "GrantTypeOption" })),
    }),
    defaultUserAccessTokenExpiryTime: z.string().meta({ description: "In seconds, as the other times" }),
    defaultApplicationAccessTokenExpiryTime: z.string(),
    defaultRefreshTokenExpiryTime: z.string(),
    defaultIdTokenExpiryTime: z.string(),
    idTokenEncryptionAlgorithm: Options,
    idTokenEncryptionMethod: Options,
    scopeValidators: Options,
    accessTokenType: Options,
    accessTokenBindingType: Options,
    tokenEndpointAuthMethod: z
      .object({ options: z.array(NamedValue) })
      .meta({ description: "How a client may authenticate; the empty name is no registered method" }),
    tokenEndpointSignatureAlgorithm: Options,
    tokenEndpointAllowReusePvtKeyJwt: z.boolean().meta({ description: "The default" }),
    idTokenSignatureAlgorithm: Options,
    requestObjectSignatureAlgorithm: Options,
    requestObjectEncryptionAlgorithm: Options,
    requestObjectEncryptionMethod: Options,
    subjectType: Options,
    fapiMetadata: z.object({
      fapiProfiles: Options,
      allowedSignatureAlgorithms: Options,
      allowedEncryptionAlgorithms: Options,
      tokenEndpointAuthMethod: Options,
    }),
    cibaMetadata: z.object({ supportedNotificationChannels: z.array(NamedValue) }),
    allowedIssuers: z
      .array(z.string())
      .meta({ description: "Tokens have this issuer; no application can choose another" }),
  })
  .meta({ id: "OIDCMetadata" });

const WsTrustMetadata = z.object({ certificateAlias: Options }).meta({ id: "WSTrustMetadata" });

const CustomProtocolMetadata = z
  .object({
    displayName: z.string(),
    configName: z.string(),
    properties: z.array(
      z.object({
        name: z.string(),
        displayName: z.string(),
        type: z.enum(["STRING", "BOOLEAN", "INTEGER"]),
        required: z.boolean(),
        availableValues: z.array(z.string()).meta({ description: "The accepted values; empty for any value" }),
        defaultValue: z.string().optional(),
        validationRegex: z.string().optional(),
        displayOrder: z.int(),
        isConfidential: z.boolean(),
      }),
    ),
  })
  .meta({ id: "CustomInboundProtocolMetadata" });

const AdaptiveAuthTemplates = z
  .object({
    templatesJSON: z
      .string()
      .meta({ description: "A JSON object of categories, each with its templates, as one string" }),
  })
  .meta({ id: "AdaptiveAuthTemplates" });

/** They describe the service and its deployment, nothing of a tenant. */
const shared = {
  service: "application-metadata",
  method: "GET",
  scope: "internal_application_mgt_view",
  openable: true,
} as const;

export const metadataOperations = {
  listSupportedProtocols: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols",
    does: [],
    summary: "List the inbound protocols that have metadata, custom protocols first",
    source: "AM-024",
    query: z.object({
      customOnly: z
        .enum(["true", "false"], { error: "expected true or false" })
        .transform((text) => text === "true")
        .optional()
        .meta({ type: "boolean", default: false, description: "Only custom protocols" }),
    }),
    success: { status: 200, body: z.array(NamedValue), etag: "content" },
    failures: [400],
  }),
  getSamlMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/saml",
    does: [],
    summary: "Read the allowed values of SAML2 settings",
    source: "AM-025",
    success: { status: 200, body: SamlMetadata, etag: "content" },
    failures: [],
  }),
  getOidcMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/oidc",
    does: [],
    summary: "Read the allowed values of OAuth2 and OpenID Connect settings",
    source: "AM-026",
    success: { status: 200, body: OidcMetadata, etag: "content" },
    failures: [],
  }),
  getWsTrustMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/ws-trust",
    does: [],
    summary: "Read the allowed values of WS-Trust settings",
    source: "AM-027",
    success: { status: 200, body: WsTrustMetadata, etag: "content" },
    failures: [],
  }),
  getCustomProtocolMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/{inboundProtocolId}",
    does: [],
    summary: "Read the properties of a custom protocol",
    source: "AM-028",
    params: z.object({
      inboundProtocolId: z.string().meta({ description: "The name of the protocol; `+` means a blank, as `%20` does" }),
    }),
    success: { status: 200, body: CustomProtocolMetadata, etag: "content" },
    failures: [404],
  }),
  getAdaptiveAuthTemplates: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/adaptive-auth-templates",
    does: [],
    summary: "Read sample scripts of adaptive authentication, by category",
    source: "AM-029",
    success: { status: 200, body: AdaptiveAuthTemplates, etag: "content" },
    failures: [],
  }),
} as const;
