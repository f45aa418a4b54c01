/** The operations on who has access to an application (decision 0170). */
import { principalTypes } from "../../kernel/domain/principals.ts";
import {
  LIMIT_DEFAULTS,
  limitMeta,
  PageLinks,
  textParameter,
  wholeNumber,
  withoutNulls,
} from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { ApplicationId, applicationScopes } from "../registry/shapes.ts";

const PrincipalType = z.enum(principalTypes);
const PrincipalId = z.string().min(1).max(255);

/** An assignment in a response. */
export const Assignment = z
  .object({
    id: z.string().meta({ description: "The id of the assignment" }),
    type: PrincipalType.meta({ description: "What is assigned" }),
    principal: z
      .object({
        id: z.string().meta({ description: "The id of the user, group or role" }),
        displayName: z
          .string()
          .optional()
          .meta({ description: "Its name; absent for callers who may not see users, groups or roles" }),
      })
      .meta({ id: "AssignedPrincipal" }),
    createdAt: z
      .string()
      .optional()
      .meta({ description: "When it was assigned (ISO 8601); absent in earlier versions" }),
  })
  .meta({ id: "Assignment" });

/** A page of assignments. */
export const AssignmentList = z
  .object({
    totalResults: z.int(),
    startIndex: z.int(),
    count: z.int(),
    assignments: z.array(Assignment),
    links: PageLinks,
  })
  .meta({ id: "AssignmentList" });

const NewAssignment = z.preprocess(
  withoutNulls,
  z
    .object({
      type: PrincipalType.meta({ description: "What is assigned" }),
      id: PrincipalId.meta({ description: "The id of the user, group or role" }),
    })
    .meta({ id: "NewAssignment" }),
);

/** Which assignments of an application are listed. */
export const AssignmentQuery = z.object({
  startIndex: wholeNumber({ description: "The first assignment of the page, from 1", default: 1, minimum: 1 }, 1),
  count: wholeNumber(limitMeta("assignments", LIMIT_DEFAULTS.applications), 1),
  filter: textParameter("`type` with `eq`, such as `type eq user`; more with `or`"),
  user: PrincipalId.optional().meta({
    description: "The id of a user: only the assignments by which this user has access. Needs the scope of users",
  }),
});

const Path = z.object({ applicationId: ApplicationId });
const OnePath = z.object({
  applicationId: ApplicationId,
  assignmentId: z.string().min(1).max(300).meta({ description: "The id of an assignment" }),
});

const BASE = "/api/server/v1/applications/{applicationId}/assignments";
const at = endpointsOf("applications", BASE, applicationScopes, "decision 0170");
const shown = ["read user", "read group", "read role"] as const;

export const assignmentOperations = {
  listAssignments: operation({
    ...at("GET", "", "view"),
    seesScopes: true,
    staysClosed: true,
    does: ["read assignment"],
    reaches: shown,
    summary: "List the users, groups and roles that are assigned to an application",
    params: Path,
    query: AssignmentQuery,
    success: { status: 200, body: AssignmentList, etag: "content" },
    failures: [400, 403, 404],
  }),
  assign: operation({
    ...at("POST", "", "update"),
    seesScopes: true,
    staysClosed: true,
    does: ["update assignment"],
    reaches: shown,
    summary: "Assign a user, group or role to an application",
    params: Path,
    body: NewAssignment,
    success: { status: 201, location: true, body: Assignment, etag: "content" },
    failures: [400, 403, 404, 409],
  }),
  getAssignment: operation({
    ...at("GET", "/{assignmentId}", "view"),
    seesScopes: true,
    staysClosed: true,
    does: ["read assignment"],
    reaches: shown,
    summary: "Read one assignment",
    params: OnePath,
    success: { status: 200, body: Assignment, etag: "content" },
    failures: [400, 404],
  }),
  unassign: operation({
    ...at("DELETE", "/{assignmentId}", "update"),
    seesScopes: true,
    staysClosed: true,
    does: ["update assignment"],
    summary: "Take an assignment away, with the tokens that nothing else gives",
    params: OnePath,
    target: "getAssignment",
    success: { status: 204 },
    failures: [400, 404, 409],
  }),
} as const;
