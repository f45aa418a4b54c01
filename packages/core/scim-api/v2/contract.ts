/** The SCIM 2.0 operations (RFC 7644): those on users and groups, and what describes the service. */
import * as z from "zod";
import { operation, SIGNED_IN } from "../../operation/operation.ts";
import { groupOperations } from "./contract-groups.ts";
import { roleOperations } from "./contract-roles.ts";
import { userOperations } from "./contract-users.ts";
import { described, listed, Path, text } from "./shapes-query.ts";

const discovery = { service: "scim2", source: "RFC 7644 section 4, our choice", openable: true } as const;

export const scim2Operations = {
  ...userOperations,
  ...groupOperations,
  ...roleOperations,

  getServiceProviderConfig: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ServiceProviderConfig",
    scope: SIGNED_IN,
    summary: "What of SCIM the service offers",
    query: z.object({ filter: text("Refused") }),
    success: described,
    failures: [403],
  }),
  listResourceTypes: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ResourceTypes",
    scope: SIGNED_IN,
    summary: "The kinds of resources",
    query: z.object({ filter: text("Refused") }),
    success: listed,
    failures: [403],
  }),
  getResourceType: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/ResourceTypes/{id}",
    scope: SIGNED_IN,
    summary: "One kind of resources",
    params: Path,
    success: described,
    failures: [404],
  }),
  listSchemas: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/Schemas",
    scope: SIGNED_IN,
    summary: "The schemas of resources",
    query: z.object({ filter: text("Refused") }),
    success: listed,
    failures: [403],
  }),
  getSchema: operation({
    ...discovery,
    method: "GET",
    path: "/scim2/Schemas/{id}",
    scope: SIGNED_IN,
    summary: "One schema",
    params: Path,
    success: described,
    failures: [404],
  }),
} as const;
