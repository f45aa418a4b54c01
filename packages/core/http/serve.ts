/**
 * The pipeline without Lambda: admit a request by the authorizer's decision, parse its input with the operation's
 * schemas, call the handler, shape the answer. Everything that can go wrong is thrown as a `Fault`.
 */
import type * as z from "zod";
import type { Principal, PublicContext } from "../operation/context.ts";
import { isOpenPath, type Match, type Matcher } from "../operation/match.ts";
import { type FileResult, type Operation, PUBLIC } from "../operation/operation.ts";
import { familyOf, services } from "../operation/services.ts";
import { namesTag } from "../platform/entity-tag.ts";
import { Fault } from "../platform/faults.ts";
import { parsePart } from "../platform/parse.ts";
import type { Decision } from "./decision.ts";
import { dialects } from "./dialects.ts";
import { type HttpRequest, readQuery } from "./request.ts";

/** A request that may proceed to its operation. */
export interface Admitted {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
  readonly scopes: readonly string[];
}

/** An answer before it is written for the gateway. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written as JSON. */
  readonly body?: unknown;
  /** Written as it is. */
  readonly content?: string | Uint8Array;
}

/** A handler as the pipeline calls it: its types are checked where the table of handlers is written. */
export type AnyHandler = (input: never, context: never) => Promise<unknown>;

/** What handlers may answer, as the pipeline looks at it; `ResultOf` says which of it each operation does. */
interface Parts {
  readonly location?: string;
  readonly etag?: string;
  readonly body?: unknown;
}

/**
 * Holds a request against the decision that came with it. The decision must be about the very operation that the path
 * leads to here. Throws the refusal, `route.not_found`, `route.method_not_allowed` or `auth.forbidden`.
 */
export function admit(
  request: HttpRequest,
  decision: Decision,
  match: Matcher,
  operations: Readonly<Record<string, Operation>>,
): Admitted {
  if (decision.decision === "refuse") throw decision.fault;
  const found = match(request.method, request.path);
  const isOpen = decision.decision === "public";
  if (found.kind !== "operation") {
    const isTold = found.kind === "method" && isOpenPath(match, operations, request.path, found.allow);
    if (isOpen && familyOf(request.path) && !isTold) throw disagreement();
    throw unmatched(found, request);
  }
  const declared = operations[found.id];
  // An operator may ask for a credential where the catalogue does not, and open what shows nothing of a tenant; nothing else.
  const mayBeOpen = declared?.scope === PUBLIC || declared?.openable === true;
  if (!declared || decision.operation !== found.id || (isOpen && !mayBeOpen)) throw disagreement();
  return {
    operation: found.id,
    params: found.params,
    principal: decision.decision === "allow" ? decision.principal : undefined,
    scopes: (decision.decision === "allow" && decision.scopes) || [],
  };
}

function disagreement(): Fault {
  return new Fault("auth.forbidden", "The request was authorised for another operation than the one it asks for.");
}

function unmatched(match: Exclude<Match, { kind: "operation" }>, { method, path }: HttpRequest): Fault {
  return match.kind === "method"
    ? new Fault("route.method_not_allowed", `${path} answers ${match.allow.join(", ")}, not ${method.slice(0, 20)}.`, {
        headers: { allow: match.allow.join(", ") },
      })
    : new Fault("route.not_found", "No operation of this API has this path.");
}

/** Parses the input of an admitted request, calls its handler and shapes the answer. */
export async function answer(
  declared: Operation,
  handler: AnyHandler,
  request: HttpRequest,
  params: Readonly<Record<string, string>>,
  body: unknown,
  context: PublicContext,
): Promise<HttpAnswer> {
  const input = {
    params: declared.params && parsePart("path", declared.params, params),
    query: queryOf(declared, request),
    headers: declared.headers && parsePart("header", declared.headers, request.headers),
    body: declared.body && parsePart("body", declared.body, body),
  };
  // Input and context are what the handler's type is derived from: the operation's schemas and scope.
  const result = await handler(input as never, context as never);
  const { success } = declared;
  if (success.file !== undefined) return attachment(success.file, result as FileResult);
  const hasParts = success.location ?? success.etag ?? success.orNoContent ?? false;
  const parts: Parts = hasParts ? (result as Parts) : { body: result };
  const headers = {
    ...(parts.location !== undefined && { location: `${context.origin}${parts.location}` }),
    ...(parts.etag !== undefined && { etag: parts.etag }),
    ...(success.maxAgeSeconds !== undefined && { "cache-control": `public, max-age=${success.maxAgeSeconds}` }),
  };
  if (declared.method === "GET" && parts.etag !== undefined) {
    if (namesTag(request.headers["if-none-match"] ?? "", parts.etag)) return { status: 304, headers };
  }
  if (!success.body) return { status: success.status, headers };
  if (success.orNoContent && parts.body === undefined) return { status: 204, headers };
  // Parsing the result strips whatever the contract does not declare, so no stored field leaves unnoticed. Not so of SCIM
  // resources, whose shapes are loose: what leaves of those is chosen by their schemas, attribute by attribute (scim/projection.ts).
  return { status: success.status, headers, body: success.body.parse(parts.body) };
}

function queryOf(declared: Operation, { rawQuery }: HttpRequest): unknown {
  if (!declared.query) return undefined;
  const query = readQuery(rawQuery);
  const { ignoresQueryCase } = dialects[services[declared.service].dialect];
  return parsePart("query", declared.query, ignoresQueryCase ? named(query, declared.query) : query);
}

/** Query parameters under the names that an operation declares, where their case does not count. */
function named(query: Readonly<Record<string, string>>, declared: z.ZodObject): Readonly<Record<string, string>> {
  const names = new Map(Object.keys(declared.shape).map((name) => [name.toLowerCase(), name]));
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(query)) {
    const known = names.get(name.toLowerCase()) ?? name;
    if (found.has(known)) throw new Fault("request.invalid", `The query parameter "${known}" is given more than once.`);
    found.set(known, value);
  }
  return Object.fromEntries(found);
}

function attachment(media: string, { content, fileName }: FileResult): HttpAnswer {
  return {
    status: 200,
    headers: {
      "content-type": media,
      // RFC 6266: the plain form for all clients, the other one for names that it cannot hold.
      "content-disposition": `attachment; filename="${fileName.replace(/[^\w. -]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    },
    content,
  };
}
