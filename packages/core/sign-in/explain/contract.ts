/** The operation that explains access (decision 0194). */
import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { authenticationHandlers } from "../authentication/access-control/model.ts";
import { reasons } from "./gaps.ts";
import { linkTypes } from "./link-model.ts";
import { subjectTypes } from "./question-model.ts";
import { requirementNames } from "./verdict-model.ts";

const Id = z.string().min(1).max(255);
const SCOPES_MAX = 100;
const RESOURCES_MAX = 20;
/** Characters of an operation: a method and a path. */
const OPERATION_MAX = 2_000;

/** A question as it is sent. */
export const AccessQuestion = z.preprocess(
  withoutNulls,
  z
    .object({
      subject: z
        .object({
          type: z.enum(subjectTypes).meta({ description: "`client` is an application on its own behalf" }),
          id: Id.meta({ description: "The id of the user, or the client id" }),
        })
        .meta({ id: "AccessSubject" }),
      operation: z.string().min(1).max(OPERATION_MAX).optional().meta({
        description: "An operationId, or a request such as `GET /scim2/Users`, without a tenant. Either it or `scope`",
      }),
      scope: Id.optional().meta({ description: "A scope of this service, or of an API of the tenant" }),
      application: Id.optional().meta({
        description:
          "The id of the application by which a user calls. Absent: directly, with a password or certificate",
      }),
      token: z
        .object({
          scopes: z
            .array(Id)
            .max(SCOPES_MAX)
            .optional()
            .meta({ description: "The scopes that it was requested with. Absent: all that are needed" }),
          resources: z
            .array(z.string().min(1).max(OPERATION_MAX))
            .min(1)
            .max(RESOURCES_MAX)
            .optional()
            .meta({ description: "The resources that it is for (RFC 8707). Absent: all" }),
        })
        .optional()
        .meta({ id: "AccessToken" }),
    })
    .refine(({ operation, scope }) => (operation === undefined) !== (scope === undefined), {
      error: "send either operation or scope",
    })
    .refine(({ subject, application, token }) => !token || subject.type === "client" || application !== undefined, {
      error: "a token is of an application: send application too",
      path: ["token"],
    })
    .meta({ id: "AccessQuestion" }),
);

const AccessLink = z
  .object({
    type: z.enum(linkTypes),
    id: z.string().meta({ description: "Of a scope: its name" }),
    name: z.string().optional(),
    audience: z.enum(["organization", "application"]).optional().meta({ description: "Of a role" }),
  })
  .meta({ id: "AccessLink" });

const HiddenLinks = z.int().meta({ description: "How many links the caller may not see" });

/** An explanation in a response. */
export const AccessExplanation = z
  .object({
    decision: z.boolean().meta({ description: "Whether all requirements are met" }),
    operation: z.object({ id: z.string(), method: z.string(), path: z.string() }).optional(),
    scope: z.string().optional(),
    isPublic: z.boolean().meta({ description: "No credential is needed" }),
    isPart: z.boolean().meta({ description: "The scopes authorize a part of what the operation does" }),
    credentials: z.array(z.enum(authenticationHandlers)).meta({ description: "With which kinds it is allowed" }),
    rule: z
      .object({
        place: z.string(),
        scopes: z.array(z.string()).optional(),
        credentials: z.array(z.enum(authenticationHandlers)).optional(),
      })
      .optional(),
    requirements: z.array(
      z
        .object({
          name: z.enum(requirementNames),
          scope: z.string().optional(),
          isMet: z.boolean(),
          paths: z
            .array(z.object({ links: z.array(AccessLink), hiddenLinks: HiddenLinks }).meta({ id: "AccessPath" }))
            .meta({ description: "By what it is met, from the subject on; the first 100" }),
          totalPaths: z.int(),
          missing: z.array(
            z
              .object({
                reason: z.enum(Object.keys(reasons) as [keyof typeof reasons]),
                description: z.string(),
                link: AccessLink.optional(),
              })
              .meta({ id: "MissingLink" }),
          ),
          hiddenMissing: z.int().meta({ description: "How many missing links the caller may not see" }),
        })
        .meta({ id: "AccessRequirement" }),
    ),
  })
  .meta({ id: "AccessExplanation" });

/** The scope of all operations on the access of others. */
export const accessScopes = { view: "internal_access_view" } as const;

const at = endpointsOf("audit", "/api/server/v1/access", accessScopes, "decision 0194");

export const explainOperations = {
  explainAccess: operation({
    ...at("POST", "/explain", "view"),
    seesScopes: true,
    staysClosed: true,
    changesNothing: true,
    does: ["read access"],
    reaches: ["read user", "read group", "read role", "read application", "read api_resource"],
    summary: "Explain why a user or an application can do something, or what is missing",
    body: AccessQuestion,
    success: { status: 200, body: AccessExplanation },
    failures: [400, 404],
  }),
} as const;
