/**
 * The OpenAPI 3.1 document, derived from the catalogue. It is committed as docs/openapi.json; drift fails `npm run
 * check`.
 */

import { dialects, errorSchemas } from "../../http/dialects.ts";
import { systemApis } from "../../kernel/domain/system-apis.ts";
import { type Operation, PUBLIC, SIGNED_IN } from "../../kernel/operation/operation.ts";
import { canRehearse } from "../../kernel/operation/rehearsal.ts";
import { isRepeatable } from "../../kernel/operation/repeatable.ts";
import { type Dialect, dialectOf, familyOf } from "../../kernel/operation/services.ts";
import * as z from "../../kernel/zod.ts";
import { type Components, newComponents } from "./components.ts";
import { describedSchemas } from "./descriptions/describing.ts";
import { type Examples, exampleOf, newExamples } from "./examples.ts";
import type { Json } from "./json-schema.ts";
import { parametersOf } from "./parameters.ts";
import type { RecordedAnswer, Recordings } from "./recordings.ts";
import { failuresIn, reasons } from "./statuses.ts";
import { tagOf, tagsOf } from "./tags.ts";

const media: Readonly<Record<Dialect, string>> = {
  management: "application/json",
  scim1: "application/json",
  scim2: "application/scim+json",
  oauth2: "application/json",
  authzen: "application/json",
};

const prefixes: Readonly<Record<Dialect, string>> = {
  management: "",
  scim1: "Scim1",
  scim2: "Scim2",
  oauth2: "OAuth2",
  authzen: "AuthZen",
};

/** The rate limit is the gateway's, which has one format for all paths. */
const GatewayError = z.object({ message: z.string() }).meta({ id: "GatewayError" });
const GATEWAY_STATUS = 429;
/** Answered before an operation is looked up: in the format of the path, also where the operation has pages. */
const HEAD_STATUS = 431;

const text = { type: "string" } as const;
/** The media type of pages. */
const PAGE = "text/html";
const BEARER =
  "An access token of /oauth2/token. One that is bound to a DPoP key is sent with the scheme DPoP and a proof (RFC 9449).";
const headers: Readonly<Record<string, Json>> = {
  Allow: { description: "The methods of the path", schema: text },
  "Content-Disposition": { description: "The name of the file", schema: text },
  "Dry-Run": { description: "`true` where the request was rehearsed: nothing was changed", schema: text },
  "Ignored-Members": {
    description:
      "Members of the body and parameters (with a question mark) that were ignored because the operation does not know them: at most 20, separated by commas",
    schema: text,
  },
  ETag: { description: "The entity tag of the resource in the state that the response shows", schema: text },
  Location: { description: "The URL of the resource", schema: { ...text, format: "uri" } },
  "Preference-Applied": { description: "The preference of Prefer that was applied", schema: text },
  "Retry-After": {
    description: "Seconds to wait before the next attempt",
    schema: { type: "integer", format: "int32" },
  },
  "Idempotency-Replayed": {
    description: "`true` where this is the answer to an earlier request with the same `Idempotency-Key`",
    schema: text,
  },
  "WWW-Authenticate": { description: "The accepted schemes", schema: text },
  "X-Correlation-ID": { description: "Names the request in the log of the service", schema: text },
};

/** Every scope of this service with what it allows. */
const scopeTexts: Readonly<Record<string, string>> = Object.fromEntries(
  systemApis.flatMap(({ name: api, scopes }) =>
    scopes.map(({ name, displayName }) => [name, `${displayName} (${api})`]),
  ),
);

/** What the document says of the whole. */
const about = {
  contact: { name: "The operator of this service" },
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  description: [
    "The administration API of an identity provider. Every path below /api/server/v1, /scim2, /svc/scim and /oauth2 is also available below /t/{tenant}.",
    "In a JSON body, a member that is null means the same as a missing one.",
    "A request that changes data may have the header `Prefer: handling=strict` (RFC 7240): members of its body and parameters that the operation does not know are then refused with 400. Otherwise they are ignored, and the header `Ignored-Members` of the response lists them. `Prefer: handling=lenient` asks for that where the operator made strict the default.",
    "A request to /scim2 that creates or changes one resource may have the header `Prefer: return=minimal` (RFC 7240): the answer then has no body, is 204 in place of 200, and has the header `Preference-Applied: return=minimal`. A PATCH with `attributes` ignores it.",
    "Every operation of the management API and of SCIM that changes data has the parameter `dryRun`: with `true`, it makes all checks, answers as the request itself would, with the header `Dry-Run: true`, and changes nothing. Ids, times and secrets in that answer are examples.",
    "Every single resource has an `ETag`. A request that changes it can have the header `If-Match` with that tag: it is refused with 412 if the resource has changed since. A GET with `If-None-Match` is 304 while it has not. The operator may require `If-Match` (428).",
    "A POST or PATCH that changes data may have the header `Idempotency-Key`: within 24 hours, the same request of the same caller with the same key gets the first answer again, with the header `Idempotency-Replayed: true`, and takes effect once. The token endpoints do not take it.",
    "Clients must ignore members of responses that they do not know: a later version may add some.",
    "The examples were recorded from a running service. Ids, secrets and tokens in them are placeholders, long lists are cut, and members named `$ref` are left out.",
  ].join("\n\n"),
} as const;

