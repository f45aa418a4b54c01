/**
 * One endpoint as data. A contract declares its operations with this; routes, scopes, documents and the types of the
 * handlers follow from the declaration. Importing a contract never pulls in a handler, the SDK or a secret.
 */
import type * as z from "zod";
import type { OpenableContext, PublicContext, RequestContext, ScopedContext } from "./context.ts";
import type { ServiceName } from "./services.ts";

/** The methods that operations use. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The scope of an operation that anybody may call. */
export const PUBLIC = "public";

/** How bodies are written: JSON, `application/x-www-form-urlencoded`, or `multipart/form-data`. */
export type Media = "json" | "form" | "multipart";

/** How much of a body is read. */
export interface BodyLimits {
  readonly bytes?: number;
  /** Members of all objects of a JSON body together. */
  readonly members?: number;
}

/** The answer of an operation that did what it is for. */
export interface Success {
  readonly status: 200 | 201 | 204;
  readonly body?: z.ZodType;
  /** True when the answer carries a `Location`. */
  readonly location?: true;
  /** True when the answer carries an `ETag`; a GET with a matching `If-None-Match` answers 304 (RFC 9110 section 13.1.2). */
  readonly etag?: true;
  /** True when the handler may leave the body out, which answers 204. */
  readonly orNoContent?: true;
  /** The media type of a file: the answer is an attachment. */
  readonly file?: string;
  /** Seconds for which anybody may keep the answer. Nobody may keep one where nothing is said. */
  readonly maxAgeSeconds?: number;
}

/** One endpoint. */
export interface Operation {
  readonly service: ServiceName;
  readonly method: Method;
  /** Full path without the tenant prefix; `{name}` marks one segment. */
  readonly path: `/${string}`;
  /** The scope that the caller's credential must hold; `PUBLIC` only where the protocol authenticates by itself or nothing is secret. */
  readonly scope: string;
  /** Scopes that the credential must hold besides. */
  readonly furtherScopes?: readonly string[];
  /**
   * Each of these scopes lets in too, to a part of what the operation does; the handler, which sees the scopes, holds the
   * caller to that part.
   */
  readonly partialScopes?: readonly string[];
  /** True where an operator may let anybody call it (deployment.toml, `secured = false`): it shows nothing of a tenant. */
  readonly openable?: true;
  /** True where the handler is told the scopes of the caller, because it must look at more than the one above. */
  readonly seesScopes?: true;
  readonly summary: string;
  /** Where the requirement stands: "application API, operation 4", or "our choice, decision 0002". */
  readonly source: string;
  readonly params?: z.ZodObject;
  /** Every value arrives as a string; a repeated parameter is refused. */
  readonly query?: z.ZodObject;
  /** The request headers that the operation reads, by their names in lower case. */
  readonly headers?: z.ZodObject;
  /** A body, required when declared. */
  readonly body?: z.ZodType;
  /** How the body is written; `json` where nothing is said. A form arrives as an object of strings. */
  readonly media?: Media;
  /** Where one megabyte of body, or 10,000 members in it, are too few. */
  readonly limits?: BodyLimits;
  readonly success: Success;
  /** The failures of the operation itself; those that any operation may have are `commonFailures`. */
  readonly failures: readonly number[];
}

/** Statuses that operations share: no credential, no right, another method, no representation that the caller accepts, others who keep changing the same thing, a body too large or of another media type, and ours to answer for. */
export const commonFailures = [401, 403, 405, 406, 409, 413, 415, 500, 503] as const;

/** The scope that every caller holds who has shown a credential. */
export const SIGNED_IN = "internal_login";

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What the handler of an operation is given. */
export interface InputOf<O extends Operation> {
  readonly params: Parsed<O["params"]>;
  readonly query: Parsed<O["query"]>;
  readonly headers: Parsed<O["headers"]>;
  readonly body: Parsed<O["body"]>;
}

/** A file as an operation answers it. */
export interface FileResult {
  readonly content: string | Uint8Array;
  readonly fileName: string;
}

type BodyOf<S extends Success> = S extends { readonly body: infer B extends z.ZodType }
  ? S extends { readonly orNoContent: true }
    ? { readonly body: z.input<B> | undefined }
    : { readonly body: z.input<B> }
  : unknown;
type Flag<S extends Success, Name extends keyof Success, Type> = S extends { readonly [N in Name]: true }
  ? Type
  : unknown;

/**
 * What the handler of an operation answers: a file, or where the thing is, its entity tag and its body as far as the
 * operation says that its answer has them, or the body alone where it has nothing else, or nothing.
 */
export type ResultOf<O extends Operation> = O["success"] extends { readonly file: string }
  ? FileResult
  : O["success"] extends { readonly location: true } | { readonly etag: true } | { readonly orNoContent: true }
    ? Flag<O["success"], "location", { readonly location: string }> &
        Flag<O["success"], "etag", { readonly etag: string }> &
        BodyOf<O["success"]>
    : O["success"] extends { readonly body: infer S extends z.ZodType }
      ? z.input<S>
      : undefined;

/** What the handler of an operation knows of the request: who calls, unless anybody may. */
export type ContextOf<O extends Operation> = O["scope"] extends typeof PUBLIC
  ? PublicContext
  : O extends { readonly openable: true }
    ? OpenableContext
    : O extends { readonly seesScopes: true }
      ? ScopedContext
      : RequestContext;

/**
 * One function for every operation, with the right input, context and result: a missing one, or one too many, does not
 * compile. `Stores` is what the functions use.
 */
export type Handlers<Ops extends Readonly<Record<string, Operation>>, Stores> = {
  readonly [Id in keyof Ops]: (
    input: InputOf<Ops[Id]>,
    context: ContextOf<Ops[Id]> & Stores,
  ) => Promise<ResultOf<Ops[Id]>>;
};

/** Keeps the literal types of a declaration and checks its shape. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}
