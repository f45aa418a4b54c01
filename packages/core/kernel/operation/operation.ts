/**
 * An endpoint as data. Contracts declare operations; routes, scopes, the OpenAPI document and the types of the handlers
 * are derived from them. A contract imports no handler, no SDK and no secret.
 */
import type * as z from "zod";
import type { OpenableContext, PublicContext, RequestContext, ScopedContext } from "./context.ts";
import type { Reach } from "./reach.ts";
import type { ServiceName } from "./services.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The scope of an operation that needs no credential. */
export const PUBLIC = "public";

/** Formats of bodies: JSON, `application/x-www-form-urlencoded`, or `multipart/form-data`. */
export type Media = "json" | "form" | "multipart";

/** The limits of a body. */
export interface BodyLimits {
  readonly bytes?: number;
  /** Members of all objects of a JSON body together, and elements of all lists. */
  readonly members?: number;
}

/** The response of an operation that succeeded. */
export interface Success {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: z.ZodType;
  /** True when the response has a `Location` header. */
  readonly location?: true;
  /**
   * The response has an `ETag`: true where the handler returns it, `content` where the pipeline computes it from the
   * content. A GET with a matching `If-None-Match` returns 304 (RFC 9110 section 13.1.2).
   */
  readonly etag?: true | "content";
  /** True when the handler may leave the body out, which returns 204. */
  readonly orNoContent?: true;
  /** The media type of a file: the response is an attachment. */
  readonly file?: string;
  /** True for a page for people, or a redirection: the handler returns the whole answer. Faults are pages, too. */
  readonly page?: true;
  /** True where such an answer can be a redirection: 302 of a GET, 303 of a form. */
  readonly redirects?: true;
  /** The media type of a page that is a file for pages. Default: HTML. */
  readonly pageMedia?: string;
  /** Seconds for which any cache may store the response. Absent: `no-store`. */
  readonly maxAgeSeconds?: number;
}

export interface Operation {
  readonly service: ServiceName;
  readonly method: Method;
  /** Full path without the tenant prefix; `{name}` marks one segment. */
  readonly path: `/${string}`;
  /**
   * The scope that the credential must have; `PUBLIC` only where the protocol authenticates by itself or nothing is
   * secret.
   */
  readonly scope: string;
  /** Further scopes that the credential must have. */
  readonly furtherScopes?: readonly string[];
  /** Scopes that include the one above. */
  readonly includedIn?: readonly string[];
  /**
   * Each of these scopes authorises a part of what the operation does, without the scope above. The handler, which sees
   * the scopes, enforces the part.
   */
  readonly partialScopes?: readonly string[];
  /** True where the operator may open it (deployment.toml, `secured = false`): it returns nothing of a tenant. */
  readonly openable?: true;
  /**
   * True where a rule for the paths around it leaves it as closed as it is: one that opens them is not refused for it,
   * and its own scopes are required besides those of the rule. Rules for these paths existed before the operation.
   */
  readonly staysClosed?: true;
  /**
   * What it does to which kind of resource. Operations that do the same must be protected alike by access rules
   * (decision 0144). Absent: what its scopes say.
   */
  readonly does?: readonly Reach[];
  /** What it gives besides, of other operations: a rule for one of these must cover it, too. */
  readonly reaches?: readonly Reach[];
  /** True where the handler gets the scopes of the caller, because it checks more than the one above. */
  readonly seesScopes?: true;
  /** How the caller of a public operation may authenticate, where the operation itself checks it. */
  readonly clientAuthentication?: "client" | "client-or-bearer";
  /**
   * Which scripts in browsers may read the response (CORS): those of any origin, or of the origins of the client, which
   * the handler names (`context.readableBy`). Absent: none.
   */
  readonly scripts?: "any" | "client";
  readonly summary: string;
  /** The requirements and decisions behind it: "AM-004", or "RFC 7009; decision 0023". */
  readonly source: string;
  readonly params?: z.ZodObject;
  /** All values are strings. A repeated parameter is refused. */
  readonly query?: z.ZodObject;
  /** The request headers that the operation reads, by lower-case names. */
  readonly headers?: z.ZodObject;
  /** The body, which is required when declared, unless `bodyOptional` says otherwise. */
  readonly body?: z.ZodType;
  /** A PATCH of SCIM: what a creation takes. Its operations without a path may have these attributes. */
  readonly patches?: z.ZodType;
  /** True where a request may leave the body out: its schema reads `undefined`. */
  readonly bodyOptional?: true;
  /** The format of the body; default `json`. A form is an object of strings. */
  readonly media?: Media;
  /** True for a form that takes an envelope of SOAP 1.1, too, as its member `soap`. */
  readonly takesSoap?: true;
  /** Parameters of a form that may be sent several times: their values are lists. Any other is refused. */
  readonly repeated?: readonly string[];
  /** Replaces the default limits: 1 MiB, and 10,000 members. */
  readonly limits?: BodyLimits;
  readonly success: Success;
  /**
   * The id of the GET whose entity tag the request can be conditional on (`If-Match`, `If-None-Match`): that of the
   * resource that the operation changes. Its parameters are among those of this operation. Where the handler returns
   * the tag of that GET, the handlers compare it (`context.conditions`); otherwise the pipeline does.
   */
  readonly target?: string;
  /** True for a POST that changes no stored data, such as a search. Methods other than GET change data by default. */
  readonly changesNothing?: true;
  /** The error statuses of the operation itself, besides `commonFailures`. */
  readonly failures: readonly number[];
}

