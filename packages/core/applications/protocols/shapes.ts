/**
 * The shapes of inbound protocol settings (AM-093 to AM-134). Bodies have limits and no defaults; responses have no
 * limits, and all defaults.
 */
import * as z from "../../kernel/zod.ts";
import { SECRET_SCOPES } from "./contract-secrets.ts";
import { PATTERN_LIMITS } from "./pattern-size.ts";
import { SamlImported } from "./shapes-imported.ts";
import { gracefulRotation, refusedMembers, signInMembers, signInShown } from "./shapes-sign-in.ts";

const url = text(2_048);
const LIST_MAX = 100;
/** A lifetime in seconds; 0 means the server's default. */
const lifetime = z.int().min(0).max(2_147_483_647).optional();
const flag = z.boolean().optional();
/** One of some words: the rules refuse any other, however long it is, with the code of an unknown one. */
const choice = z.string();

/** How times of secrets are given. */
export const EXPIRY = "in seconds since 1970; 0 means never";

/** checkExpiry refuses negative times, with the code of Identity Server. The most is the end of the year 9999. */
export const secretExpiry = z.int().min(-253_402_300_799).max(253_402_300_799);

export const OidcBody = z
  .object({
    clientId: text(255).min(1).optional(),
    clientSecret: text(1_024).min(1).optional(),
    clientSecretExpiresAt: secretExpiry
      .optional()
      .meta({ description: `When the secret of a new client expires, ${EXPIRY}` }),
    grantTypes: list(choice).min(1),
    callbackURLs: list(url)
      .optional()
      .meta({ description: `At most ten of them are RE2 expressions, written regexp=..., with ${PATTERN_LIMITS}` }),
    allowedOrigins: list(url).optional(),
    publicClient: flag,
    pkce: z.object({ mandatory: flag, supportPlainTransformAlgorithm: flag }).optional(),
    accessToken: z
      .object({
        type: choice.optional(),
        userAccessTokenExpiryInSeconds: lifetime,
        applicationAccessTokenExpiryInSeconds: lifetime,
        bindingType: choice.optional(),
        revokeTokensWhenIDPSessionTerminated: flag,
        validateTokenBinding: flag,
        accessTokenAttributes: list(text(255)).optional(),
        enableJwtScopeAsArray: flag,
      })
      .optional(),
    refreshToken: z
      .object({
        expiryInSeconds: lifetime,
        renewRefreshToken: flag,
        extendRenewedRefreshTokenExpiryTime: flag.meta({
          description: "false: a renewed refresh token expires when the one before it would have. Default: true",
        }),
        ...gracefulRotation,
      })
      .optional(),
    idToken: z
      .object({
        expiryInSeconds: lifetime,
        audience: list(url).optional(),
        idTokenSignedResponseAlg: choice.optional(),
        encryption: z.object({ enabled: flag, algorithm: choice.optional(), method: choice.optional() }).optional(),
      })
      .optional(),
    logout: z.object({ backChannelLogoutUrl: url.optional(), frontChannelLogoutUrl: url.optional() }).optional(),
    subjectToken: z
      .object({ enable: flag, applicationSubjectTokenExpiryInSeconds: lifetime })
      .optional()
      .meta({ description: "Kept for the sign-in side, which issues subject tokens: tokens to act as another user" }),
    validateRequestObjectSignature: flag,
    scopeValidators: list(choice).optional(),
    clientAuthentication: z
      .object({
        tokenEndpointAuthMethod: choice.optional().meta({
          description: "The only method that the client may use. Empty or absent: its secret, in a header or in a form",
        }),
        tokenEndpointAuthSigningAlg: choice.optional().meta({
          description: "For private_key_jwt: the only algorithm of its assertions. Empty or absent: any supported one",
        }),
        tokenEndpointAllowReusePvtKeyJwt: flag.meta({
          description: "For private_key_jwt: an assertion can be used until it expires, not only once",
        }),
        tlsClientAuthSubjectDn: text(1_024)
          .optional()
          .meta({
            description:
              "For tls_client_auth: the subject of the client's certificate (RFC 4514). Empty or absent: its certificate " +
              "must be the one that the application has registered",
          }),
      })
      .optional(),
    ...signInMembers,
    ...refusedMembers,
  })
  .meta({ id: "OIDCConfigurationBody" });

