/** The SCIM 2.0 operations (RFC 7644): on users, groups and roles, and discovery. */

import { operation, SIGNED_IN } from "../../../kernel/operation/operation.ts";
import * as z from "../../../kernel/zod.ts";
import { Path, text } from "../resources/shapes.ts";
import { groupOperations } from "./contract-groups.ts";
import { roleOperations } from "./contract-roles.ts";
import { laterRoleOperations } from "./contract-roles-v3.ts";
import { userOperations } from "./contract-users.ts";
import { configShown, resourceTypeShown, resourceTypesListed, schemaShown, schemasListed } from "./shapes-query.ts";

const discovery = { service: "scim2", source: "RFC 7644 section 4", openable: true } as const;

export const scim2Operations = {
  ...userOperations,
  ...groupOperations,
  ...roleOperations,
  ...laterRoleOperations,

  getServiceProviderConfig: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ServiceProviderConfig",
    scope: SIGNED_IN,
    summary: "The SCIM features of the service",
    query: z.object({ filter: text("Not supported: 403") }),
    success: configShown,
    failures: [403],
  }),
  listResourceTypes: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ResourceTypes",
    scope: SIGNED_IN,
    summary: "List the resource types",
    query: z.object({ filter: text("Not supported: 403") }),
    success: resourceTypesListed,
    failures: [403],
  }),
  getResourceType: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ResourceTypes/{id}",
    scope: SIGNED_IN,
    summary: "Read a resource type",
    params: Path,
    success: resourceTypeShown,
    failures: [404],
  }),
  listSchemas: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/Schemas",
    scope: SIGNED_IN,
    summary: "List the schemas",
    query: z.object({ filter: text("Not supported: 403") }),
    success: schemasListed,
    failures: [403],
  }),
  getSchema: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/Schemas/{id}",
    scope: SIGNED_IN,
    summary: "Read a schema",
    params: Path,
    success: schemaShown,
    failures: [404],
  }),
} as const;
