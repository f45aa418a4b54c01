/** The operations on deleted resources (decision 0084). */

import { deletedTypes } from "../../database/trash/model.ts";
import { LIMIT_MAX, wholeNumber, withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { type Act, furtherScopesTo, scopeTo } from "./scopes.ts";

const ResourceType = z.enum(deletedTypes);

/** The id that the resource had, and has again once it is restored. */
const DeletedId = z.string().min(1).max(255);

const shown = {
  id: z.string(),
  resourceType: ResourceType,
  name: z.string().meta({
    description: "The name that it had; of an API resource its identifier",
  }),
};

const DeletedResource = z
  .object({
    ...shown,
    deletedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: "From then on it cannot be restored" }),
  })
  .meta({ id: "DeletedResource" });

const DeletedResourceList = z
  .object({
    deletedResources: z.array(DeletedResource),
    next: z.string().optional().meta({ description: "The cursor of the next page, where there may be one" }),
  })
  .meta({ id: "DeletedResourceList" });

/** Body of restore, which a request may leave out. */
const RestoreBody = z
  .preprocess(
    withoutNulls,
    z
      .object({
        name: z
          .string()
          .trim()
          .min(1)
          .max(255)
          .optional()
          .meta({ description: "Another name than it had; of an API resource another identifier" }),
      })
      .meta({ id: "Restore", examples: [{ name: "driver-2" }] }),
  )
  .optional();

const count = z.int().nonnegative();

const RestoredResource = z
  .object({
    ...shown,
    leftOut: z
      .object({ members: count, groups: count, roles: count })
      .meta({ description: "How many members, groups and roles of it do not exist any more" }),
  })
  .meta({ id: "RestoredResource" });

/** The default number of resources on a page. */
export const LIMIT_DEFAULT = 30;

const Path = z.object({ id: DeletedId });

const ListQuery = z.object({
  resourceType: ResourceType.optional().meta({ description: "Only resources of this type" }),
  limit: wholeNumber(
    {
      description: `The maximum number of resources on a page; a value above ${LIMIT_MAX} means ${LIMIT_MAX}`,
      default: LIMIT_DEFAULT,
      minimum: 1,
    },
    1,
  ),
  after: z.string().max(500).optional().meta({ description: "The page after this cursor, as `next` gives it" }),
});

const scopes = { view: scopeTo("view"), restore: scopeTo("restore"), remove: scopeTo("remove") } as const;
const at = endpointsOf("recovery", "/api/server/v1/deleted-resources", scopes, "decision 0084");
/** The scope of any type is enough to ask: the handler checks that of the type. */
const partial = (act: Act) => ({ seesScopes: true, partialScopes: furtherScopesTo(act) }) as const;

export const recoveryOperations = {
  listDeletedResources: operation({
    ...at("GET", "", "view"),
    ...partial("view"),
    does: ["read deleted resource"],
    reaches: ["read application", "read template", "read api_resource", "read user", "read group", "read role"],
    summary: "List deleted resources that can be restored, the latest first: of the types that the caller may view",
    query: ListQuery,
    success: { status: 200, body: DeletedResourceList },
    failures: [400, 403],
  }),
  getDeletedResource: operation({
    ...at("GET", "/{id}", "view"),
    ...partial("view"),
    does: ["read deleted resource"],
    reaches: ["read application", "read template", "read api_resource", "read user", "read group", "read role"],
    summary: "Read what is known of one deleted resource",
    params: Path,
    success: { status: 200, body: DeletedResource },
    failures: [403, 404],
  }),
  restoreDeletedResource: operation({
    ...at("POST", "/{id}/restore", "restore"),
    ...partial("restore"),
    does: ["create deleted resource"],
    reaches: [
      "create application",
      "update script",
      "create template",
      "create api_resource",
      "create user",
      "create group",
      "create role",
    ],
    summary: "Restore a deleted resource under its id, with its memberships, settings and secrets",
    params: Path,
    body: RestoreBody,
    bodyOptional: true,
    success: { status: 200, location: true, body: RestoredResource },
    failures: [400, 403, 404, 409],
  }),
  removeDeletedResource: operation({
    ...at("DELETE", "/{id}", "remove"),
    ...partial("remove"),
    does: ["delete deleted resource"],
    reaches: [
      "delete application",
      "delete template",
      "delete api_resource",
      "delete user",
      "delete group",
      "delete role",
    ],
    summary: "Remove a deleted resource for good",
    params: Path,
    success: { status: 204 },
    failures: [403, 404],
  }),
} as const;
