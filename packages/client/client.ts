/**
 * A typed client of the Identity Admin API, for Node, browsers and workers. The types of all requests and answers are
 * those of the catalogue of the service; the code knows no operation but the paths of the collections.
 */
import { type Listing, listingOf } from "./listing.ts";
import type { AnswerOf, BodyOf, InputOf, ItemOf, QueryOf, Route } from "./requests.ts";
import {
  type ClientOptions,
  type Method,
  type Reply,
  type RequestOptions,
  type SendOptions,
  transportOf,
} from "./transport.ts";

export type { ClientCredentials, Credentials, TokenCredentials, UserCredentials } from "./credentials.ts";
export { Fault, type FaultKind, isFault } from "./faults.ts";
export type { Listing, Page } from "./listing.ts";
export type { AnswerOf, BodyOf, InputOf, ItemOf, QueryOf, Route } from "./requests.ts";
export type * from "./scim.ts";
export type * from "./tokens.ts";
export type { ClientOptions, Method, Reply, RequestOptions, SendOptions } from "./transport.ts";

type If<R extends string, Then> = R extends Route ? Then : unknown;
type Made<R extends Route> = (AnswerOf<R> extends object ? AnswerOf<R> : unknown) & { readonly id: string };
type Query<R extends Route> = QueryOf<R>;

/** A change of a SCIM resource: operations, or the attributes to replace. */
type Change<R extends Route, Sent> = R extends `PATCH /scim2/${string}` ? BodyOf<R> | Partial<Sent> : BodyOf<R>;
type SentTo<R extends string> = R extends Route ? BodyOf<R> : never;

/** The resources of one path. It has the methods whose routes the API has. Failures are thrown as `Fault`. */
export type Collection<Path extends string, Id extends string> = If<
  `GET ${Path}`,
  {
    /** Lists page after page: iterate over it. */
    list(query?: Query<`GET ${Path}` & Route>, options?: RequestOptions): Listing<ItemOf<`GET ${Path}` & Route>>;
  }
> &
  If<
    `POST ${Path}`,
    {
      /** Creates a resource. Returns its id, and what the service answered. */
      create(body: BodyOf<`POST ${Path}` & Route>, options?: RequestOptions): Promise<Made<`POST ${Path}` & Route>>;
    }
  > &
  If<
    `GET ${Path}/{${Id}}`,
    {
      get(
        id: string,
        query?: Query<`GET ${Path}/{${Id}}` & Route>,
        options?: RequestOptions,
      ): Promise<AnswerOf<`GET ${Path}/{${Id}}` & Route>>;
    }
  > &
  If<
    `PATCH ${Path}/{${Id}}`,
    {
      /** Changes what the body names. */
      update(
        id: string,
        body: Change<`PATCH ${Path}/{${Id}}` & Route, SentTo<`PUT ${Path}/{${Id}}`>>,
        options?: RequestOptions,
      ): Promise<AnswerOf<`PATCH ${Path}/{${Id}}` & Route>>;
    }
  > &
  If<
    `PUT ${Path}/{${Id}}`,
    {
      /** Puts the body in the place of the resource. */
      replace(
        id: string,
        body: BodyOf<`PUT ${Path}/{${Id}}` & Route>,
        options?: RequestOptions,
      ): Promise<AnswerOf<`PUT ${Path}/{${Id}}` & Route>>;
    }
  > &
  If<`DELETE ${Path}/{${Id}}`, { delete(id: string, options?: RequestOptions): Promise<void> }>;

const V1 = "/api/server/v1";

/** The collections of the API: the path of each, and the name of the id in its routes. */
const collections = {
  applications: [`${V1}/applications`, "applicationId"],
  templates: [`${V1}/applications/templates`, "templateId"],
  apiResources: [`${V1}/api-resources`, "apiResourceId"],
  oidcScopes: [`${V1}/oidc/scopes`, "scopeName"],
  tenants: [`${V1}/tenants`, "tenantId"],
  webhooks: [`${V1}/webhooks`, "webhookId"],
  deletedResources: [`${V1}/deleted-resources`, "id"],
  auditEvents: [`${V1}/audit-events`, "id"],
  changes: [`${V1}/changes`, "id"],
  users: ["/scim2/Users", "id"],
  groups: ["/scim2/Groups", "id"],
  roles: ["/scim2/v2/Roles", "id"],
} as const;

