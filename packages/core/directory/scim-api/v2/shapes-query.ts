/** Parameters, headers and responses that SCIM 2.0 operations share. */
import * as z from "../../../kernel/zod.ts";
import { integerText, text } from "../resources/shapes.ts";
import {
  ResourceList,
  ResourceTypeList,
  ResourceTypeShown,
  SchemaList,
  SchemaShown,
  ScimGroup,
  ScimGroupList,
  ScimRole,
  ScimRoleList,
  ScimUser,
  ScimUserList,
  ServiceProviderConfig,
} from "./shapes.ts";

export const Projection = z.object({
  attributes: text("Comma-separated: attributes to return, besides those that are always returned"),
  excludedAttributes: text("Comma-separated: attributes to leave out; ignored where attributes is given"),
});
/** The parameters of a list. */
export const ListQuery = Projection.extend({
  filter: text("A filter (RFC 7644 section 3.4.2.2)"),
  startIndex: integerText("The first resource of the page, from 1", { default: 1 }),
  count: integerText("The most resources of the page, at most 200", { default: 100 }),
  cursor: text("Pages by cursor (RFC 9865): empty for the first page, then the nextCursor of the previous page"),
  domain: text("The user store to list; all user stores by default"),
  sortBy: text("The attribute to sort by; userName or displayName by default"),
  sortOrder: text("ascending (the default) or descending"),
  /** Upstream's spelling of sortOrder. Clients need one of them. */
  sortOder: text("Ignored where sortOrder is given").meta({ undocumented: true }),
});
export const usersListed = { status: 200, body: ScimUserList } as const;
export const groupsListed = { status: 200, body: ScimGroupList } as const;
export const rolesListed = { status: 200, body: ScimRoleList } as const;
export const resourcesListed = { status: 200, body: ResourceList } as const;
export const userMade = { status: 201, body: ScimUser, location: true, etag: true } as const;
export const userShown = { status: 200, body: ScimUser, location: true, etag: true } as const;
export const groupShown = { status: 200, body: ScimGroup, location: true, etag: true } as const;
export const roleShown = { status: 200, body: ScimRole, location: true, etag: true } as const;
export const configShown = { status: 200, body: ServiceProviderConfig, etag: "content" } as const;
export const resourceTypeShown = { status: 200, body: ResourceTypeShown, etag: "content" } as const;
export const resourceTypesListed = { status: 200, body: ResourceTypeList } as const;
export const schemaShown = { status: 200, body: SchemaShown, etag: "content" } as const;
export const schemasListed = { status: 200, body: SchemaList } as const;
export const changing = [400, 403, 404] as const;
