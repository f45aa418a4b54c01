/** The operations that tell what applications can be configured with (spec application-management-api.md, operations 24-29). */
import * as z from "zod";
import { operation } from "../../operation/operation.ts";

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
    allowedGrantTypes: z.object({ options: z.array(NamedValue) }),
    defaultUserAccessTokenExpiryTime: z.string().meta({ description: "In seconds, like the other times" }),
    defaultApplicationAccessTokenExpiryTime: z.string(),
    defaultRefreshTokenExpiryTime: z.string(),
    defaultIdTokenExpiryTime: z.string(),
    idTokenEncryptionAlgorithm: Options,
    idTokenEncryptionMethod: Options,
    scopeValidators: Options,
    accessTokenType: Options,
    accessTokenBindingType: Options,
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
        availableValues: z.array(z.string()).meta({ description: "The only values that are accepted; empty for any" }),
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

const shared = { service: "application-metadata", method: "GET", scope: "internal_application_mgt_view" } as const;

export const metadataOperations = {
  listSupportedProtocols: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols",
    summary: "The inbound protocols that have metadata, custom ones first",
    source: "application API, operation 24",
    query: z.object({
      customOnly: z
        .enum(["true", "false"], { error: "expected true or false" })
        .transform((text) => text === "true")
        .optional()
        .meta({ type: "boolean", default: false, description: "Only the custom ones" }),
    }),
    success: { status: 200, body: z.array(NamedValue) },
    failures: [400],
  }),
  getSamlMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/saml",
    summary: "What SAML2 settings choose from",
    source: "application API, operation 25",
    success: { status: 200, body: SamlMetadata },
    failures: [],
  }),
  getOidcMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/oidc",
    summary: "What OAuth2 and OpenID Connect settings choose from",
    source: "application API, operation 26",
    success: { status: 200, body: OidcMetadata },
    failures: [],
  }),
  getWsTrustMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/ws-trust",
    summary: "What WS-Trust settings choose from",
    source: "application API, operation 27",
    success: { status: 200, body: WsTrustMetadata },
    failures: [],
  }),
  getCustomProtocolMetadata: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/inbound-protocols/{inboundProtocolId}",
    summary: "The properties of a custom protocol",
    source: "application API, operation 28",
    params: z.object({
      inboundProtocolId: z.string().meta({ description: "The protocol's name; + stands for a blank, as %20 does" }),
    }),
    success: { status: 200, body: CustomProtocolMetadata },
    failures: [404],
  }),
  getAdaptiveAuthTemplates: operation({
    ...shared,
    path: "/api/server/v1/applications/meta/adaptive-auth-templates",
    summary: "Sample scripts for adaptive authentication, by category",
    source: "application API, operation 29",
    success: { status: 200, body: AdaptiveAuthTemplates },
    failures: [],
  }),
} as const;
