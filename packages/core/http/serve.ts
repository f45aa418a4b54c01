/**
 * The pipeline without Lambda: admit a request by the authorizer's decision, parse its input with the operation's
 * schemas, call the handler, shape the answer. Everything that can go wrong is thrown as a `Fault`.
 */
import type { Match, Matcher } from "../catalogue/match.ts";
import { type Operation, PUBLIC } from "../catalogue/operation.ts";
import { familyOf } from "../catalogue/services.ts";
import type { Principal, PublicContext } from "../context.ts";
import { Fault } from "../faults/faults.ts";
import { parsePart } from "../parsing/parse.ts";
import type { Decision } from "./decision.ts";
import { type HttpRequest, readQuery } from "./request.ts";

/** A request that may proceed to its operation. */
export interface Admitted {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
}

/** An answer before it is written for the gateway. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const unmatched = (match: Exclude<Match, { kind: "operation" }>, { method, path }: HttpRequest): Fault =>
  match.kind === "method"
    ? new Fault("route.method_not_allowed", `${path} answers ${match.allow.join(", ")}, not ${method.slice(0, 20)}.`, {
        headers: { allow: match.allow.join(", ") },
      })
    : new Fault("route.not_found", "No operation of this API has this path.");

const disagreement = (): Fault =>
  new Fault("auth.forbidden", "The request was authorised for another operation than the one it asks for.");

/**
 * Holds a request against the decision that came with it. The decision must be about the very operation that the path
 * leads to here. Throws the refusal, `route.not_found`, `route.method_not_allowed` or `auth.forbidden`.
 */
export const admit = (
  request: HttpRequest,
  decision: Decision,
  match: Matcher,
  operations: Readonly<Record<string, Operation>>,
): Admitted => {
  if (decision.decision === "refuse") throw decision.fault;
  const found = match(request.method, request.path);
  const isOpen = decision.decision === "public";
  if (found.kind !== "operation") {
    if (isOpen && familyOf(request.path)) throw disagreement();
    throw unmatched(found, request);
  }
  const declared = operations[found.id];
  if (!declared || decision.operation !== found.id || isOpen !== (declared.scope === PUBLIC)) throw disagreement();
  return {
    operation: found.id,
    params: found.params,
    principal: decision.decision === "allow" ? decision.principal : undefined,
  };
};

/** A handler as the pipeline calls it: its types are checked where the table of handlers is written. */
export type AnyHandler = (input: never, context: never) => Promise<unknown>;

/** Parses the input of an admitted request, calls its handler and shapes the answer. */
export const answer = async (
  declared: Operation,
  handler: AnyHandler,
  request: HttpRequest,
  params: Readonly<Record<string, string>>,
  body: unknown,
  context: PublicContext,
): Promise<HttpAnswer> => {
  const input = {
    params: declared.params && parsePart("path", declared.params, params),
    query: declared.query && parsePart("query", declared.query, readQuery(request.rawQuery)),
    body: declared.body && parsePart("body", declared.body, body),
  };
  // Input and context are what the handler's type is derived from: the operation's schemas and scope.
  const result = await handler(input as never, context as never);
  const { status, body: shape, location } = declared.success;
  if (location) {
    const made = result as { readonly location: string; readonly body?: unknown };
    const headers = { location: `${context.origin}${made.location}` };
    return shape ? { status, headers, body: shape.parse(made.body) } : { status, headers };
  }
  // Parsing the result strips whatever the contract does not declare, so no stored field leaves unnoticed.
  return shape ? { status, headers: {}, body: shape.parse(result) } : { status, headers: {} };
};