export const OidcShown = z
  .object({
    clientId: z.string(),
    clientSecret: z.string().optional().meta({ description: "The latest secret of the client" }),
    clientSecretExpiresAt: z
      .int()
      .optional()
      .meta({ description: `When the latest secret expires, ${EXPIRY}` }),
    multipleClientSecretsConfigured: z
      .boolean()
      .optional()
      .meta({ description: "Whether the client has more than one secret, expired ones included" }),
    state: z.enum(["ACTIVE", "REVOKED"]),
    grantTypes: z.array(z.string()),
    callbackURLs: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    publicClient: z.boolean(),
    pkce: z.object({ mandatory: z.boolean(), supportPlainTransformAlgorithm: z.boolean() }),
    accessToken: z.object({
      type: z.string(),
      userAccessTokenExpiryInSeconds: z.int(),
      applicationAccessTokenExpiryInSeconds: z.int(),
      bindingType: z.string().optional(),
      revokeTokensWhenIDPSessionTerminated: z.boolean(),
      validateTokenBinding: z.boolean(),
      accessTokenAttributes: z.array(z.string()),
      enableJwtScopeAsArray: flag,
    }),
    refreshToken: z.object({
      expiryInSeconds: z.int(),
      renewRefreshToken: z.boolean(),
      extendRenewedRefreshTokenExpiryTime: flag,
      gracefulRefreshTokenRotationEnabled: flag,
      gracefulRefreshTokenRotationValidityPeriod: z.int().optional(),
      gracefulRefreshTokenReuseLimit: z.int().optional(),
    }),
    idToken: z.object({
      expiryInSeconds: z.int(),
      audience: z.array(z.string()),
      idTokenSignedResponseAlg: z.string().optional(),
      encryption: z.object({ enabled: z.boolean(), algorithm: z.string(), method: z.string() }),
    }),
    logout: z.object({ backChannelLogoutUrl: z.string().optional(), frontChannelLogoutUrl: z.string().optional() }),
    subjectToken: z.object({ enable: z.boolean(), applicationSubjectTokenExpiryInSeconds: z.int() }).optional(),
    validateRequestObjectSignature: z.boolean(),
    scopeValidators: z.array(z.string()),
    clientAuthentication: z
      .object({
        tokenEndpointAuthMethod: z.string().optional(),
        tokenEndpointAuthSigningAlg: z.string().optional(),
        tokenEndpointAllowReusePvtKeyJwt: z.boolean(),
        tlsClientAuthSubjectDn: z.string().optional(),
      })
      .optional(),
    ...signInShown,
  })
  .meta({ id: "OIDCConfiguration" });

const BINDINGS = ["HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"] as const;
const LOGOUT_METHODS = ["BACKCHANNEL", "FRONTCHANNEL_HTTP_REDIRECT", "FRONTCHANNEL_HTTP_POST"] as const;

export const SamlManual = z
  .object({
    issuer: text(2_048),
    serviceProviderQualifier: text(255).optional(),
    assertionConsumerUrls: list(url).min(1),
    defaultAssertionConsumerUrl: url.optional(),
    idpEntityIdAlias: url.optional(),
    singleSignOnProfile: z
      .object({
        bindings: z.array(z.enum(BINDINGS)).max(3).optional(),
        enableSignatureValidationForArtifactBinding: flag,
        attributeConsumingServiceIndex: text(50).optional(),
        enableIdpInitiatedSingleSignOn: flag,
        assertion: z
          .object({
            nameIdFormat: text(255).optional(),
            audiences: list(url).optional(),
            recipients: list(url).optional(),
            digestAlgorithm: choice.optional(),
            encryption: z
              .object({
                enabled: flag,
                assertionEncryptionAlgorithm: choice.optional(),
                keyEncryptionAlgorithm: choice.optional(),
              })
              .optional(),
          })
          .optional(),
      })
      .optional(),
    attributeProfile: z
      .object({ enabled: flag, alwaysIncludeAttributesInResponse: flag, nameFormat: text(255).optional() })
      .optional(),
    singleLogoutProfile: z
      .object({
        enabled: flag,
        logoutRequestUrl: url.optional(),
        logoutResponseUrl: url.optional(),
        logoutMethod: z.enum(LOGOUT_METHODS).optional(),
        idpInitiatedSingleLogout: z.object({ enabled: flag, returnToUrls: list(url).optional() }).optional(),
      })
      .optional(),
    requestValidation: z
      .object({ enableSignatureValidation: flag, signatureValidationCertAlias: text(2_048).optional() })
      .optional(),
    responseSigning: z.object({ enabled: flag, signingAlgorithm: choice.optional() }).optional(),
    enableAssertionQueryProfile: flag,
    imported: SamlImported.optional().meta({
      description: "What metadata said. Absent: it stays while the issuer does. Empty: it is forgotten",
    }),
  })
  .meta({ id: "SAML2ServiceProviderBody" });

