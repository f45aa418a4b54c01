/** How API resources are shown. Pure. */
import type * as z from "zod";
import type { ApiResource, ApiSummary, Scope } from "../domain/api-resource.ts";
import type { ApiResourceList, ApiResourceShown, ScopeShown } from "./shapes.ts";

/** Where the API resources of a tenant are. */
export function collectionOf(tenant: string): string {
  return `/t/${tenant}/api/server/v1/api-resources`;
}

/** Where an API resource is. */
export function apiSelfOf(tenant: string, id: string): string {
  return `${collectionOf(tenant)}/${id}`;
}

export function presentScopes(scopes: readonly Scope[]): z.input<typeof ScopeShown>[] {
  return scopes.map((scope) => ({ ...scope }));
}

/** Properties are upstream's labels of organisation features, which no API here has. */
export function presentApi(tenant: string, api: ApiResource): z.input<typeof ApiResourceShown> {
  return {
    ...api,
    scopes: presentScopes(api.scopes),
    properties: [],
    self: apiSelfOf(tenant, api.id),
  };
}

export function presentSummary(
  tenant: string,
  { id, name, identifier, type, requiresAuthorization }: ApiSummary,
  withProperties: boolean,
): z.input<typeof ApiResourceList>["apiResources"][number] {
  return {
    id,
    name,
    identifier,
    type,
    requiresAuthorization,
    ...(withProperties && { properties: [] }),
    self: apiSelfOf(tenant, id),
  };
}
