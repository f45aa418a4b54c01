/** The operations of the Authorization API 1.0 (AuthZEN): evaluations of access, and searches for subjects. */
import { withoutNulls } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PUBLISHED_SECONDS } from "../../tokens/key-ring.ts";
import { accessScopes } from "./contract.ts";
import { reasons } from "./gaps.ts";
import { requirementNames } from "./verdict-model.ts";

/** The most evaluations of a request. */
export const EVALUATIONS_MAX = 100;
/** The most users that one page of a search looks at. */
export const SEARCHED_MAX = 100;

const Text = z.string().min(1).max(2_000);
const Properties = z.looseObject({}).optional();

const Subject = z
  .object({ type: Text, id: Text, properties: Properties })
  .meta({ id: "AuthZenSubject", description: "A user by its id, or a client by its client id" });
const Action = z.object({ name: Text, properties: Properties }).meta({ id: "AuthZenAction" });
const Resource = z
  .object({ type: Text, id: Text, properties: Properties })
  .meta({ id: "AuthZenResource", description: "An operation, a route or an API" });
const Context = z
  .looseObject({ application: z.string().min(1).max(255).optional() })
  .meta({ id: "AuthZenContext", description: "`application` is the id of the application by which a user calls" });

const Evaluation = z
  .object({ subject: Subject, action: Action, resource: Resource, context: Context.optional() })
  .meta({ id: "AuthZenEvaluation" });

/** How evaluations of one request follow each other. */
export const semantics = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"] as const;

const Evaluations = Evaluation.partial()
  .extend({
    evaluations: z
      .array(Evaluation.partial().meta({ id: "AuthZenPartialEvaluation" }))
      .max(EVALUATIONS_MAX, { error: `a request has at most ${EVALUATIONS_MAX} evaluations: send several requests` })
      .optional(),
    options: z
      .looseObject({ evaluations_semantic: z.enum(semantics).optional() })
      .optional()
      .meta({ id: "AuthZenOptions" }),
  })
  .meta({ id: "AuthZenEvaluations" });

/** A decision, with those missing links that the caller may see. */
const Decision = z
  .object({
    decision: z.boolean(),
    context: z
      .object({
        missing: z
          .array(
            z
              .object({
                requirement: z.enum(requirementNames),
                scope: z.string().optional(),
                reason: z.enum(Object.keys(reasons) as [keyof typeof reasons]),
              })
              .meta({ id: "AuthZenMissing" }),
          )
          .optional(),
        error: z.object({ status: z.int(), message: z.string() }).optional().meta({ id: "AuthZenProblem" }),
      })
      .optional()
      .meta({ id: "AuthZenDecisionContext" }),
  })
  .meta({ id: "AuthZenDecision" });

const Decisions = Decision.partial()
  .extend({ evaluations: z.array(Decision).optional() })
  .meta({ id: "AuthZenDecisions" });

const Search = z
  .object({
    subject: z
      .object({ type: Text, id: z.string().optional(), properties: Properties })
      .meta({ id: "AuthZenSubjectType" }),
    action: Action,
    resource: Resource,
    context: Context.optional(),
    page: z
      .object({ token: z.string().max(1_000).optional(), limit: z.int().min(0).max(1_000_000).optional() })
      .optional()
      .meta({ id: "AuthZenPage" }),
  })
  .meta({ id: "AuthZenSubjectSearch" });

const Found = z
  .object({
    page: z.object({ next_token: z.string(), count: z.int() }).meta({ id: "AuthZenNextPage" }),
    results: z.array(z.object({ type: z.string(), id: z.string() }).meta({ id: "AuthZenFoundSubject" })),
  })
  .meta({ id: "AuthZenSubjects" });

const Metadata = z
  .object({
    policy_decision_point: z.string(),
    access_evaluation_endpoint: z.string(),
    access_evaluations_endpoint: z.string(),
    search_subject_endpoint: z.string(),
  })
  .meta({ id: "AuthZenMetadata" });

const SOURCE = "Authorization API 1.0; decision 0194";
const at = endpointsOf("audit", "/access/v1", accessScopes, SOURCE);
const asking = { seesScopes: true, changesNothing: true, does: ["read access"], failures: [400] } as const;
const WELL_KNOWN = "/.well-known/authzen-configuration";
const metadata = {
  service: "audit",
  method: "GET",
  scope: PUBLIC,
  source: SOURCE,
  success: { status: 200, body: Metadata, etag: "content", maxAgeSeconds: PUBLISHED_SECONDS },
  failures: [404],
} as const;

export const authZenOperations = {
  evaluateAccess: operation({
    ...at("POST", "/evaluation", "view"),
    ...asking,
    summary: "Decide whether a subject may do something (AuthZEN)",
    body: z.preprocess(withoutNulls, Evaluation),
    success: { status: 200, body: Decision },
  }),
  evaluateAccesses: operation({
    ...at("POST", "/evaluations", "view"),
    ...asking,
    summary: "Decide several questions at once (AuthZEN)",
    body: z.preprocess(withoutNulls, Evaluations),
    success: { status: 200, body: Decisions },
  }),
  searchAccessSubjects: operation({
    ...at("POST", "/search/subject", "view"),
    ...asking,
    furtherScopes: ["internal_user_mgt_list"],
    reaches: ["read user"],
    failures: [400, 404],
    summary: "Find the users who may do something (AuthZEN)",
    body: z.preprocess(withoutNulls, Search),
    success: { status: 200, body: Found },
  }),
  getAccessConfiguration: operation({
    ...metadata,
    path: WELL_KNOWN,
    summary: "Read where access is evaluated (AuthZEN)",
  }),
  getTenantAccessConfiguration: operation({
    ...metadata,
    path: `${WELL_KNOWN}/t/{tenant}`,
    params: z.object({ tenant: z.string().min(1).max(255) }),
    summary: "Read where access of a tenant is evaluated (AuthZEN)",
  }),
} as const;