type Collections = {
  readonly [Name in keyof typeof collections]: Collection<(typeof collections)[Name][0], (typeof collections)[Name][1]>;
};

/** The API of a service, as one caller. */
export interface Api extends Collections {
  /** The address with the path of its tenant, without a slash at the end. */
  readonly url: string;
  /** Sends a request to any operation: `request("GET /scim2/Users/{id}", { params: { id } })`. Throws `Fault`. */
  request<const R extends Route>(
    route: R,
    ...input: Partial<InputOf<R>> extends InputOf<R> ? [(InputOf<R> & RequestOptions)?] : [InputOf<R> & RequestOptions]
  ): Promise<Reply<AnswerOf<R>>>;
  /** Reads any list page after page. */
  list<const R extends Route & `GET ${string}`>(
    route: R,
    ...input: Partial<InputOf<R>> extends InputOf<R> ? [(InputOf<R> & RequestOptions)?] : [InputOf<R> & RequestOptions]
  ): Listing<ItemOf<R>>;
  /** Sends a request to a path that the program computes. Its answer has no type. Throws `Fault`. */
  send(method: Method, path: `/${string}`, options?: SendOptions): Promise<Reply<unknown>>;
  /** The access token of the requests, requested or renewed if need be; `undefined` for a password. */
  token(): Promise<string | undefined>;
}

interface AnyInput extends SendOptions {
  readonly params?: Readonly<Record<string, string>>;
}

/**
 * A client of a service. It sends nothing yet. Temporary failures are retried with an `Idempotency-Key` for POST and
 * PATCH (docs/retries.md), and tokens of clients are renewed. Throws a `TypeError` for options that cannot be used.
 */
export function client(options: ClientOptions): Api {
  const { url, token, send } = transportOf(options);
  const request = (route: string, { params, ...input }: AnyInput = {}) => {
    const [method, path = ""] = route.split(" ");
    return send(method as Method, filled(path, params), input);
  };
  const list = (route: string, { params, query = {}, ...input }: AnyInput = {}) => {
    const path = filled(route.slice("GET ".length), params);
    return listingOf(path, query, (page) => send("GET", path, { ...input, query: page }));
  };
  const api = { url, token, send, request, list };
  for (const [name, [path]] of Object.entries(collections)) {
    Object.assign(api, { [name]: collectionOf(path, send, list) });
  }
  // The types come from the catalogue, which is not part of the code.
  return api as object as Api;
}

function collectionOf(
  path: string,
  send: (method: Method, path: string, options?: SendOptions) => Promise<Reply<unknown>>,
  list: (route: string, input: AnyInput) => Listing<unknown>,
) {
  const one = (id: string) => `${path}/${segment(id)}`;
  return {
    list: (query: SendOptions["query"], options?: RequestOptions) => list(`GET ${path}`, { ...options, query }),
    async create(body: unknown, options?: RequestOptions) {
      const made = await send("POST", path, { ...options, body });
      return { ...(typeof made.body === "object" ? made.body : undefined), ...(made.id && { id: made.id }) };
    },
    get: async (id: string, query: SendOptions["query"], options?: RequestOptions) =>
      (await send("GET", one(id), { ...options, query })).body,
    update: async (id: string, body: object, options?: RequestOptions) =>
      (await send("PATCH", one(id), { ...options, body: path.startsWith("/scim2") ? patchOf(body) : body })).body,
    replace: async (id: string, body: unknown, options?: RequestOptions) =>
      (await send("PUT", one(id), { ...options, body })).body,
    async delete(id: string, options?: RequestOptions) {
      await send("DELETE", one(id), options);
    },
  };
}

/** The PATCH of SCIM that replaces attributes, unless it is one already (RFC 7644 section 3.5.2). */
function patchOf(body: object): object {
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
  if ("Operations" in body) return { schemas, ...body };
  return { schemas, Operations: [{ op: "replace", value: body }] };
}

/** A path with its parameters. Throws a `TypeError` where one is missing: the request would mean something else. */
function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name], name));
}

function segment(value: unknown, name = "id"): string {
  // A client of HTTP resolves the segments "." and "..", also when they are encoded.
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`The parameter "${name}" of the path is missing or cannot be part of a path.`);
  }
  return encodeURIComponent(value);
}
