/** Reads docs/openapi.json: its operations, and validators of its schemas. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export type Schema = Readonly<Record<string, unknown>>;
type Named<T> = Readonly<Record<string, T>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly examples?: Named<Example>;
}

/** A value, or the name of a component that has it. */
export interface Example {
  readonly $ref?: string;
  readonly value?: unknown;
}

type Content = Named<{ readonly schema: Schema; readonly examples?: Named<Example> }>;

export interface Response {
  readonly description: string;
  readonly headers?: Named<Schema>;
  readonly content?: Content;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Named<Response | { readonly $ref: string }>;
  readonly security: readonly Named<readonly string[]>[];
  readonly "x-required-scope": string;
}

export interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Named<Named<DescribedOperation>>;
  readonly components: {
    readonly schemas: Named<Schema>;
    readonly responses: Named<Response>;
    readonly headers: Named<Schema>;
    readonly examples: Named<Example>;
    readonly securitySchemes: Named<{
      readonly type: string;
      readonly flows: Named<{ readonly scopes: Named<string> }>;
    }>;
  };
}

/** An operation with its place in the document. */
export interface Placed {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly described: DescribedOperation;
}

/** The committed document. */
export const document = JSON.parse(
  readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"),
) as Document;

/** All operations, in the order of the document. */
export const placed: readonly Placed[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    described,
  })),
);

/** The schema behind a reference, or the schema itself. */
export const resolved = (schema: Schema): Schema => {
  const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
};

/** The response of an operation with a status; `undefined` where the document declares none. */
export const responseTo = ({ described }: Placed, status: number): Response | undefined => {
  const declared = described.responses[status];
  return declared && "$ref" in declared
    ? document.components.responses[declared.$ref.split("/").at(-1) ?? ""]
    : declared;
};

/**
 * The schemas of responses, in which an object with members has no others: the service returns what the document
 * declares and nothing else. Clients must accept more, so the document itself does not say this.
 */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const isObject = "properties" in schema && "type" in schema && !("additionalProperties" in schema);
  return {
    ...Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)])),
    ...(isObject && { additionalProperties: false }),
  };
};

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
formats.default(ajv, ["date-time", "uri"]);
// The sizes of numbers are exact here; a file is bytes.
for (const format of ["int32", "int64", "binary"]) ajv.addFormat(format, true);
const components = closed(document.components) as { readonly schemas: Readonly<Record<string, object>> };
// An application names claims of its own, so the members of this answer are not all declared.
const { additionalProperties: _, ...userInfo } = components.schemas.UserInfo as {
  readonly additionalProperties?: boolean;
};
ajv.addSchema({
  $id: "document",
  components: { ...components, schemas: { ...components.schemas, UserInfo: userInfo } },
});

const validators = new Map<string, ValidateFunction>();

/** Why a value does not fit a schema of a response; `undefined` if it does. */
export const misfit = (schema: Schema, value: unknown): string | undefined => {
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"document#/components');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
  validators.set(text, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors?.slice(0, 3), { dataVar: "body" });
};
