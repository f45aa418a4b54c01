/** The authenticators that an authentication step may name (reference application-api.md section 3.8). */

/** Local authenticators by name, with the name that people see. `isHandler` ones only prepare a sign-in; they cannot be all of it. */
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

/** Authenticators that read the credential from the request itself. */
export const requestPathAuthenticators: ReadonlySet<string> = new Set([
  "BasicAuthRequestPathAuthenticator",
  "OAuthRequestPathAuthenticator",
]);

/** The identity provider name that stands for this service itself. */
export const LOCAL_IDP = "LOCAL";

/** What signs a user in where an application says nothing: the server-wide default sequence. */
export const defaultSteps = [{ id: 1, options: [{ idp: LOCAL_IDP, authenticator: "BasicAuthenticator" }] }];
