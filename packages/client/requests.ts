/** The types of requests and answers, by route. */
import type { Shapes } from "./routes.ts";

/** A method and a path template of the API, such as `GET /scim2/Users/{id}`. */
export type Route = keyof Shapes;

/** The body that a request of a route takes. */
export type BodyOf<R extends Route> = Shapes[R]["body"];

/** The body of the answer of a route. */
export type AnswerOf<R extends Route> = Shapes[R]["answer"];

/** The parameters of the query of a route. */
export type QueryOf<R extends Route> = [Shapes[R]["query"]] extends [never]
  ? { readonly [name: string]: never }
  : Shapes[R]["query"];

type Names<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

type Needed<T, Name extends string> = Partial<T> extends T ? { readonly [N in Name]?: T } : { readonly [N in Name]: T };

/** What a request of a route takes besides its route. */
export type InputOf<R extends Route> = ([Names<R>] extends [never]
  ? unknown
  : { readonly params: { readonly [Name in Names<R>]: string } }) &
  ([Shapes[R]["query"]] extends [never] ? unknown : Needed<Shapes[R]["query"], "query">) &
  (undefined extends BodyOf<R>
    ? BodyOf<R> extends undefined
      ? unknown
      : { readonly body?: BodyOf<R> }
    : { readonly body: BodyOf<R> });

type Elements<T> = T extends readonly (infer Item)[] ? Item : never;

/** An item of the list that a route answers. */
export type ItemOf<R extends Route> =
  AnswerOf<R> extends readonly (infer Item)[]
    ? Item
    : Elements<AnswerOf<R>[Exclude<keyof AnswerOf<R>, "schemas" | "links">]>;
