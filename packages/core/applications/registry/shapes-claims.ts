/** The shapes of the claims of an application. */
import * as z from "../../kernel/zod.ts";
import { list, text } from "./shapes-parts.ts";

const claimMembers = { uri: text(512).optional(), id: text(512).optional(), displayName: text(512).optional() };

/** A claim is identified by its `uri`, or by its `id` without a `uri` (decision 0005). */
export const ClaimRef = z
  .object(claimMembers)
  .refine(({ uri, id }) => Boolean(uri ?? id), "a claim needs a uri or an id")
  .meta({ id: "ClaimRef" });

/** The same where tools write an empty `uri` for no claim. */
const ClaimRefOrNone = z
  .object(claimMembers)
  .refine(({ uri, id }) => uri !== undefined || Boolean(id), "a claim needs a uri or an id")
  .meta({ id: "ClaimRefOrNone" });

export const ClaimConfiguration = z
  .object({
    dialect: z.enum(["CUSTOM", "LOCAL"]).optional(),
    claimMappings: list(z.object({ applicationClaim: text(512).min(1), localClaim: ClaimRef })).optional(),
    requestedClaims: list(z.object({ claim: ClaimRef, mandatory: z.boolean().optional() })).optional(),
    subject: z
      .object({
        claim: ClaimRefOrNone.optional(),
        includeUserDomain: z.boolean().optional(),
        includeTenantDomain: z.boolean().optional(),
        useMappedLocalSubject: z.boolean().optional(),
        mappedLocalSubjectMandatory: z.boolean().optional(),
      })
      .optional(),
    role: z
      .object({
        mappings: list(z.object({ localRole: text(255).min(1), applicationRole: text(255).min(1) })).optional(),
        includeUserDomain: z.boolean().optional(),
        claim: ClaimRefOrNone.optional(),
      })
      .optional(),
  })
  .meta({ id: "ClaimConfiguration" });
