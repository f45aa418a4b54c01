/** The SCIM 1.1 operations (spec access-and-scim.md, "SCIM 1.1"; reference scim.md section 2). Their scopes are those of access.md section 2.7. */
import * as z from "zod";
import { operation, SIGNED_IN } from "../../operation/operation.ts";
import { limits } from "../../scim/discovery.ts";
import { Scim1BulkRequest, Scim1BulkResponse, Scim1Group, Scim1List, Scim1User } from "./shapes.ts";

const scim = { service: "scim1", source: "spec access-and-scim.md, SCIM 1.1 API" } as const;
const Path = z.object({ id: z.string().max(1_024) });
const Wanted = z.object({ attributes: text("Comma-separated: the attributes to answer beside id, name and meta") });
/** Numbers are read by the handlers, whose refusals are SCIM's own. */
const List = Wanted.extend({
  filter: text(
    'One attribute, Eq and a value: userName Eq "kim"; of groups also displayNameEqstaff and displayName Eq "*aff*"',
  ),
  startIndex: text("The first resource of the page, from 1"),
  count: text("The most resources of the page: 100 where only startIndex is given, never more than 200"),
  sortBy: text("The attribute to sort by; userName or displayName where it is left out"),
  sortOrder: text("ascending (where it is left out) or descending"),
});

/** A group of 20,000 members has so many members in its JSON. */
const MANY_MEMBERS = { members: 100_000 } as const;
const userShown = { status: 200, body: Scim1User, location: true } as const;
const groupShown = { status: 200, body: Scim1Group, location: true } as const;
const listed = { status: 200, body: Scim1List } as const;
const changing = [400, 403, 404] as const;

export const scim1Operations = {
  createScim1User: operation({
    ...scim,
    method: "POST",
    path: "/svc/scim/Users",
    scope: "internal_user_mgt_create",
    summary: "Create a user",
    body: Scim1User,
    success: { ...userShown, status: 201 },
    failures: [400],
  }),
  listScim1Users: operation({
    ...scim,
    method: "GET",
    path: "/svc/scim/Users",
    scope: "internal_user_mgt_list",
    summary: "List users: pages where startIndex or count is given, otherwise all of up to 5,000",
    query: List,
    success: listed,
    failures: [400],
  }),
  getScim1User: operation({
    ...scim,
    method: "GET",
    path: "/svc/scim/Users/{id}",
    scope: "internal_user_mgt_view",
    summary: "Read a user",
    params: Path,
    query: Wanted,
    success: userShown,
    failures: [400, 404],
  }),
  replaceScim1User: operation({
    ...scim,
    method: "PUT",
    path: "/svc/scim/Users/{id}",
    scope: "internal_user_mgt_update",
    seesScopes: true,
    summary: "Replace what SCIM 1.1 can name of a user",
    params: Path,
    body: Scim1User,
    success: userShown,
    failures: changing,
  }),
  patchScim1User: operation({
    ...scim,
    method: "PATCH",
    path: "/svc/scim/Users/{id}",
    scope: "internal_user_mgt_update",
    seesScopes: true,
    summary: "Change what is sent of a user, and remove what meta.attributes names",
    params: Path,
    body: Scim1User,
    success: userShown,
    failures: changing,
  }),
  deleteScim1User: operation({
    ...scim,
    method: "DELETE",
    path: "/svc/scim/Users/{id}",
    scope: "internal_user_mgt_delete",
    seesScopes: true,
    summary: "Delete a user",
    params: Path,
    success: { status: 200 },
    failures: changing,
  }),

  getScim1Me: operation({
    ...scim,
    method: "GET",
    path: "/svc/scim/Users/me",
    scope: SIGNED_IN,
    summary: "Read the user who asks, who must hold the role admin",
    query: Wanted,
    success: userShown,
    failures: changing,
  }),
  replaceScim1Me: operation({
    ...scim,
    method: "PUT",
    path: "/svc/scim/Users/me",
    scope: "internal_user_mgt_update",
    seesScopes: true,
    summary: "Replace the user who asks, who must hold the role admin",
    body: Scim1User,
    success: userShown,
    failures: changing,
  }),
  patchScim1Me: operation({
    ...scim,
    method: "PATCH",
    path: "/svc/scim/Users/me",
    scope: "internal_user_mgt_update",
    seesScopes: true,
    summary: "Change the user who asks, who must hold the role admin",
    body: Scim1User,
    success: userShown,
    failures: changing,
  }),
  deleteScim1Me: operation({
    ...scim,
    method: "DELETE",
    path: "/svc/scim/Users/me",
    scope: "internal_user_mgt_delete",
    summary: 'Finds nobody: "me" is no id',
    success: { status: 200 },
    failures: [404],
  }),

  createScim1Group: operation({
    ...scim,
    method: "POST",
    path: "/svc/scim/Groups",
    scope: "internal_group_mgt_create",
    summary: "Create a group of users who exist",
    body: Scim1Group,
    limits: MANY_MEMBERS,
    success: { ...groupShown, status: 201 },
    failures: [400],
  }),
  listScim1Groups: operation({
    ...scim,
    method: "GET",
    path: "/svc/scim/Groups",
    scope: "internal_group_mgt_view",
    summary: "List groups: pages where startIndex or count is given, otherwise all of up to 5,000",
    query: List,
    success: listed,
    failures: [400],
  }),
  getScim1Group: operation({
    ...scim,
    method: "GET",
    path: "/svc/scim/Groups/{id}",
    scope: "internal_group_mgt_view",
    summary: "Read a group with its members",
    params: Path,
    query: Wanted,
    success: groupShown,
    failures: [400, 404],
  }),
  replaceScim1Group: operation({
    ...scim,
    method: "PUT",
    path: "/svc/scim/Groups/{id}",
    scope: "internal_group_mgt_update",
    seesScopes: true,
    summary: "Replace a group; one of more than 20,000 members is answered without a body",
    params: Path,
    body: Scim1Group,
    limits: MANY_MEMBERS,
    success: { ...groupShown, orNoContent: true },
    failures: [400, 404],
  }),
  patchScim1Group: operation({
    ...scim,
    method: "PATCH",
    path: "/svc/scim/Groups/{id}",
    scope: "internal_group_mgt_update",
    seesScopes: true,
    summary: "Rename a group, or add and remove members; one of more than 20,000 is answered without a body",
    params: Path,
    body: Scim1Group,
    limits: MANY_MEMBERS,
    success: { ...groupShown, orNoContent: true },
    failures: [400, 404],
  }),
  deleteScim1Group: operation({
    ...scim,
    method: "DELETE",
    path: "/svc/scim/Groups/{id}",
    scope: "internal_group_mgt_delete",
    summary: "Delete a group; its members stay",
    params: Path,
    success: { status: 200 },
    failures: [404],
  }),

  scim1Bulk: operation({
    ...scim,
    method: "POST",
    path: "/svc/scim/Bulk",
    scope: "internal_bulk_resource_create",
    seesScopes: true,
    summary:
      "Do up to 1,000 operations on users and groups, in order; without failOnErrors new users next to each other are made side by side. Each needs the scope of the operation on its own, or that of doing it in bulk",
    body: Scim1BulkRequest,
    limits: { bytes: limits.bulkBytesMax, ...MANY_MEMBERS },
    success: { status: 200, body: Scim1BulkResponse },
    failures: [400],
  }),
} as const;

function text(description: string) {
  return z.string().max(16_384).optional().meta({ description });
}
