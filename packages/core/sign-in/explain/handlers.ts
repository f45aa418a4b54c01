/** The handler of the operation that explains access. */
import type * as z from "zod";
import type { ApiResourceStore } from "../../applications/apis/store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { RequestContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { CertificateSettings } from "../authentication/access-control/model.ts";
import { askedResources } from "../oauth/targets.ts";
import type { AccessQuestion, explainOperations } from "./contract.ts";
import { decide } from "./decide-rules.ts";
import { type FactStores, knownFor } from "./facts.ts";
import { present } from "./present.ts";
import type { OperationFinder } from "./question.ts";
import type { Question } from "./question-model.ts";

/** The dependencies of these handlers. */
export interface ExplainStores extends FactStores {
  readonly apiResources: Pick<ApiResourceStore, "findScopes" | "idsOf" | "findMany">;
  readonly finder: OperationFinder;
  readonly certificates: CertificateSettings;
}

/** A request and its method, as the text of an operation. */
const REQUEST = /^([A-Za-z]+) +(\/[^?#]*)/;

export const explainHandlers: Handlers<typeof explainOperations, ExplainStores> = {
  async explainAccess({ body }, context) {
    const question = questionOf(body, context);
    const { tenant, origin, certificates } = context;
    const [known] = await knownFor([question], context, { tenant, origin, showsWays: true });
    if (!known || known instanceof Fault) throw known ?? new Error("a question has no answer");
    const verdict = decide(question, known, { certificates, origin, tenant });
    return present({ question, known, verdict }, context);
  },
};

function questionOf(
  { subject, operation, scope, application, token }: z.output<typeof AccessQuestion>,
  { finder, origin }: RequestContext & ExplainStores,
): Question {
  return {
    subject,
    applicationId: application,
    wanted: operation === undefined ? { kind: "scope", name: scope ?? "" } : operationOf(operation, finder),
    scopes: token?.scopes,
    resources: token?.resources && askedResources(token.resources, origin),
  };
}

/** An operation by its id, or by a request. */
export function operationOf(text: string, finder: OperationFinder) {
  const [, method, path] = REQUEST.exec(text) ?? [];
  return method === undefined || path === undefined ? finder.byId(text) : finder.byRequest(method, path);
}
