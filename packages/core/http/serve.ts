/**
 * The request pipeline without Lambda: compare the request with the authorizer's decision, parse the input with the
 * operation's schemas, call the handler, build the response. Every failure is thrown as a `Fault`.
 */
import type * as z from "zod";
import { contentTag, namesTag } from "../kernel/entity-tag.ts";
import { Fault } from "../kernel/faults.ts";
import type { Principal, Proof, PublicContext, SignInMethod } from "../kernel/operation/context.ts";
import { isOpenPath, type Match, type Matcher } from "../kernel/operation/match.ts";
import {
  type FileResult,
  type Operation,
  type PageResult,
  PUBLIC,
  type Success,
} from "../kernel/operation/operation.ts";
import { familyOf, isWellKnown, services } from "../kernel/operation/services.ts";
import { isFirstUse, parsePart } from "../kernel/parse.ts";
import { checkTogether } from "../kernel/together.ts";
import type { Decision } from "./decision.ts";
import { dialects } from "./dialects.ts";
import { type HttpRequest, readQuery } from "./request.ts";

/** A request that may be executed. */
export interface Admitted {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
  readonly scopes: readonly string[];
  /** The nonce for the caller's next DPoP proofs. */
  readonly nonce: string | undefined;
  readonly signIn: SignInMethod | undefined;
  /** The client whose token was used. */
  readonly clientId: string | undefined;
  readonly proof: Proof | undefined;
}

/** A response before it is encoded for the gateway. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Encoded as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly content?: string | Uint8Array;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

/** A handler as the pipeline calls it. Its types are checked where the handlers are declared (`Handlers`). */
export type AnyHandler = (input: never, context: never) => Promise<unknown>;

/** An admitted request with everything that its handler needs. */
export interface Call {
  readonly declared: Operation;
  readonly handler: AnyHandler;
  readonly request: HttpRequest;
  readonly params: Readonly<Record<string, string>>;
  /** Decoded, not yet parsed with the operation's schema. */
  readonly body: unknown;
  readonly context: PublicContext;
}

/** The members that the result of a handler can have; `ResultOf` says which ones an operation has. */
interface ResultParts {
  readonly location?: string;
  readonly etag?: string;
  readonly body?: unknown;
}

/**
 * Compares a request with the decision that came with it, which must be about the operation that the path and method
 * lead to here. Throws the refusal, `route.not_found`, `route.method_not_allowed` or `auth.forbidden`.
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
    const isListed =
      found.kind === "method" ? isOpenPath(match, operations, request.path, found.allow) : isWellKnown(request.path);
    if (isOpen && familyOf(request.path) && !isListed) throw otherOperation();
    throw unmatched(found, request, decision.nearest);
  }
  const declared = operations[found.id];
  // Rules of the operator can protect public operations and open those that are declared openable; nothing else.
  const mayBeOpen = declared?.scope === PUBLIC || declared?.openable === true;
  if (!declared || decision.operation !== found.id || (isOpen && !mayBeOpen)) throw otherOperation();
  return {
    operation: found.id,
    params: found.params,
    principal: decision.decision === "allow" ? decision.principal : undefined,
    scopes: (decision.decision === "allow" && decision.scopes) || [],
    nonce: decision.decision === "allow" ? decision.nonce : undefined,
    signIn: decision.decision === "allow" ? decision.signIn : undefined,
    clientId: decision.decision === "allow" ? decision.clientId : undefined,
    proof: decision.decision === "allow" ? decision.proof : undefined,
  };
}

function otherOperation(): Fault {
  return new Fault(
    "auth.forbidden",
    "The request was authorised for another operation than the one of its path and method.",
  );
}

function unmatched(
  match: Exclude<Match, { kind: "operation" }>,
  { method, path }: HttpRequest,
  nearest: string | undefined,
): Fault {
  if (match.kind === "none") {
    const hint =
      nearest === undefined
        ? " GET /openapi.json lists all paths."
        : ` Did you mean ${nearest}? Letter case and slashes count.`;
    return new Fault("route.not_found", `No operation of this API has this path.${hint}`);
  }
  const allow = match.allow.join(", ");
  // The body for HEAD has the length of that for GET.
  const used = method === "HEAD" ? "GET" : method.slice(0, 20);
  return new Fault("route.method_not_allowed", `${path} supports ${allow}, not ${used}.`, { headers: { allow } });
}

/** Parses the input of a request with the schemas of its operation. Throws `request.invalid`. */
export function inputOf({ declared, request, params, body }: Omit<Call, "handler" | "context">) {
  const input: { params?: unknown; query?: unknown; headers?: unknown; body?: unknown } = {};
  checkTogether(
    () => {
      input.params = declared.params && parsePart("path", declared.params, params);
    },
    () => {
      input.query = queryOf(declared, request);
    },
    () => {
      input.headers = declared.headers && parsePart("header", declared.headers, request.headers);
    },
    () => {
      input.body = declared.body && parsePart("body", declared.body, body);
    },
  );
  return input;
}

