/**
 * The OpenAPI 3.1 document, derived from the catalogue. It is committed as docs/openapi.json; drift fails `npm run
 * check`.
 */
import * as z from "zod";
import { dialects, errorSchemas } from "../http/dialects.ts";
import { commonFailures, type Operation, PUBLIC } from "../operation/operation.ts";
import { type Dialect, services } from "../operation/services.ts";

type Json = Record<string, unknown>;

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  204: "No content",
  400: "The request is invalid; see the description",
  401: "No valid credential",
  403: "The credential does not have the scope, or the resource is protected",
  404: "The tenant has no such resource",
  304: "Unchanged since the entity tag of If-None-Match",
  405: "The path has other methods: see Allow",
  406: "Accept allows no available representation",
  409: "Another resource has the same name or key",
  412: "The resource has changed since the entity tag of If-Match",
  413: "The body is too large",
  415: "The operation does not accept the media type of the body",
  500: "An internal error; report the traceId",
  501: "Not supported by this service",
  503: "The service is busy or cannot reach its database; try again",
};

const media: Readonly<Record<Dialect, string>> = {
  management: "application/json",
  scim1: "application/json",
  scim2: "application/scim+json",
  oauth2: "application/json",
};

/** The document of a set of operations: paths in alphabetical order, so that a change shows as a small difference. */
export function openApiDocument(operations: Readonly<Record<string, Operation>>): Json {
  const components = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  for (const [id, declaration] of Object.entries(operations).sort(([, a], [, b]) => (a.path < b.path ? -1 : 1))) {
    paths[declaration.path] = {
      ...paths[declaration.path],
      [declaration.method.toLowerCase()]: describeOperation(id, declaration, components),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Identity Admin API",
      version: "1.0.0",
      description:
        "The administration API of an identity provider. Every path below /api/server/v1, /scim2, /svc/scim and /oauth2 is also available below /t/{tenant}. In a JSON body, a member that is null means the same as a missing one.",
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        basic: { type: "http", scheme: "basic" },
        bearer: { type: "http", scheme: "bearer", description: "An access token of /oauth2/token" },
      },
    },
  };
}

function describeOperation(id: string, declaration: Operation, components: Map<string, Json>): Json {
  const { dialect } = services[declaration.service];
  const { success } = declaration;
  const failures = [...declaration.failures, ...commonFailures.filter((status) => mayFailWith(declaration, status))];
  const parameters = [
    ...parametersOf(declaration.params, "path", components),
    ...parametersOf(declaration.query, "query", components),
    ...parametersOf(declaration.headers, "header", components),
  ];
  const [headers, content] = [responseHeaders(declaration), responseContent(declaration, dialect, components)];
  return {
    operationId: id,
    summary: declaration.summary,
    tags: [declaration.service],
    ...(parameters.length > 0 && { parameters }),
    ...(declaration.body && {
      requestBody: {
        required: true,
        content: { [requestMedia(declaration, dialect)]: { schema: schemaOf(declaration.body, "input", components) } },
      },
    }),
    responses: {
      [success.status]: {
        description: reasons[success.status],
        ...(headers && { headers }),
        ...(content && { content }),
      },
      ...furtherResponses(declaration),
      ...Object.fromEntries(
        [...new Set(failures)]
          .sort((a, b) => a - b)
          .map((status) => [
            status,
            {
              description: reasons[status] ?? "Refused",
              content: { [media[dialect]]: { schema: schemaOf(errorSchemas[dialect], "output", components) } },
            },
          ]),
      ),
    },
    security: declaration.scope === PUBLIC ? [] : [{ basic: [] }, { bearer: [] }],
    "x-required-scope": declaration.scope,
    "x-source": declaration.source,
  };
}

/** 401 and 403 need a credential, 409 a change, 406 a response body, 413 and 415 a request body. */
function mayFailWith({ service, method, scope, body, success }: Operation, status: number): boolean {
  if (status === 409) return method !== "GET";
  if (status === 401 || status === 403) return scope !== PUBLIC;
  if (status === 406) return success.body !== undefined && dialects[services[service].dialect].checksAccept;
  return body !== undefined || (status !== 413 && status !== 415);
}

function parametersOf(
  schema: z.ZodObject | undefined,
  place: "path" | "query" | "header",
  components: Map<string, Json>,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, pattern, default: _, ...shape } = schemaOf(field as z.ZodType, "input", components);
    const { default: fallback } = (field as z.ZodType).meta() ?? {};
    return {
      name,
      in: place,
      required: place === "path" || !(field as z.ZodType).safeParse(undefined).success,
      ...(typeof description === "string" && { description }),
      // The pattern of a number describes its text in the query string.
      schema: {
        ...shape,
        ...(shape.type === "string" && pattern !== undefined && { pattern }),
        ...(fallback !== undefined && { default: fallback }),
      },
    };
  });
}

function responseHeaders({ success }: Operation): Json | undefined {
  const headers = {
    ...(success.location && { Location: { schema: { type: "string", format: "uri" } } }),
    ...(success.etag && { ETag: { schema: { type: "string" } } }),
    ...(success.file && { "Content-Disposition": { schema: { type: "string" } } }),
  };
  return Object.keys(headers).length > 0 ? headers : undefined;
}

function responseContent({ success }: Operation, dialect: Dialect, components: Map<string, Json>): Json | undefined {
  if (success.file) return { [success.file]: { schema: { type: "string", format: "binary" } } };
  return success.body && { [media[dialect]]: { schema: schemaOf(success.body, "output", components) } };
}

function requestMedia({ media: written = "json" }: Operation, dialect: Dialect): string {
  return { json: media[dialect], form: "application/x-www-form-urlencoded", multipart: "multipart/form-data" }[written];
}

/**
 * Turns `$ref`s of zod's registry into references to the document's components, and drops the `$schema` and `$id` of
 * parts.
 */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Map<string, Json>): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, { io, reused: "inline", unrepresentable: "any" }) as Json;
  for (const [name, part] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
    const { id: __, $id: ___, ...body } = part;
    components.set(componentName(name, io), relink(body, io) as Json);
  }
  const { id, ...body } = json;
  if (typeof id !== "string") return relink(body, io) as Json;
  components.set(componentName(id, io), relink(body, io) as Json);
  return { $ref: `#/components/schemas/${componentName(id, io)}` };
}

function relink(part: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(part)) return part.map((entry) => relink(entry, io));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) =>
      key === "$ref" && typeof value === "string"
        ? [key, `#/components/schemas/${componentName(value.replace(/^#\/\$defs\//, ""), io)}`]
        : [key, relink(value, io)],
    ),
  );
}

/** A shape differs between request and response (defaults), so each has a component of its own. */
function componentName(id: string, io: "input" | "output"): string {
  return io === "input" ? `${id}Input` : id;
}

/** Further responses without an error. */
function furtherResponses({ method, success }: Operation): Json {
  return Object.fromEntries(
    [...(success.etag && method === "GET" ? [304] : []), ...(success.orNoContent ? [204] : [])].map((status) => [
      status,
      { description: reasons[status] },
    ]),
  );
}