const securitySchemes = {
  basic: {
    type: "http",
    scheme: "basic",
    description: "A user name with a password; at the endpoints of OAuth, the id of a client with its secret",
  },
  bearer: { type: "http", scheme: "bearer", description: BEARER },
  oauth2: {
    type: "oauth2",
    description: "The scopes that an application is authorized for, by its own credential",
    flows: { clientCredentials: { tokenUrl: "/oauth2/token", scopes: scopeTexts } },
  },
} as const;

/**
 * The headers of some errors. 409 has `Retry-After` only where another change is in progress, 429 not from the gateway.
 */
const errorHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** What the document says besides the catalogue. */
export interface Further {
  /** The release that the document describes. */
  readonly version: string;
  /** What each operation does, in sentences, by its id. Without one its summary stands there. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Recorded requests and answers, by the ids of the operations. */
  readonly examples?: Recordings;
}

/** The document of a set of operations: paths in alphabetical order, so that a change shows as a small difference. */
export function openApiDocument(
  operations: Readonly<Record<string, Operation>>,
  { version, descriptions = {}, examples: recordings = {} }: Further,
): Json {
  const components = newComponents();
  const examples = newExamples(recordings, (id) => {
    const declared = operations[id];
    return prefixes[declared ? dialectOf(declared) : "management"];
  });
  const failuresOf = failuresIn(operations);
  /** The recorded answer; that of the read of the same resource where the operation was not recorded with success. */
  const answerOf = (id: string, { success, target }: Operation): RecordedAnswer | undefined => {
    const read = target === undefined ? undefined : operations[target];
    const isSame = read?.success.body !== undefined && read.success.body === success.body;
    return (
      examples.answerOf(id, success.status) ?? (isSame ? examples.answerOf(target ?? "", success.status) : undefined)
    );
  };
  const responses = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  for (const [id, declared] of Object.entries(operations).sort(([, a], [, b]) => (a.path < b.path ? -1 : 1))) {
    const failures = failuresOf(declared).map((status) => {
      const dialect = status === HEAD_STATUS ? dialectAt(declared.path) : dialectOf(declared);
      const own = examples.ofFailure(id, status);
      if (declared.success.page && status !== GATEWAY_STATUS && status !== HEAD_STATUS)
        return [status, pageOf(status, own)] as const;
      if (own) return [status, failureOf(dialect, status, components, own)] as const;
      const name = `${prefixes[dialect]}Error${status}`;
      responses.set(name, failureOf(dialect, status, components));
      return [status, { $ref: `#/components/responses/${name}` }] as const;
    });
    const answer = answerOf(id, declared);
    const described = describeOperation({ id, declared, text: descriptions[id], answer }, components, examples);
    paths[declared.path] = {
      ...paths[declared.path],
      [declared.method.toLowerCase()]: {
        ...described,
        responses: { ...(described.responses as Json), ...Object.fromEntries(failures) },
      },
    };
  }
  const { tags, groups } = tagsOf(new Set(Object.values(operations).map(tagOf)));
  const { document, schemas } = components.finish({
    paths,
    responses: Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1))),
  });
  return {
    openapi: "3.1.0",
    info: { title: "Identity Admin API", version, ...about },
    servers: [{ url: "/" }],
    tags,
    "x-tagGroups": groups,
    paths: document.paths,
    components: {
      schemas: describedSchemas(schemas),
      responses: document.responses,
      ...(Object.keys(examples.shared).length > 0 && { examples: examples.shared }),
      headers: headersIn(document),
      securitySchemes,
    },
  };
}

/** An operation with its id and its description. */
interface Described {
  readonly id: string;
  readonly declared: Operation;
  readonly text: string | undefined;
  readonly answer: RecordedAnswer | undefined;
}

/** The dialect of whatever is at a path. */
function dialectAt(path: string): Dialect {
  return familyOf(path)?.dialect ?? "management";
}

