/**
 * The shapes of OpenID Connect settings that only the sign-in side uses, and that this service checks and returns as
 * written (decision 0075).
 */
import * as z from "../../kernel/zod.ts";

const flag = z.boolean().optional();
/** One of some words, of any length: sign-in.ts refuses any other. */
const choice = z.string();
const DAY_SECONDS = 86_400;

/** Members of the body of a client. */
export const signInMembers = {
  hybridFlow: z.object({ enable: flag, responseType: choice.optional() }).optional(),
  requestObject: z
    .object({
      requestObjectSigningAlg: choice.optional(),
      encryption: z.object({ algorithm: choice.optional(), method: choice.optional() }).optional(),
    })
    .optional(),
  pushAuthorizationRequest: z.object({ requirePushAuthorizationRequest: flag }).optional(),
  subject: z
    .object({
      subjectType: z.enum(["public", "pairwise"]).optional(),
      sectorIdentifierUri: z.string().max(2_048).optional(),
    })
    .optional(),
  cibaAuthenticationRequest: z
    .object({
      authReqExpiryTime: z.int().min(1).max(DAY_SECONDS).optional(),
      notificationChannels: z.array(choice).max(10).optional(),
      skipUserValidation: flag,
      allowFederatedUsers: flag,
    })
    .optional(),
  isFAPIApplication: flag,
  fapiProfile: z.enum(["FAPI1_ADVANCED", "FAPI2_SECURITY"]).optional(),
};

/** The same in a response, without limits: a later, lower limit must not make stored data unreadable. */
export const signInShown = {
  hybridFlow: z.object({ enable: flag, responseType: z.string().optional() }).optional(),
  requestObject: z
    .object({
      requestObjectSigningAlg: z.string().optional(),
      encryption: z.object({ algorithm: z.string().optional(), method: z.string().optional() }).optional(),
    })
    .optional(),
  pushAuthorizationRequest: z.object({ requirePushAuthorizationRequest: flag }).optional(),
  subject: z.object({ subjectType: z.string().optional(), sectorIdentifierUri: z.string().optional() }).optional(),
  cibaAuthenticationRequest: z
    .object({
      authReqExpiryTime: z.int().optional(),
      notificationChannels: z.array(z.string()).optional(),
      skipUserValidation: flag,
      allowFederatedUsers: flag,
    })
    .optional(),
  isFAPIApplication: flag,
  fapiProfile: z.string().optional(),
};

/** Members that every value but the server's own is refused for. */
export const refusedMembers = {
  issuer: z
    .object({
      value: z.string().max(2_048).optional(),
      organizationId: z.string().max(255).optional(),
      tenantDomain: z.string().max(255).optional(),
    })
    .optional()
    .meta({ description: "Refused: tokens have the issuer of their tenant" }),
};

/** Members of `refreshToken` that let a used refresh token count again for a moment (decision 0157). */
export const gracefulRotation = {
  gracefulRefreshTokenRotationEnabled: flag.meta({
    description: "Whether a used refresh token counts again for a moment, for clients that share one. Default: false",
  }),
  gracefulRefreshTokenRotationValidityPeriod: z.int().optional().meta({
    description: "For how many seconds after its first use it counts again: 1 to 60. 0 or absent: 30",
  }),
  gracefulRefreshTokenReuseLimit: z.int().optional().meta({
    description: "How often it counts again: 1 to 5. 0 or absent: 5",
  }),
};
