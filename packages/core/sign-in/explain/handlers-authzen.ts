/** The handlers of the Authorization API 1.0: the same decisions as those of explanations. */
import type * as z from "zod";
import type { TenantStore } from "../../directory/tenant-store.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault, refuse } from "../../kernel/faults.ts";
import type { PublicContext, ScopedContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { type authZenOperations, SEARCHED_MAX } from "./contract-authzen.ts";
import { decide } from "./decide-rules.ts";
import { knownFor } from "./facts.ts";
import type { ExplainStores } from "./handlers.ts";
import type { Known } from "./known.ts";
import { mayTell } from "./present.ts";
import type { OperationFinder } from "./question.ts";
import { type Question, subjectTypes } from "./question-model.ts";

/** The dependencies of these handlers. */
export interface AuthZenStores extends ExplainStores {
  readonly users: Pick<UserStore, "findMany" | "names">;
  readonly tenants: Pick<TenantStore, "find">;
}

type Evaluation = z.output<typeof authZenOperations.evaluateAccess.body>;
type Evaluations = z.output<typeof authZenOperations.evaluateAccesses.body>;
type Search = z.output<typeof authZenOperations.searchAccessSubjects.body>;
type Decision = z.input<typeof authZenOperations.evaluateAccess.success.body>;
type Context = ScopedContext & AuthZenStores;

/** The action of a resource `operation`. */
const CALL = "call";

export const authZenHandlers: Handlers<typeof authZenOperations, AuthZenStores> = {
  evaluateAccess: ({ body }, context) => single(body, context),

  async evaluateAccesses({ body }, context) {
    const { evaluations = [], options } = body;
    if (evaluations.length === 0) return single(complete(body, {}, "The evaluation"), context);
    const all = evaluations.map((one, at) => complete(body, one, `evaluations[${at}]`));
    const made = await decisions(
      all.map((one) => attempt(() => questionOf(one, context))),
      context,
    );
    return { evaluations: cut(made, options?.evaluations_semantic) };
  },

  async searchAccessSubjects({ body }, context) {
    const { tenant, users } = context;
    if (body.subject.type !== "user") throw refuse("subject.type: only users are searched: send user.");
    const question = (id: string) => questionOf({ ...body, subject: { type: "user", id } }, context);
    // A wrong question is refused, also where the tenant has no users.
    question("");
    const limit = Math.min(body.page?.limit ?? SEARCHED_MAX, SEARCHED_MAX);
    const offset = offsetIn(body);
    const { entries, total } = await users.names(tenant, PRIMARY).page({ offset, limit });
    const questions = entries.map(({ id }) => question(id));
    const known = await knownFor(questions, context, { ...context, showsWays: false });
    const wrong = known.find((one): one is Fault => one instanceof Fault && one.fault !== "access.subject_unknown");
    if (wrong) throw wrong;
    const results = questions.flatMap((one, at) => {
      const facts = known[at];
      const isFound = facts && !(facts instanceof Fault) && decide(one, facts, context).isAllowed;
      return isFound ? [{ type: "user", id: one.subject.id }] : [];
    });
    const next = offset + limit;
    return {
      page: { next_token: next < total ? tokenOf(body, next) : "", count: results.length },
      results,
    };
  },

  getAccessConfiguration: (_, context) => metadataOf(context.pathTenant, context),
  getTenantAccessConfiguration: ({ params }, context) => metadataOf(params.tenant, context),
};

/** What an evaluation asks. Throws `request.invalid` and `access.operation_unknown`. */
function questionOf({ subject, action, resource, context = {} }: Evaluation, { finder }: Context): Question {
  const type = subjectTypes.find((one) => one === subject.type);
  if (!type) throw refuse("subject.type: send user with the id of a user, or client with a client id.");
  return {
    subject: { type, id: subject.id },
    applicationId: context.application,
    wanted: wantedOf(resource, action.name, finder),
  };
}

function wantedOf({ type, id }: Evaluation["resource"], action: string, finder: OperationFinder): Question["wanted"] {
  switch (type) {
    case "operation":
      if (action === CALL) return finder.byId(id);
      throw refuse(`action.name: the action of a resource operation is ${CALL}.`);
    case "route":
      return finder.byRequest(action, id);
    case "api":
      return { kind: "scope", name: action, ofApi: id };
    default:
      throw refuse(
        "resource.type: send operation with an operationId and the action call, route with a path and the method as " +
          "action, or api with the identifier of an API and one of its scopes as action.",
      );
  }
}

/** An evaluation with the values of the request where it has none. Throws `request.invalid` for one that lacks some. */
function complete({ subject, action, resource, context }: Evaluations, own: Partial<Evaluation>, place: string) {
  const all = { subject, action, resource, context, ...own };
  const lacking = (["subject", "action", "resource"] as const).find((name) => all[name] === undefined);
  if (lacking !== undefined) throw refuse(`${place} has no ${lacking}: send it there or at the top level.`);
  return all as Evaluation;
}

function attempt(make: () => Question): Question | Fault {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** The decision about one question. Throws for one that makes no sense; a subject that does not exist is denied. */
async function single(evaluation: Evaluation, context: Context): Promise<Decision> {
  const question = questionOf(evaluation, context);
  const [known] = await knownFor([question], context, { ...context, showsWays: false });
  if (known && !(known instanceof Fault)) return decisionOf(question, known, context);
  if (known?.row.status === 404) return denied(known);
  throw known ?? new Error("a question has no answer");
}

/** The decisions about some questions, in their order, at the round trips of one. What makes no sense is denied. */
async function decisions(asked: readonly (Question | Fault)[], context: Context): Promise<readonly Decision[]> {
  const questions = asked.filter((one): one is Question => !(one instanceof Fault));
  const found = await knownFor(questions, context, { ...context, showsWays: false });
  const known = new Map(questions.map((question, at) => [question, found[at]]));
  return asked.map((question) => {
    if (question instanceof Fault) return denied(question);
    const facts = known.get(question);
    if (facts && !(facts instanceof Fault)) return decisionOf(question, facts, context);
    if (facts && facts.row.status < 500) return denied(facts);
    throw facts ?? new Error("a question has no answer");
  });
}

function decisionOf(question: Question, known: Known, context: Context): Decision {
  const { isAllowed, requirements } = decide(question, known, context);
  const missing = requirements.flatMap(({ name, scope, gaps }) => {
    const told = new Set(gaps.filter((gap) => mayTell(gap, context.scopes)).map(({ reason }) => reason));
    return [...told].map((reason) => ({ requirement: name, ...(scope !== undefined && { scope }), reason }));
  });
  return { decision: isAllowed, ...(missing.length > 0 && { context: { missing } }) };
}

function denied({ row: { status }, description: message }: Fault): Decision {
  return { decision: false, context: { error: { status, message } } };
}

/** The decisions up to the one that ends the request (Authorization API 1.0 section 7.1.2.1). */
function cut(
  made: readonly Decision[],
  semantic: NonNullable<Evaluations["options"]>["evaluations_semantic"] = "execute_all",
): Decision[] {
  if (semantic === "execute_all") return [...made];
  const last = made.findIndex(({ decision }) => decision === (semantic === "permit_on_first_permit"));
  return last < 0 ? [...made] : made.slice(0, last + 1);
}

/** The token of a page: its place, and a digest of the question, which must stay the same. It names no user. */
function tokenOf({ page: _, ...question }: Search, offset: number): string {
  return Buffer.from(`${offset}.${digestOf(JSON.stringify(question))}`).toString("base64url");
}

/** The place that the token of a request says. Throws `request.invalid`. */
function offsetIn(body: Search): number {
  const { token } = body.page ?? {};
  if (token === undefined || token === "") return 0;
  const [, digits] = /^(\d{1,9})\./.exec(Buffer.from(token, "base64url").toString()) ?? [];
  const offset = Number(digits);
  if (digits !== undefined && token === tokenOf(body, offset)) return offset;
  throw refuse("page.token: it is not of this search. Repeat the search unchanged, or begin again without a token.");
}

async function metadataOf(domain: string | undefined, { tenants, origin }: PublicContext & AuthZenStores) {
  const tenant = domain ?? SUPER_TENANT;
  if (!(await tenants.find(tenant))?.active) throw new Fault("route.not_found", "This tenant does not exist.");
  const base = tenant === SUPER_TENANT ? origin : `${origin}/t/${tenant}`;
  return {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
    search_subject_endpoint: `${base}/access/v1/search/subject`,
  };
}
