/** The shapes of settings that name roles and groups: which roles count in an application, and who finds it. */
import * as z from "../../kernel/zod.ts";

const ROLES_MAX = 100;
const GROUPS_MAX = 100;

const name = z.string().max(255);
const audience = z.enum(["ORGANIZATION", "APPLICATION"]);

/** The roles that count in tokens of an application (decision 0075). */
export const AssociatedRoles = z
  .object({
    allowedAudience: audience.meta({
      description:
        "ORGANIZATION: roles of the tenant and of the application. APPLICATION: those of the application only",
    }),
    roles: z
      .array(z.object({ id: z.string().min(1).max(255), name: name.optional() }))
      .max(ROLES_MAX)
      .optional()
      .meta({ description: "The only ones that count. Absent or empty: all of the audience" }),
  })
  .meta({ id: "AssociatedRoles" });

export const DiscoverableGroups = z
  .array(
    z.object({
      userStore: z.string().min(1).max(255),
      groups: z
        .array(z.object({ id: z.string().min(1).max(255), name: name.optional() }))
        .min(1)
        .max(GROUPS_MAX),
    }),
  )
  .max(GROUPS_MAX);

/** The same in responses, without limits. */
export const AssociatedRolesShown = z
  .object({
    allowedAudience: audience,
    roles: z.array(z.object({ id: z.string(), name: z.string().optional() })).optional(),
  })
  .meta({ id: "ApplicationAssociatedRoles" });
export const DiscoverableGroupsShown = z.array(
  z.object({ userStore: z.string(), groups: z.array(z.object({ id: z.string(), name: z.string().optional() })) }),
);