/** Parses the input of a request, calls its handler and builds the response. */
export async function execute(call: Call): Promise<HttpResponse> {
  const { declared, handler, request, context } = call;
  // The handler's types are derived from the same schemas and scope (`Handlers`).
  const result = await handler(inputOf(call) as never, context as never);
  if (declared.success.page) return pageOf(result as PageResult);
  return declared.success.file === undefined
    ? responseOf(declared, request, result, context)
    : attachment(declared.success, request, result as FileResult);
}

/** The response of a page. */
export function pageOf({ html, ...page }: PageResult): HttpResponse {
  return { ...page, ...(html !== undefined && { content: html }) };
}

function responseOf(
  { method, success }: Operation,
  request: HttpRequest,
  result: unknown,
  context: PublicContext,
): HttpResponse {
  const hasParts = success.location || success.etag === true || success.orNoContent;
  const parts: ResultParts = hasParts ? (result as ResultParts) : { body: result };
  const headers = {
    ...(parts.location !== undefined && { location: `${context.origin}${parts.location}` }),
    ...(parts.etag !== undefined && { etag: parts.etag }),
    ...(success.maxAgeSeconds !== undefined && { "cache-control": `public, max-age=${success.maxAgeSeconds}` }),
  };
  if (method === "GET" && isKnown(request, parts.etag)) return { status: 304, headers };
  if (!success.body) return { status: success.status, headers };
  if (success.orNoContent && parts.body === undefined) return { status: 204, headers };
  // Parsing removes members that the contract does not declare, so that no stored field is returned by accident. The
  // shapes of SCIM resources are loose: there the SCIM schemas select the attributes (scim/protocol/projection.ts).
  const shown = success.body.parse(parts.body, { jitless: isFirstUse(success.body) });
  if (success.etag !== "content") return { status: success.status, headers, body: shown };
  const tagged = { ...headers, etag: contentTag(JSON.stringify(shown)) };
  if (method === "GET" && isKnown(request, tagged.etag)) return { status: 304, headers: tagged };
  return { status: success.status, headers: tagged, body: shown };
}

/** Whether the caller has the content with this entity tag already. */
function isKnown({ headers }: HttpRequest, etag: string | undefined): boolean {
  return etag !== undefined && namesTag(headers["if-none-match"] ?? "", etag);
}

function queryOf(declared: Operation, { rawQuery }: HttpRequest): unknown {
  if (!declared.query) return undefined;
  const query = readQuery(rawQuery, declared.method === "GET" ? declared.repeated : undefined);
  const { ignoresQueryCase } = dialects[services[declared.service].dialect];
  return parsePart("query", declared.query, ignoresQueryCase ? withDeclaredNames(query, declared.query) : query);
}

/** Query parameters under the names that an operation declares, compared without case. */
function withDeclaredNames(
  query: Readonly<Record<string, string | readonly string[]>>,
  declared: z.ZodObject,
): Readonly<Record<string, string | readonly string[]>> {
  const names = new Map(Object.keys(declared.shape).map((name) => [name.toLowerCase(), name]));
  const found = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(query)) {
    const known = names.get(name.toLowerCase()) ?? name;
    if (found.has(known))
      throw new Fault("request.invalid", `The query string has the parameter "${known}" more than once.`);
    found.set(known, value);
  }
  return Object.fromEntries(found);
}

function attachment(success: Success, request: HttpRequest, { content, fileName }: FileResult): HttpResponse {
  const tagged = success.etag === "content" && { etag: contentTag(content) };
  if (tagged && isKnown(request, tagged.etag)) return { status: 304, headers: tagged };
  return {
    status: 200,
    headers: {
      ...tagged,
      "content-type": success.file ?? "",
      // RFC 6266: the plain form for all clients, the extended one for names with other characters.
      "content-disposition": `attachment; filename="${fileName.replace(/[^\w. -]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    },
    content,
  };
}

/**
 * Whether a failure is told to a person: of an operation that answers with pages, and to a browser that opens an
 * address that leads to none, such as that of a form.
 */
export function isForPeople(
  declared: Operation | undefined,
  { row }: Fault,
  { method, headers }: HttpRequest,
): boolean {
  if (declared) return declared.success.page === true;
  const isOpened = method === "GET" || method === "HEAD";
  return isOpened && (row.status === 404 || row.status === 405) && /\btext\/html\b/i.test(headers.accept ?? "");
}
