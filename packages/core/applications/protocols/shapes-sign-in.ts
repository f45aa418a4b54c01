/**
 * The shapes of OpenID Connect settings that only the sign-in side uses, and that this service checks and returns as
 * written (decision 0075).
 */
import * as z from "../../platform/zod.ts";

const flag = z.boolean().optional();
const algorithm = z.string().max(50).optional();
const DAY_SECONDS = 86_400;

/** Members of the body of a client. */
export const signInMembers = {
  hybridFlow: z.object({ enable: flag, responseType: z.string().max(255).optional() }).optional(),
  requestObject: z
    .object({
      requestObjectSigningAlg: algorithm,
      encryption: z.object({ algorithm, method: algorithm }).optional(),
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
      notificationChannels: z.array(z.string().max(50)).max(10).optional(),
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

/** Members of `refreshToken` that a client that repeats refresh tokens would need. */
export const gracefulRotation = {
  gracefulRefreshTokenRotationEnabled: flag.meta({
    description: "true is refused: a refresh token that is used twice ends its sign-in (RFC 9700 section 4.14.2)",
  }),
  gracefulRefreshTokenRotationValidityPeriod: z.int().min(0).optional().meta({ description: "Refused, except 0" }),
  gracefulRefreshTokenReuseLimit: z.int().min(0).optional().meta({ description: "Refused, except 0" }),
};
