/**
 * One endpoint as data. A contract declares its operations with this; routes, scopes, documents and the types of the
 * handlers follow from the declaration. Importing a contract never pulls in a handler, the SDK or a secret.
 */
import type * as z from "zod";
import type { PublicContext, RequestContext } from "../context.ts";
import type { ServiceName } from "./services.ts";

/** The methods that operations use. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The scope of an operation that anybody may call. */
export const PUBLIC = "public";

/** One endpoint. */
export interface Operation {
  readonly service: ServiceName;
  readonly method: Method;
  /** Full path without the tenant prefix; `{name}` marks one segment. */
  readonly path: `/${string}`;
  /** The scope that the caller's credential must hold; `PUBLIC` only where the protocol authenticates by itself or nothing is secret. */
  readonly scope: string;
  readonly summary: string;
  /** Where the requirement stands: "application API, operation 4", or "our choice, decision 0002". */
  readonly source: string;
  readonly params?: z.ZodObject;
  /** Every value arrives as a string; a repeated parameter is refused. */
  readonly query?: z.ZodObject;
  /** A JSON body, required when declared. */
  readonly body?: z.ZodType;
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly body?: z.ZodType;
    /** True when the answer carries a `Location`. */
    readonly location?: true;
  };
  /** The failures of the operation itself; those that any operation may have are `commonFailures`. */
  readonly failures: readonly number[];
}

/** Statuses that operations share: no credential, no right, another method, others who keep changing the same thing, a body too large or of another media type, and ours to answer for. */
export const commonFailures = [401, 403, 405, 409, 413, 415, 500, 503] as const;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What the handler of an operation is given. */
export interface InputOf<O extends Operation> {
  readonly params: Parsed<O["params"]>;
  readonly query: Parsed<O["query"]>;
  readonly body: Parsed<O["body"]>;
}

/** What the handler of an operation answers: where the new thing is (and the thing, where it is shown), or its body, or nothing. */
export type ResultOf<O extends Operation> = O["success"] extends { readonly location: true }
  ? O["success"] extends { readonly body: infer S extends z.ZodType }
    ? { readonly location: string; readonly body: z.input<S> }
    : { readonly location: string }
  : O["success"] extends { readonly body: infer S extends z.ZodType }
    ? z.input<S>
    : undefined;

/** What the handler of an operation knows of the request: who calls, unless anybody may. */
export type ContextOf<O extends Operation> = O["scope"] extends typeof PUBLIC ? PublicContext : RequestContext;

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
export const operation = <const O extends Operation>(declaration: O): O => declaration;
