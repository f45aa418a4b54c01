/** The shapes of client secrets. */
import * as z from "../../platform/zod.ts";
import { EXPIRY, secretExpiry } from "../protocols/shapes.ts";

const DESCRIPTION_MAX = 255;

/** Body of a new secret. Without one, the secret never expires. */
export const NewClientSecret = z
  .object({
    expiresAt: secretExpiry.optional().meta({ description: `When the secret expires, ${EXPIRY}` }),
    description: z
      .string()
      .max(DESCRIPTION_MAX)
      .regex(/^\P{Cc}*$/u, "must not contain control characters")
      .optional()
      .meta({ description: "What the secret is for; Identity Server has no such member" }),
  })
  .meta({ id: "NewClientSecret" });

/** A secret in a response. */
export const ClientSecretShown = z
  .object({
    secretId: z.string(),
    secretValue: z.string(),
    expiresAt: z.int().meta({ description: `When the secret expires, ${EXPIRY}` }),
    createdAt: z.int().optional().meta({
      description: "In seconds since 1970; absent for a secret that was created before clients had several",
    }),
    status: z.enum(["ACTIVE", "EXPIRED"]),
    latest: z.boolean(),
    description: z.string().optional(),
    lastUsedAt: z.int().optional().meta({
      description: "The start of the day (UTC) of its last use, in seconds since 1970; absent if it was never used",
    }),
  })
  .meta({ id: "ClientSecret" });

export const ClientSecretList = z
  .object({ count: z.int(), list: z.array(ClientSecretShown).meta({ description: "The newest first" }) })
  .meta({ id: "ClientSecretList" });
