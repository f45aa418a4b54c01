/**
 * The endpoint groups: one Lambda function each, and the paths that the gateway routes to it.
 *
 * A mount is two gateway routes, the path itself and everything below it, each also below `/t/{tenant}`. Where two
 * routes match a path, API Gateway prefers a full match to a greedy one, then the longer route, then the one with more
 * literal segments.
 */

/** The format of errors and bodies on a path. */
export type Dialect = "management" | "scim1" | "scim2" | "oauth2" | "authzen";

/** One endpoint group. */
export interface Service {
  readonly dialect: Dialect;
  readonly mounts: readonly `/${string}`[];
  /** Single paths: one route each, also below `/t/{tenant}`, and nothing below them. */
  readonly documents?: readonly `/${string}`[];
  /** True for the one function that also gets the requests that no route matches. */
  readonly takesDefault?: true;
}

const table = {
  applications: { dialect: "management", mounts: ["/api/server/v1/applications"] },
  "inbound-protocols": {
    dialect: "management",
    mounts: ["/api/server/v1/applications/{applicationId}/inbound-protocols"],
  },
  "application-templates": { dialect: "management", mounts: ["/api/server/v1/applications/templates"] },
  administration: {
    dialect: "management",
    mounts: [
      "/api/server/v1/api-resources",
      "/api/server/v1/claim-dialects",
      "/api/server/v1/identity-providers",
      "/api/server/v1/meta/api-resource-collections",
      "/api/server/v1/oidc/scopes",
      "/api/server/v1/organizations",
      "/api/server/v1/scopes",
      "/api/server/v1/tenants",
      "/api/server/v1/userstores",
    ],
  },
  /** Restores resources of every kind: the only function that writes all of them. It reads no secret. */
  recovery: { dialect: "management", mounts: ["/api/server/v1/deleted-resources"] },
  /** Receivers of events. The function that delivers to them is another one, which no request reaches. */
  webhooks: { dialect: "management", mounts: ["/api/server/v1/webhooks"] },
  /** Reads what all others have changed, explains who may do what, and writes nothing. */
  audit: {
    dialect: "management",
    mounts: [
      "/api/server/v1/access",
      "/api/server/v1/audit-events",
      "/api/server/v1/changes",
      "/access/v1",
      "/.well-known/authzen-configuration",
    ],
  },
  scim1: { dialect: "scim1", mounts: ["/svc/scim"] },
  scim2: { dialect: "scim2", mounts: ["/scim2"] },
  /** The only function that signs tokens and, with the authorizer, the only one that reads password hashes. */
  oauth2: {
    dialect: "oauth2",
    mounts: [
      "/oauth2",
      "/.well-known/openid-configuration",
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource",
    ],
  },
  /**
   * Where people sign in. With the authorizer and the token endpoint the only function that verifies passwords, and the
   * only one that reads sessions.
   */
  "sign-in": {
    dialect: "oauth2",
    mounts: [
      "/oauth2/authorize",
      "/oauth2/sign-in",
      "/oauth2/sign-out",
      "/oauth2/userinfo",
      "/oauth2/sso",
      "/oidc/logout",
      "/account/sign-in",
    ],
    documents: [
      "/oauth2/code",
      "/oauth2/code-setup",
      "/oauth2/codes-saved",
      "/oauth2/passkey",
      "/oauth2/passkey-setup",
      "/oauth2/page-script",
      "/oauth2/new-password",
      "/oauth2/consent",
    ],
  },
  /**
   * Single sign-on by other protocols than OpenID Connect: reads and verifies requests, and composes and signs answers.
   * The only function that loads the libraries of XML signatures. Between the two the function of sign-in asks the
   * person.
   */
  sso: {
    dialect: "oauth2",
    mounts: ["/samlsso", "/passivests", "/cas"],
    documents: [
      "/identity/metadata/saml2",
      "/samlartresolve",
      "/services/SAMLQueryService",
      "/FederationMetadata/2007-06/FederationMetadata.xml",
    ],
  },
  /** The pages of the own account. It reads no password and no secret of one-time codes. */
  account: { dialect: "oauth2", mounts: ["/account"] },
  /** Sessions of users and what they have agreed to, for themselves and for administrators. */
  sessions: { dialect: "management", mounts: ["/api/users/v1"] },
  /** Forgotten passwords and user names: the pages and the API. It sets passwords and reads none. */
  "account-recovery": {
    dialect: "management",
    mounts: [
      "/api/users/v2",
      "/api/identity/user/v1.0",
      "/oauth2/forgot-password",
      "/oauth2/reset-password",
      "/oauth2/verify-address",
      "/oauth2/register",
      "/oauth2/complete-registration",
    ],
  },
  /** Streams of security events. It signs what receivers poll, with keys that sign no token. */
  signals: { dialect: "management", mounts: ["/ssf", "/.well-known/ssf-configuration"] },
  /**
   * Needs no database: the options of applications, and the 404 of unknown paths. Its mounts are
   * literal, so API Gateway prefers them to `/applications/{applicationId}/inbound-protocols` and the paths below it.
   */
  "application-metadata": {
    dialect: "management",
    mounts: [
      "/api/server/v1/applications/meta/inbound-protocols",
      "/api/server/v1/applications/meta/adaptive-auth-templates",
    ],
    takesDefault: true,
  },
} as const satisfies Record<string, Service>;

