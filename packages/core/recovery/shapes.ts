/** The shapes of deleted resources. */
import { deletedTypes } from "../aside/model.ts";
import { withoutNulls } from "../platform/management-api.ts";
import * as z from "../platform/zod.ts";

export const ResourceType = z.enum(deletedTypes);

/** The id that the resource had, and has again once it is restored. */
export const DeletedId = z.string().min(1).max(255);

const shown = {
  id: z.string(),
  resourceType: ResourceType,
  name: z.string().meta({
    description: "The name that it had; of an API resource its identifier",
  }),
};

export const DeletedResource = z
  .object({
    ...shown,
    deletedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: "From then on it cannot be restored" }),
  })
  .meta({ id: "DeletedResource" });

export const DeletedResourceList = z
  .object({
    deletedResources: z.array(DeletedResource),
    next: z.string().optional().meta({ description: "The cursor of the next page, where there may be one" }),
  })
  .meta({ id: "DeletedResourceList" });

/** Body of restore, which a request may leave out. */
export const RestoreBody = z
  .preprocess(
    withoutNulls,
    z
      .object({
        name: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .meta({ description: "Another name than it had; of an API resource another identifier" }),
      })
      .meta({ id: "Restore" }),
  )
  .optional();

const count = z.int().nonnegative();

export const RestoredResource = z
  .object({
    ...shown,
    leftOut: z
      .object({ members: count, groups: count, roles: count })
      .meta({ description: "How many members, groups and roles of it do not exist any more" }),
  })
  .meta({ id: "RestoredResource" });
