/**
 * The resources of this service for which tokens are issued (RFC 8707, RFC 9728): the service as a whole, and each of
 * its APIs. They are data. Their addresses are the origin, or that of a tenant (`/t/{tenant}`), with these paths.
 */
import { systemApis } from "./system-apis.ts";
import { SUPER_TENANT } from "./tenant.ts";

/** A resource of this service. */
export interface ProtectedResource {
  /** It and all paths below it belong to the resource; empty for the service as a whole. */
  readonly path: "" | `/${string}`;
  /** For people. */
  readonly name: string;
  /** The scopes that its operations know. */
  readonly scopes: ReadonlySet<string>;
}

/** The service as a whole. */
const whole: ProtectedResource = { path: "", name: "Identity Admin API", scopes: scopesOf("/") };

/** The resources of this service. Paths do not overlap, except for the first. */
export const protectedResources: readonly ProtectedResource[] = [
  whole,
  {
    path: "/api/server/v1",
    name: "Management API",
    scopes: scopesOf("/api/server/v1/")
      .union(ofDeletedResources())
      .union(new Set(["internal_user_mgt_update"])),
  },
  { path: "/scim2", name: "SCIM 2.0 API", scopes: scopesOf("/scim2/") },
  {
    path: "/svc/scim",
    name: "SCIM 1.1 API",
    // It shares the scopes of SCIM 2.0, and has no roles.
    scopes: scopesOf("/scim2/Users", "/scim2/Groups", "/scim2/Bulk", "/scim2/Me"),
  },
  { path: "/api/users/v1", name: "Session Management API", scopes: scopesOf("/api/users/v1", "/scim2/Me") },
  { path: "/ssf", name: "Shared Signals API", scopes: scopesOf("/ssf") },
  {
    path: "/access/v1",
    name: "Access Evaluation API",
    scopes: scopesOf("/api/server/v1/access").union(new Set(["internal_user_mgt_list"])),
  },
  { path: "/oauth2/introspect", name: "Token introspection", scopes: scopesOf("/oauth2/introspect") },
];

/** Domains of tenants; anything else in a path is never repeated in a response. */
const DOMAIN = /^[A-Za-z0-9.-]+$/;

/** The resource that a path, without its tenant, belongs to. */
export function resourceOfPath(path: string): ProtectedResource {
  return protectedResources.find((one) => one.path !== "" && isAtOrBelow(path, one.path)) ?? whole;
}

/** The address of a resource, of a tenant or of the super tenant. */
export function addressOf({ path }: ProtectedResource, origin: string, tenant = SUPER_TENANT): string {
  return `${origin}${tenantPath(tenant)}${path}`;
}

/** Where the metadata of a resource is: its address with the well-known path before its own (RFC 9728 section 3.1). */
export function metadataAddress({ path }: ProtectedResource, origin: string, tenant = SUPER_TENANT): string {
  return `${origin}/.well-known/oauth-protected-resource${DOMAIN.test(tenant) ? tenantPath(tenant) : ""}${path}`;
}

/**
 * The resource that an address names to a caller of a tenant: at the origin, or below the path of the tenant. A slash
 * at its end does not count. `undefined` for an address at the origin that is no resource; `"elsewhere"` for any other.
 */
export function resourceAt(
  address: string,
  origin: string,
  tenant: string,
): ProtectedResource | undefined | "elsewhere" {
  const base = new URL(origin).href.replace(/\/$/, "");
  const { href } = new URL(address);
  if (!isAtOrBelow(href.split(/[?#]/, 1)[0] ?? "", base)) return "elsewhere";
  const rest = href.slice(base.length).replace(/\/$/, "");
  const prefix = `/t/${tenant}`;
  const path = isAtOrBelow(rest, prefix) ? rest.slice(prefix.length) : rest;
  return protectedResources.find((one) => one.path === path);
}

/**
 * Whether a token for some audiences is for a path of this service, which is given without its tenant. `undefined`: a
 * token for all of this service.
 */
export function isForPath(
  audience: readonly string[] | undefined,
  path: string,
  { origin, tenant }: { readonly origin: string; readonly tenant: string },
): boolean {
  if (audience === undefined) return true;
  return audience.some((one) => {
    const found = URL.canParse(one) ? resourceAt(one, origin, tenant) : undefined;
    return typeof found === "object" && isAtOrBelow(path, found.path);
  });
}

function isAtOrBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

function tenantPath(tenant: string): string {
  return tenant === SUPER_TENANT ? "" : `/t/${tenant}`;
}

/** The scopes for deleted users, groups and roles: the Management API has the operations on them (decision 0084). */
function ofDeletedResources(): ReadonlySet<string> {
  const types = ["user", "group", "role"];
  return new Set(types.flatMap((type) => ["view", "create", "delete"].map((act) => `internal_${type}_mgt_${act}`)));
}

/** The scopes of the system APIs at these paths: below one that ends with a slash. */
function scopesOf(...places: readonly string[]): ReadonlySet<string> {
  const apis = systemApis.filter(({ identifier }) =>
    places.some((place) => (place.endsWith("/") ? identifier.startsWith(place) : identifier === place)),
  );
  return new Set(apis.flatMap(({ scopes }) => scopes.map(({ name }) => name)));
}
