/**
 * The endpoint groups: one Lambda function each, and the paths that the gateway hands to it.
 *
 * A mount stands for two gateway routes, itself and everything below it; each is offered below `/t/{tenant}` too.
 * Where two routes could take a path, API Gateway prefers one that matches it whole to a greedy one, then the longer,
 * then the one with more literal segments.
 */

/** How errors and bodies look on a path. */
export type Dialect = "management" | "scim1" | "scim2" | "oauth2";

/** One endpoint group. */
export interface Service {
  readonly dialect: Dialect;
  readonly mounts: readonly `/${string}`[];
  /** True for the one function that also answers what no route takes. */
  readonly takesDefault?: true;
}

const table = {
  applications: { dialect: "management", mounts: ["/api/server/v1/applications"] },
  "inbound-protocols": {
    dialect: "management",
    mounts: ["/api/server/v1/applications/{applicationId}/inbound-protocols"],
  },
  "application-templates": { dialect: "management", mounts: ["/api/server/v1/applications/templates"] },
  /** What is set up rarely and used by everything else. */
  administration: { dialect: "management", mounts: ["/api/server/v1/api-resources", "/api/server/v1/tenants"] },
  scim1: { dialect: "scim1", mounts: ["/svc/scim"] },
  scim2: { dialect: "scim2", mounts: ["/scim2"] },
  /** Tokens: with the authorizer, the only function that reads password hashes; the only one that signs. */
  oauth2: { dialect: "oauth2", mounts: ["/oauth2", "/.well-known/oauth-authorization-server"] },
  /**
   * Needs no database: what describes the API and its options, and the 404 of paths that nobody owns. Its mounts are
   * literal to the end, so they win over `/applications/{applicationId}/inbound-protocols` and what is below it.
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

/** The name of an endpoint group, of its function's file and of its log lines' `service`. */
export type ServiceName = keyof typeof table;

/** The endpoint groups, by name. */
export const services: Readonly<Record<ServiceName, Service>> = table;

/** The path families that are protected as a whole: below them even an unknown path asks for a credential first. */
const families: readonly { readonly prefix: `/${string}`; readonly dialect: Dialect }[] = [
  { prefix: "/api/server/v1", dialect: "management" },
  { prefix: "/scim2", dialect: "scim2" },
  { prefix: "/svc/scim", dialect: "scim1" },
  { prefix: "/oauth2", dialect: "oauth2" },
  { prefix: "/.well-known/oauth-authorization-server", dialect: "oauth2" },
];

/** The protected family of a path (without tenant prefix), or `undefined` outside all of them. */
export function familyOf(path: string): { readonly dialect: Dialect } | undefined {
  return families.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}