/** What decides whether a request may pass: an operation without its shapes. */
export type Protection = Pick<
  Operation,
  | "method"
  | "path"
  | "scope"
  | "includedIn"
  | "furtherScopes"
  | "partialScopes"
  | "openable"
  | "staysClosed"
  | "does"
  | "reaches"
  | "seesScopes"
>;

/** The protection of each operation, by its id. */
export type Protections = Readonly<Record<string, Protection>>;

/** The error statuses that follow from the declaration of an operation (documents/statuses.ts). */
export const commonFailures = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429, 431, 500, 503] as const;

/** The scope that every authenticated caller has. */
export const SIGNED_IN = "internal_login";

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The parsed input of an operation. */
export interface InputOf<O extends Operation> {
  readonly params: Parsed<O["params"]>;
  readonly query: Parsed<O["query"]>;
  readonly headers: Parsed<O["headers"]>;
  readonly body: Parsed<O["body"]>;
}

/** The result of an operation that returns a file. */
export interface FileResult {
  readonly content: string | Uint8Array;
  readonly fileName: string;
}

/** A page for people, or a redirection of their browser. */
export interface PageResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** The page; or the script of one, whose headers say so. */
  readonly html?: string;
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
 * The result of the handler of an operation: a file; or an object with those of `location`, `etag` and `body` that the
 * operation declares; or the body itself where it declares nothing else; or nothing.
 */
export type ResultOf<O extends Operation> = O["success"] extends { readonly file: string }
  ? FileResult
  : O["success"] extends { readonly page: true }
    ? PageResult
    : O["success"] extends { readonly location: true } | { readonly etag: true } | { readonly orNoContent: true }
      ? Flag<O["success"], "location", { readonly location: string }> &
          Flag<O["success"], "etag", { readonly etag: string }> &
          BodyOf<O["success"]>
      : O["success"] extends { readonly body: infer S extends z.ZodType }
        ? z.input<S>
        : undefined;

/** The context of the handler of an operation. */
export type ContextOf<O extends Operation> = O["scope"] extends typeof PUBLIC
  ? PublicContext
  : O extends { readonly openable: true }
    ? OpenableContext
    : O extends { readonly seesScopes: true }
      ? ScopedContext
      : RequestContext;

/**
 * One handler for each operation. A missing handler, an extra one or a wrong type does not compile. `Stores` is what
 * the handlers use.
 */
export type Handlers<Ops extends Readonly<Record<string, Operation>>, Stores> = {
  readonly [Id in keyof Ops]: (
    input: InputOf<Ops[Id]>,
    context: ContextOf<Ops[Id]> & Stores,
  ) => Promise<ResultOf<Ops[Id]>>;
};

/** Declares an operation: checks its shape and keeps its literal types. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}
