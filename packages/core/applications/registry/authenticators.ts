/** The authenticators that an authentication step may name. */

/** Local authenticators by name. Those with `isHandler` prepare a sign-in and cannot be its only authenticators. */
export const localAuthenticators: ReadonlyMap<string, { readonly displayName: string; readonly isHandler?: true }> =
  new Map([
    ["BasicAuthenticator", { displayName: "Username & Password" }],
    ["basic", { displayName: "Username & Password" }],
    ["IdentifierExecutor", { displayName: "Identifier First", isHandler: true }],
    ["FIDOAuthenticator", { displayName: "Passkey" }],
    ["fido", { displayName: "Passkey" }],
    ["totp", { displayName: "TOTP" }],
    ["email-otp-authenticator", { displayName: "Email OTP" }],
    ["sms-otp-authenticator", { displayName: "SMS OTP" }],
    ["MagicLinkAuthenticator", { displayName: "Magic Link" }],
    ["backup-code-authenticator", { displayName: "Backup Code" }],
    ["push-notification-authenticator", { displayName: "Push Notification" }],
    ["SessionExecutor", { displayName: "Active Sessions Limit", isHandler: true }],
    ["x509CertificateAuthenticator", { displayName: "X509 Certificate" }],
    ["JWTBasicAuthenticator", { displayName: "JWT Basic" }],
  ]);

/** Authenticators that read the credential from the request. */
export const requestPathAuthenticators: ReadonlySet<string> = new Set([
  "BasicAuthRequestPathAuthenticator",
  "OAuthRequestPathAuthenticator",
]);

/** The name of this service as an identity provider. */
export const LOCAL_IDP = "LOCAL";

/** The default sequence of the server, for applications without one. */
export const defaultSteps = [{ id: 1, options: [{ idp: LOCAL_IDP, authenticator: "BasicAuthenticator" }] }];