/** The headers that the document refers to; others are described where they have an example. */
function headersIn(document: Json): Json {
  const text = JSON.stringify(document);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

function describeOperation(
  { id, declared, text, answer }: Described,
  components: Components,
  examples: Examples,
): Json {
  const dialect = dialectOf(declared);
  const parameters = examples.withValues(id, parametersOf(declared, components));
  return {
    operationId: id,
    summary: declared.summary,
    description: `${text ?? `${declared.summary}.`}\n\n${scopesOf(declared)}`,
    tags: [tagOf(declared)],
    ...(parameters.length > 0 && { parameters }),
    ...(declared.body && {
      requestBody: {
        required: declared.bodyOptional !== true,
        content: {
          [requestMedia(declared, dialect)]: {
            schema: components.schemaOf(declared.body, "input"),
            ...examples.ofRequest(id),
          },
        },
      },
    }),
    responses: successesOf(declared, components, answer),
    security: securityOf(declared),
    "x-required-scope": declared.scope,
    "x-source": declared.source,
  };
}

function scopesOf({ scope, furtherScopes = [], partialScopes = [] }: Operation): string {
  if (scope === PUBLIC) return "Needs no scope.";
  const needed = [scope, ...furtherScopes].map((name) => `\`${name}\``).join(" and ");
  const partial = partialScopes.map((name) => `\`${name}\``).join(" or ");
  const sentence = scope === SIGNED_IN ? `Needs the scope ${needed}, which every caller has.` : `Needs ${needed}.`;
  return partial ? `${sentence} A part of it needs only ${partial}.` : sentence;
}

function securityOf({ scope, furtherScopes = [], clientAuthentication }: Operation): readonly Json[] {
  if (scope !== PUBLIC) return [{ basic: [] }, { bearer: [] }, { oauth2: [scope, ...furtherScopes] }];
  if (clientAuthentication === undefined) return [];
  // A client may also send its id and secret in the form.
  return [{ basic: [] }, ...(clientAuthentication === "client-or-bearer" ? [{ bearer: [] }] : []), {}];
}

function successesOf(declared: Operation, components: Components, answer: RecordedAnswer | undefined): Json {
  const { method, success } = declared;
  const dialect = dialectOf(declared);
  const examples = answer?.body === undefined ? {} : { examples: exampleOf(answer.body) };
  const names = [
    ...(canRehearse(declared) ? ["Dry-Run"] : []),
    ...(isRepeatable(declared) ? ["Idempotency-Replayed"] : []),
    ...(method === "GET" || dialects[dialect].ignoresUnknown ? [] : ["Ignored-Members", "Preference-Applied"]),
    ...(success.location ? ["Location"] : []),
    ...(success.etag ? ["ETag"] : []),
    ...(success.file ? ["Content-Disposition"] : []),
  ];
  const further = [...(success.orNoContent ? [204] : []), ...(success.etag && method === "GET" ? [304] : [])];
  const redirection = method === "GET" ? 302 : 303;
  const schema = success.body && components.schemaOf(success.body, "output");
  return {
    [success.status]: {
      description: reasons[success.status],
      headers: headersOf(names, answer?.headers),
      ...(schema && { content: { [media[dialect]]: { schema, ...examples } } }),
      ...(success.page && { content: { [success.pageMedia ?? PAGE]: { schema: text, ...examples } } }),
      ...(success.file && { content: { [success.file]: { schema: { ...text, format: "binary" }, ...examples } } }),
    },
    ...Object.fromEntries(
      further.map((status) => [status, { description: reasons[status], headers: headersOf(names) }]),
    ),
    ...(success.redirects && {
      [redirection]: { description: reasons[redirection], headers: headersOf([...names, "Location"]) },
    }),
  };
}

/** A failure of an operation that answers people. */
function pageOf(status: number, examples?: Json): Json {
  return {
    description: reasons[status] ?? "Refused",
    headers: headersOf(errorHeaders[status] ?? []),
    content: { [PAGE]: { schema: text, ...(examples && { examples }) } },
  };
}

function failureOf(dialect: Dialect, status: number, components: Components, examples?: Json): Json {
  const isGateway = status === GATEWAY_STATUS;
  const schema = components.schemaOf(isGateway ? GatewayError : errorSchemas[dialect], "output");
  return {
    description: reasons[status] ?? "Refused",
    ...(!isGateway && { headers: headersOf(errorHeaders[status] ?? []) }),
    content: { [isGateway ? "application/json" : media[dialect]]: { schema, ...(examples && { examples }) } },
  };
}

function headersOf(names: readonly string[], values: RecordedAnswer["headers"] = {}): Json {
  return Object.fromEntries(
    [...names, "X-Correlation-ID"].map((name) => {
      const example = values[name.toLowerCase()];
      return [name, example === undefined ? { $ref: `#/components/headers/${name}` } : { ...headers[name], example }];
    }),
  );
}

function requestMedia({ media: written = "json" }: Operation, dialect: Dialect): string {
  return { json: media[dialect], form: "application/x-www-form-urlencoded", multipart: "multipart/form-data" }[written];
}