/** Body of SAML settings: exactly one of three sources; saml.ts checks it. */
export const SamlBody = z
  .object({
    metadataFile: text(1_000_000).optional(),
    metadataURL: url.optional(),
    manualConfiguration: SamlManual.optional(),
  })
  .meta({ id: "SAML2Configuration" });

export const SamlShown = z
  .object({
    issuer: z.string(),
    serviceProviderQualifier: z.string().optional(),
    assertionConsumerUrls: z.array(z.string()),
    defaultAssertionConsumerUrl: z.string(),
    idpEntityIdAlias: z.string().optional(),
    singleSignOnProfile: z.object({
      bindings: z.array(z.string()),
      enableSignatureValidationForArtifactBinding: z.boolean(),
      attributeConsumingServiceIndex: z.string(),
      enableIdpInitiatedSingleSignOn: z.boolean(),
      assertion: z.object({
        nameIdFormat: z.string(),
        audiences: z.array(z.string()),
        recipients: z.array(z.string()),
        digestAlgorithm: z.string(),
        encryption: z.object({
          enabled: z.boolean(),
          assertionEncryptionAlgorithm: z.string(),
          keyEncryptionAlgorithm: z.string(),
        }),
      }),
    }),
    attributeProfile: z.object({
      enabled: z.boolean(),
      alwaysIncludeAttributesInResponse: z.boolean(),
      nameFormat: z.string(),
    }),
    singleLogoutProfile: z.object({
      enabled: z.boolean(),
      logoutRequestUrl: z.string().optional(),
      logoutResponseUrl: z.string().optional(),
      logoutMethod: z.string(),
      idpInitiatedSingleLogout: z.object({ enabled: z.boolean(), returnToUrls: z.array(z.string()) }),
    }),
    requestValidation: z.object({
      enableSignatureValidation: z.boolean(),
      signatureValidationCertAlias: z.string().optional(),
    }),
    responseSigning: z.object({ enabled: z.boolean(), signingAlgorithm: z.string() }),
    enableAssertionQueryProfile: z.boolean(),
    imported: SamlImported.optional(),
  })
  .meta({ id: "SAML2ServiceProvider" });

export const PassiveStsBody = z
  .object({ realm: text(2_048).min(1), replyTo: url.min(1), replyToLogout: url.optional() })
  .meta({ id: "PassiveSTSBody" });
export const PassiveStsShown = z
  .object({ realm: z.string(), replyTo: z.string(), replyToLogout: z.string().optional() })
  .meta({ id: "PassiveSTS" });

export const WsTrustBody = z
  .object({ audience: text(2_048).min(1), certificateAlias: text(255).min(1) })
  .meta({ id: "WSTrustBody" });
export const WsTrustShown = z.object({ audience: z.string(), certificateAlias: z.string() }).meta({ id: "WSTrust" });

/** Body of custom protocol settings; custom.ts checks it against the declaration. */
export const CustomBody = z
  .object({
    name: text(255).min(1),
    configName: text(255).min(1),
    properties: list(
      z.object({
        key: text(255).min(1),
        value: text(10_000).optional().meta({
          description: "Without a value, a confidential property keeps its value, and others get their default",
        }),
      }),
    ).optional(),
  })
  .meta({ id: "CustomProtocolBody" });
export const CustomShown = z
  .object({
    name: z.string(),
    configName: z.string(),
    properties: z.array(
      z.object({
        key: z.string(),
        value: z
          .string()
          .optional()
          .meta({
            description: `Absent for a confidential property, unless the caller has the scope ${SECRET_SCOPES.join(" or ")}`,
          }),
        friendlyName: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "CustomProtocol" });

export const InboundProtocolsBody = z
  .object({
    saml: SamlBody.optional(),
    oidc: OidcBody.optional(),
    passiveSts: PassiveStsBody.optional(),
    wsTrust: WsTrustBody.optional(),
    custom: list(CustomBody).optional(),
  })
  .meta({ id: "InboundProtocols" });

export const InboundProtocolRef = z
  .object({ type: z.string(), name: z.string(), self: z.string() })
  .meta({ id: "InboundProtocolRef" });

function text(most: number) {
  return z.string().max(most);
}

function list<T extends z.ZodType>(of: T) {
  return z.array(of).max(LIST_MAX);
}
