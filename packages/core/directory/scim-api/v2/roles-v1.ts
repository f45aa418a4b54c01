/**
 * Roles as upstream's first SCIM2 roles API shows them, for tools that know no other: read only. Permissions are texts,
 * and there is no audience.
 */
import type { Selection } from "../../../scim/protocol/projection.ts";
import type { Json, JsonObject } from "../../../scim/protocol/schema/attribute.ts";
import { linkTo } from "../resources/present.ts";
import type { ListResult } from "./list.ts";
import type { ListRequest } from "./list-request.ts";
import { listRoles } from "./role-list.ts";
import { readRole } from "./roles.ts";
import type { Scim2Call } from "./stores.ts";

/** Lists roles by id and name. Throws what `listRoles` throws. */
export async function listRolesV1(call: Scim2Call, request: ListRequest): Promise<ListResult> {
  const listed = await listRoles(call, { ...request, attributes: "displayName", excludedAttributes: undefined });
  const Resources = listed.Resources.map(({ schemas, id, displayName }) => ({
    schemas,
    id,
    displayName,
    meta: { location: linkTo(call, roleAt(id)) },
  }));
  return { ...listed, Resources } as ListResult;
}

/** Reads a role. Throws what `readRole` throws. */
export async function readRoleV1(call: Scim2Call, id: string, wanted: Selection) {
  const { body, etag } = await readRole(call, id, wanted);
  const { audience: _, associatedApplications: __, permissions, meta, ...rest } = body as JsonObject;
  return {
    location: `${call.base}${roleAt(id)}`,
    etag,
    body: {
      ...rest,
      ...(Array.isArray(permissions) && { permissions: permissions.map(textOf) }),
      ...(meta !== undefined && { meta: { ...(meta as JsonObject), location: linkTo(call, roleAt(id)) } }),
    },
  };
}

function textOf(permission: Json): string {
  return String((permission as JsonObject).value);
}

/** The path of a role in this version. */
function roleAt(id: unknown): string {
  return `/Roles/${id}`;
}
