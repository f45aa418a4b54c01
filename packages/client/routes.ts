/**
 * What the requests of each route take and answer, inferred from the catalogue of the service. Only types: no code of
 * the service comes into the package, where this file is one interface with the inferred types written out.
 */
import type * as z from "zod";
import type { InboundProtocolsBody } from "../core/applications/protocols/shapes.ts";
import type { NewApplicationBody } from "../core/applications/registry/shapes.ts";
import type { catalogue } from "../core/service/catalogue.ts";
import type { Introspection } from "../core/sign-in/oauth/shapes.ts";
import type { ScimRoutes } from "./scim.ts";
import type { TokenActor } from "./tokens.ts";

type Catalogue = typeof catalogue;
type RouteOf<Id extends keyof Catalogue> = `${Catalogue[Id]["method"]} ${Catalogue[Id]["path"]}`;
type Operations = { readonly [Id in keyof Catalogue as RouteOf<Id>]: Catalogue[Id] };

/** The input of a schema as a program writes it: lists may be read-only, and what the service pre-processes counts. */
type Written<S> =
  S extends z.ZodOptional<infer Inner>
    ? Written<Inner> | undefined
    : S extends z.ZodNullable<infer Inner>
      ? Written<Inner> | null
      : S extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
        ? Written<Inner> | undefined
        : S extends z.ZodReadonly<infer Inner> | z.ZodLazy<infer Inner>
          ? Written<Inner>
          : S extends z.ZodPreprocess<infer Inner>
            ? Written<Inner>
            : S extends z.ZodPipe<infer From, infer To>
              ? From extends z.ZodTransform
                ? Written<To>
                : Written<From>
              : S extends z.ZodArray<infer Element>
                ? readonly Written<Element>[]
                : S extends z.ZodUnion<infer Options>
                  ? Written<Options[number]>
                  : S extends z.ZodObject<infer Shape, infer Config>
                    ? IsOpen<Config> extends true
                      ? Members<Shape> & { readonly [more: string]: unknown }
                      : Members<Shape>
                    : S extends z.ZodType
                      ? z.input<S>
                      : never;

type OptionalNames<Shape> = {
  [Name in keyof Shape]: undefined extends Written<Shape[Name]> ? Name : never;
}[keyof Shape];

/** Whether an object may have members that its schema does not name. */
type IsOpen<Config> = Config extends { readonly out: infer Out } ? (string extends keyof Out ? true : false) : false;

type Members<Shape> = { readonly [Name in Exclude<keyof Shape, OptionalNames<Shape>>]: Written<Shape[Name]> } & {
  readonly [Name in OptionalNames<Shape>]?: Written<Shape[Name]>;
} extends infer Both
  ? { readonly [Name in keyof Both]: Both[Name] }
  : never;

/** A parameter: numbers and truth values are sent as texts. */
type Parameter<T> = T extends string
  ? string extends T
    ? string | number | boolean
    : T extends "true" | "false"
      ? T | boolean
      : T
  : T;
type Parameters<S> = S extends z.ZodType ? { readonly [Name in keyof Written<S>]: Parameter<Written<S>[Name]> } : never;

type Part<O, Name extends string> = O extends { readonly [N in Name]: infer S } ? S : undefined;

type Protocols = NonNullable<Written<typeof InboundProtocolsBody>>;

type Given<T> = T extends readonly unknown[] ? T : Partial<T>;

/** The same type, with one member of another type. */
type With<T, Name extends keyof T, Type> = T extends infer Whole
  ? { readonly [N in keyof Whole]: N extends Name ? Type : Whole[N] }
  : never;

/** A new application: protocols as in the bodies of their own PUT, without what its template has. */
type NewApplication = With<
  Written<typeof NewApplicationBody>,
  "inboundProtocolConfiguration",
  { readonly [Name in keyof Protocols]?: Given<NonNullable<Protocols[Name]>> }
>;

type ScimPart<R, Name extends string> = R extends keyof ScimRoutes ? Part<ScimRoutes[R], Name> : undefined;

type BodyOf<R extends keyof Operations> = R extends "POST /api/server/v1/applications"
  ? NewApplication
  : ScimPart<R, "body"> extends infer Scim extends object
    ? Scim
    : Operations[R] extends { readonly media: "multipart" }
      ? FormData
      : Operations[R] extends { readonly media: "form" }
        ? URLSearchParams
        : Part<Operations[R], "body"> extends infer S extends z.ZodType
          ? Operations[R] extends { readonly bodyOptional: true }
            ? Written<S> | undefined
            : Written<S>
          : undefined;

type AnswerOf<R extends keyof Operations> = R extends "POST /oauth2/introspect"
  ? With<z.output<typeof Introspection>, "act", TokenActor | undefined>
  : ScimPart<R, "answer"> extends infer Scim extends object
    ? Scim
    : Operations[R]["success"] extends { readonly file: string }
      ? string
      : Operations[R]["success"] extends { readonly body: infer S extends z.ZodType }
        ? z.output<S>
        : undefined;

/** Each route, such as `GET /scim2/Users/{id}`: the parameters of its query, its body, and the body of its answer. */
export type Shapes = {
  readonly [R in keyof Operations]: {
    readonly query: Parameters<Part<Operations[R], "query">>;
    readonly body: BodyOf<R>;
    readonly answer: AnswerOf<R>;
  };
};
