/** Arbitrary requests of an operation of the document: valid ones, and one mutation of each. */
import fc from "fast-check";
import { document, type Placed, type Schema } from "./document.ts";
import { traps, valueFor } from "./values.ts";

/** Who sends a request. */
export type Caller = "administrator" | "powerless" | "unknown" | "anonymous" | "stranger";

/** A request before it is sent. Texts have placeholders such as `{{user}}`. */
export interface Request {
  readonly method: string;
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Encoded; a name may occur twice. */
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The media type of the body; `undefined` for no header. */
  readonly type?: string;
  /** A value that the media type encodes. */
  readonly body?: unknown;
  /** Bytes that are sent instead of the body. */
  readonly raw?: Uint8Array;
  readonly caller: Caller;
  /** What was changed, for the report. */
  readonly mutation: string;
}

type Mutation = fc.Arbitrary<(request: Request) => Request>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"] as const;
const HUGE = 1_200_000;
const HEADERS_TOO_LARGE = 11_000;

/** Values of every type, and beyond what members hold. */
const junk: readonly unknown[] = [
  null,
  "",
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  true,
  [],
  {},
  [null],
  [[[]]],
  { a: { b: null } },
  ...traps,
  "x".repeat(20_000),
  Array.from({ length: 1_500 }, () => "x"),
];

/** The members of a value at any depth, as paths. */
const placesIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([name, part]) => placesIn(part, [...path, name]))];

/** A copy of a value with a change at a path; `change` returns `undefined` to remove a member. */
const changedAt = (value: unknown, [name, ...rest]: readonly string[], change: (part: unknown) => unknown): unknown => {
  if (name === undefined) return change(value);
  const entries = Object.entries(value as object).flatMap(([own, part]): [string, unknown][] => {
    const next = own === name ? changedAt(part, rest, change) : part;
    return next === undefined ? [] : [[own, next]];
  });
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
};

const encode = (text: string) => encodeURIComponent(text.toWellFormed());
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Requests that fit the document. */
const validOf = ({ method, described }: Placed): fc.Arbitrary<Request> => {
  const parameters = described.parameters ?? [];
  const [type, content] = Object.entries(described.requestBody?.content ?? {})[0] ?? [];
  const texts = (place: string) =>
    fc
      .tuple(
        ...parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, required, schema }) =>
            fc.tuple(
              fc.constant(name),
              fc.option(valueFor(schema, 0, name), { freq: required ? 1e9 : 1, nil: undefined }),
            ),
          ),
      )
      .map((pairs) =>
        pairs.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, `${value}`]])),
      );
  const header = (text: string) => text.replace(/[^\x20-\x7e]/g, "?");
  return fc
    .tuple(texts("path"), texts("query"), texts("header"), content ? valueFor(content.schema) : fc.constant(undefined))
    .map(([params, query, headers, body]) => ({
      method,
      params: Object.fromEntries(params),
      query: query.map(([name, value]) => `${encode(name)}=${encode(value)}`),
      headers: Object.fromEntries(headers.map(([name, value]) => [name, header(value)])),
      ...(type !== undefined && { type, body }),
      caller: "administrator",
      mutation: "none",
    }));
};

const ofBody: readonly Mutation[] = [
  fc.tuple(fc.nat(), fc.constantFrom(...junk)).map(([at, value]) => (request) => {
    const places = placesIn(request.body);
    const place = places[at % places.length] ?? [];
    const body = changedAt(request.body, place, () => value);
    return { ...request, body, mutation: `body.${place.join(".")} = ${JSON.stringify(value)}`.slice(0, 100) };
  }),
  fc.nat().map((at) => (request) => {
    const places = placesIn(request.body).filter(({ length }) => length > 0);
    const place = places[at % Math.max(1, places.length)] ?? [];
    return {
      ...request,
      body: changedAt(request.body, place, () => undefined) ?? {},
      mutation: `no body.${place.join(".")}`,
    };
  }),
  fc.tuple(fc.nat(), fc.constantFrom("surplus", "Schemas", "ID", "$ref", "")).map(([at, name]) => (request) => {
    const places = placesIn(request.body).filter((place) => isPlainObject(partAt(request.body, place)));
    const place = places[at % Math.max(1, places.length)] ?? [];
    const body = changedAt(request.body, place, (part) =>
      isPlainObject(part) ? { ...part, [name]: "surplus" } : part,
    );
    return { ...request, body, mutation: `body.${[...place, name].join(".")} added` };
  }),
  fc
    .constantFrom("", "null", "[]", "1", '"a"', "{", '{"a":1,"a":2}', '{"__proto__":{}}', "\ufeff{}", "[".repeat(40))
    .map((text) => (request) => ({ ...request, raw: bytes(text), mutation: `body ${text.slice(0, 20)}` })),
  fc.constantFrom([0xff, 0xfe], [0x22, 0xed, 0xa0, 0x80, 0x22]).map((raw) => (request) => {
    return { ...request, raw: Uint8Array.from(raw), mutation: "body is not UTF-8" };
  }),
  fc.constant((request) => ({ ...request, raw: bytes(`"${"x".repeat(HUGE)}"`), mutation: "body of 1.2 MB" })),
  fc
    .constantFrom(
      undefined,
      "text/plain",
      "application/xml",
      "application/json;charset=latin1",
      "multipart/form-data",
      "a",
    )
    .map((type) => ({ type: _, ...request }) => ({
      ...request,
      ...(type !== undefined && { type }),
      mutation: `Content-Type ${type}`,
    })),
  fc.constant((request) => {
    return { ...request, headers: { ...request.headers, "Content-Encoding": "gzip" }, mutation: "Content-Encoding" };
  }),
];

const isPlainObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const partAt = (value: unknown, place: readonly string[]): unknown =>
  place.reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>>)[name], value);

const ofQuery = (names: readonly string[]): Mutation =>
  fc
    .tuple(
      fc.constantFrom("unheard", ...names),
      fc.constantFrom(...traps, "1.5", "99999999999999999999", "yes", "%zz", "%ff", "x".repeat(2_000)),
      fc.boolean(),
    )
    .map(([name, value, isTwice]) => (request) => {
      const pair = `${encode(name)}=${value.startsWith("%") ? value : encode(value)}`;
      return {
        ...request,
        query: [...request.query, pair, ...(isTwice ? [pair] : [])],
        mutation: `query ${pair.slice(0, 60)}`,
      };
    });

const ofPath = (names: readonly string[]): Mutation =>
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...traps.filter((trap) => trap !== ""), "x".repeat(5_000)))
    .map(([name, value]) => (request) => ({
      ...request,
      params: { ...request.params, [name]: value },
      mutation: `path ${name} = ${value.slice(0, 40)}`,
    }));

const ofHeaders: Mutation = fc
  .constantFrom(
    ["Accept", "text/html"],
    ["Accept", "application/json;q=0"],
    ["Accept", "a"],
    ["X-Correlation-ID", "b".repeat(100)],
    ["X-HTTP-Method-Override", "DELETE"],
    ["If-Match", '"x"'],
    ["If-Match", "no tag"],
    ["If-None-Match", "*"],
    ["X-Large", "x".repeat(HEADERS_TOO_LARGE)],
  )
  .map(([name = "", value = ""]) => (request) => ({
    ...request,
    headers: { ...request.headers, [name]: value },
    mutation: `${name}: ${value.slice(0, 40)}`,
  }));

const ofCaller: Mutation = fc
  .constantFrom<Caller>("powerless", "unknown", "anonymous", "stranger")
  .map((caller) => (request) => ({ ...request, caller, mutation: `as ${caller}` }));

/** The methods that the path of an operation does not have. HEAD is GET without a body. */
const ofMethod = ({ path }: Placed): Mutation => {
  const declared = Object.keys(document.paths[path] ?? {}).map((method) => method.toUpperCase());
  return fc
    .constantFrom(...METHODS.filter((method) => !declared.includes(method)))
    .map((method) => (request) => ({ ...request, method, mutation: `method ${method}` }));
};

const NONE: Mutation = fc.constant((request) => request);

/** Requests of an operation: a third is valid; each of the others has one mutation. */
export const requestsOf = (operation: Placed): fc.Arbitrary<Request> => {
  const { parameters = [], requestBody } = operation.described;
  const namesIn = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name);
  const path = namesIn("path");
  const mutations = fc.oneof(
    { arbitrary: NONE, weight: 10 },
    ...(requestBody ? ofBody.map((arbitrary, at) => ({ arbitrary, weight: at < 3 ? 4 : 1 })) : []),
    { arbitrary: ofQuery(namesIn("query")), weight: 3 },
    ...(path.length > 0 ? [{ arbitrary: ofPath(path), weight: 3 }] : []),
    { arbitrary: ofHeaders, weight: 2 },
    { arbitrary: ofCaller, weight: 2 },
    { arbitrary: ofMethod(operation), weight: 1 },
  );
  return fc.tuple(validOf(operation), mutations).map(([request, mutate]) => mutate(request));
};
