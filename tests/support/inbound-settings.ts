/** Settings of protocols as applications store them, with nothing but what a test names. */
import type { InboundProtocols, SamlServiceProvider } from "#core/applications/protocols/model.ts";
import { samlServiceProvider } from "#core/applications/protocols/saml.ts";

/** A client with a client id. */
export const clientSettings = (clientId: string): NonNullable<InboundProtocols["oidc"]> => ({
  clientId,
  sealedSecret: "sealed",
  latestSecret: { secretId: "first", createdAtSeconds: 1_700_000_000 },
  state: "ACTIVE",
  grantTypes: ["client_credentials"],
  callbackURLs: [],
  allowedOrigins: [],
  publicClient: false,
  pkce: { mandatory: false, supportPlainTransformAlgorithm: false },
  accessToken: {
    type: "JWT",
    userAccessTokenExpiryInSeconds: 3_600,
    applicationAccessTokenExpiryInSeconds: 3_600,
    revokeTokensWhenIDPSessionTerminated: false,
    validateTokenBinding: false,
    accessTokenAttributes: [],
  },
  refreshToken: { expiryInSeconds: 86_400, renewRefreshToken: false },
  idToken: { expiryInSeconds: 3_600, audience: [], encryption: { enabled: false, algorithm: "", method: "" } },
  logout: {},
  validateRequestObjectSignature: false,
  scopeValidators: [],
});

/** A service provider with an issuer. */
export const samlSettings = (issuer: string): SamlServiceProvider =>
  samlServiceProvider({ issuer, assertionConsumerUrls: [] }, undefined);