/** The name of an endpoint group, of the file of its function, and of `service` in its log lines. */
export type ServiceName = keyof typeof table;

/** The endpoint groups, by name. */
export const services: Readonly<Record<ServiceName, Service>> = table;

/** The name of the function that serves the page at `/` and the API document (decision 0107). */
export const FRONT = "front";

/** Single files of that function: the page, and the API document (decision 0002). */
export const frontFiles = ["/", "/openapi.json"] as const;
/** Its paths with what is below them. None is a path of the API or of a tenant. */
export const frontMounts = ["/docs", "/reference", "/assets"] as const;

/**
 * The path families that are protected as a whole: even an unknown path below them is 401 without a credential, except
 * below `/.well-known/`. Paths
 * of a tenant, `/t/{tenant}/...`, exist for these families only.
 */
const families: readonly { readonly prefix: `/${string}`; readonly dialect: Dialect }[] = [
  { prefix: "/api/server/v1", dialect: "management" },
  { prefix: "/api/users/v1", dialect: "management" },
  { prefix: "/api/users/v2", dialect: "management" },
  { prefix: "/api/identity/user/v1.0", dialect: "management" },
  { prefix: "/scim2", dialect: "scim2" },
  { prefix: "/svc/scim", dialect: "scim1" },
  { prefix: "/oauth2", dialect: "oauth2" },
  { prefix: "/oidc", dialect: "oauth2" },
  { prefix: "/samlsso", dialect: "oauth2" },
  { prefix: "/samlartresolve", dialect: "oauth2" },
  { prefix: "/services/SAMLQueryService", dialect: "oauth2" },
  { prefix: "/identity/metadata/saml2", dialect: "oauth2" },
  { prefix: "/passivests", dialect: "oauth2" },
  { prefix: "/FederationMetadata", dialect: "oauth2" },
  { prefix: "/cas", dialect: "oauth2" },
  { prefix: "/account", dialect: "oauth2" },
  { prefix: "/access/v1", dialect: "authzen" },
  { prefix: "/.well-known/authzen-configuration", dialect: "management" },
  { prefix: "/ssf", dialect: "management" },
  { prefix: "/.well-known/ssf-configuration", dialect: "management" },
  { prefix: "/.well-known/openid-configuration", dialect: "oauth2" },
  { prefix: "/.well-known/oauth-authorization-server", dialect: "oauth2" },
  { prefix: "/.well-known/oauth-protected-resource", dialect: "oauth2" },
];

/** The dialect of an operation: that of its path, which one service can have several of. */
export function dialectOf({ service, path }: { readonly service: ServiceName; readonly path: string }): Dialect {
  return familyOf(path)?.dialect ?? services[service].dialect;
}

/** The protected family of a path (without tenant prefix), or `undefined` outside all of them. */
export function familyOf(path: string): { readonly dialect: Dialect } | undefined {
  return families.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/**
 * Whether everybody may learn that a path (without tenant prefix) does not exist: below `/.well-known/` all operations
 * are public (RFC 8615), so an unknown path is 404 there, also in the families.
 */
export function isWellKnown(path: string): boolean {
  return path.startsWith("/.well-known/");
}
