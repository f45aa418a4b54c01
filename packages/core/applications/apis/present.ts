/** The representation of API resources. Pure. */
import type * as z from "zod";
import type { ApiResource, ApiSummary, Scope } from "../../kernel/domain/api-resource.ts";
import type { ApiResourceList, ApiResourceShown, ScopeShown } from "./shapes.ts";

export function collectionOf(tenant: string): string {
  return `/t/${tenant}/api/server/v1/api-resources`;
}

export function apiSelfOf(tenant: string, id: string): string {
  return `${collectionOf(tenant)}/${id}`;
}

export function presentScopes(scopes: readonly Scope[]): z.input<typeof ScopeShown>[] {
  return scopes.map((scope) => ({ ...scope }));
}

/** `properties` are labels of organisations in WSO2 Identity Server. No API here has any. */
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
