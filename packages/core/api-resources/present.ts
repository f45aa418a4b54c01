/** How API resources are shown. Pure. */
import type * as z from "zod";
import type { ApiResource, ApiSummary, Scope } from "../domain/api-resource.ts";
import type { ApiResourceList, ApiResourceShown, ScopeShown } from "./shapes.ts";

/** Where the API resources of a tenant are. */
export const collectionOf = (tenant: string): string => `/t/${tenant}/api/server/v1/api-resources`;

/** Where an API resource is. */
export const apiSelfOf = (tenant: string, id: string): string => `${collectionOf(tenant)}/${id}`;

export const presentScopes = (scopes: readonly Scope[]): z.input<typeof ScopeShown>[] =>
  scopes.map((scope) => ({ ...scope }));

/** Properties are upstream's labels of organisation features, which no API here has. */
export const presentApi = (tenant: string, api: ApiResource): z.input<typeof ApiResourceShown> => ({
  ...api,
  scopes: presentScopes(api.scopes),
  properties: [],
  self: apiSelfOf(tenant, api.id),
});

export const presentSummary = (
  tenant: string,
  { id, name, identifier, type, requiresAuthorization }: ApiSummary,
  withProperties: boolean,
): z.input<typeof ApiResourceList>["apiResources"][number] => ({
  id,
  name,
  identifier,
  type,
  requiresAuthorization,
  ...(withProperties && { properties: [] }),
  self: apiSelfOf(tenant, id),
});
