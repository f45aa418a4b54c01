/**
 * The targets of a token: the resources that a client asks for (RFC 8707), and in an exchange audiences too (RFC 8693).
 * They narrow the audience and the scopes of the token (decision 0080). Pure.
 */
import type { ScopePlace } from "../../applications/apis/scope-store.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { type ProtectedResource, resourceAt } from "../../kernel/domain/protected-resources.ts";
import { Fault } from "../../kernel/faults.ts";

/** The targets that a request names. */
export interface AskedTargets {
  /** Each once, as they were sent. */
  readonly addresses: readonly string[];
  /** Those of them that may be identifiers of APIs of a tenant, or ids of clients: they are looked up. */
  readonly elsewhere: readonly string[];
}

/** What one target stands for. */
export type Target =
  | { readonly kind: "service"; readonly address: string; readonly resource: ProtectedResource }
  | { readonly kind: "api"; readonly address: string; readonly apiId: string }
  | { readonly kind: "client"; readonly address: string };

/** What is known of the targets that were looked up. */
export interface KnownTargets {
  /** The ids of the APIs of the tenant, by identifier. */
  readonly apiIds: ReadonlyMap<string, string>;
  /** The clients of the tenant that may be targets, by id; only in an exchange. */
  readonly clientIds?: ReadonlySet<string>;
}

/** A URI without blanks and characters that a parser drops (RFC 3986). */
const PRINTABLE = /^[\x21-\x7E]+$/;

/** A request that names no targets. */
export const NO_TARGETS: AskedTargets = { addresses: [], elsewhere: [] };

/**
 * The resources in the parameters `resource`: absolute URIs without a fragment (RFC 8707 section 2). Throws
 * `target.invalid`.
 */
export function askedResources(values: readonly string[] | undefined, origin: string): AskedTargets {
  if (values === undefined) return NO_TARGETS;
  const addresses = distinct(values);
  for (const address of addresses) {
    if (!PRINTABLE.test(address) || !URL.canParse(address) || address.includes("#")) {
      throw new Fault("target.invalid", "A resource must be an absolute URI without a fragment.");
    }
  }
  return { addresses, elsewhere: addresses.filter((one) => isElsewhere(one, origin)) };
}

/** The same of resources and audiences; an audience can be any text. Throws `target.invalid`. */
export function askedTargets(
  {
    resource,
    audience = [],
  }: { readonly resource?: readonly string[] | undefined; readonly audience?: readonly string[] | undefined },
  origin: string,
): AskedTargets {
  const resources = askedResources(resource, origin);
  const audiences = distinct(audience);
  return {
    addresses: distinct([...resources.addresses, ...audiences]),
    elsewhere: distinct([...resources.elsewhere, ...audiences.filter((one) => isElsewhere(one, origin))]),
  };
}

/** Whether a text is no address of this service, so that it can name an API of a tenant or a client. */
export function isElsewhere(text: string, origin: string): boolean {
  return !URL.canParse(text) || resourceAt(text, origin, "") === "elsewhere";
}

/**
 * What the targets of a request stand for: resources of this service, and APIs of the tenant that the client is
 * authorized for; `undefined` where it names none. Throws `target.invalid` for any other.
 */
export function resolveTargets(
  { addresses, elsewhere }: AskedTargets,
  { apiIds, clientIds }: KnownTargets,
  client: Client,
  origin: string,
): readonly Target[] | undefined {
  if (addresses.length === 0) return undefined;
  return addresses.map((address): Target => {
    if (!elsewhere.includes(address)) {
      const resource = resourceAt(address, origin, client.tenant);
      if (typeof resource === "object") return { kind: "service", address, resource };
      throw unknownTarget(address);
    }
    const apiId = apiIds.get(address);
    if (apiId === undefined && clientIds?.has(address)) return { kind: "client", address };
    if (apiId !== undefined && client.apis.some((api) => api.apiId === apiId)) return { kind: "api", address, apiId };
    throw unknownTarget(address);
  });
}

/** The `aud` of a token for targets; `undefined` for all of this service. */
export function audienceFor(targets: readonly Target[] | undefined): { readonly audience?: readonly string[] } {
  return targets ? { audience: targets.map(({ address }) => address) } : {};
}

/** Whether a scope belongs to a target. A client is given what the token has. */
export function isScopeOf(target: Target, name: string, places: ReadonlyMap<string, ScopePlace>): boolean {
  switch (target.kind) {
    case "service":
      return target.resource.scopes.has(name);
    case "api":
      return places.get(name)?.apiId === target.apiId;
    case "client":
      return true;
  }
}

/** The fault for a target that does not exist, or that the client has nothing to do with. */
export function unknownTarget(address: string): Fault {
  return new Fault(
    "target.invalid",
    `The target ${address.slice(0, 100)} is unknown, or the client is not authorized for it. Use the address of a ` +
      "resource of this service, or the identifier of an API that the application is authorized for.",
  );
}

function distinct(values: readonly string[]): readonly string[] {
  // Empty parameters count as absent (RFC 6749 section 3.1).
  return [...new Set(values.filter((value) => value !== ""))];
}
