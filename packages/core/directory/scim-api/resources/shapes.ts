/**
 * Shapes that the contracts of both SCIM versions share. The schema of a resource decides which attributes it may have.
 */
import * as z from "../../../kernel/zod.ts";
import { limits } from "../../../scim/protocol/discovery.ts";
import type { Attribute } from "../../../scim/protocol/schema/attribute.ts";

type JsonSchema = Record<string, unknown>;

/** A JSON object whose members a schema of SCIM, not zod, validates. */
export const AnyObject = z.record(z.string(), z.unknown());
export const Path = z.object({ id: z.string().max(1_024) });
/**
 * Enough for the JSON of 20,000 group members, and for more bulk operations than the limit, which has a message of its
 * own.
 */
export const MANY_MEMBERS = { members: 100_000 } as const;

/** A bulk operation, but for its path and shapes. */
export const bulkRequest = {
  method: "POST",
  scope: "internal_bulk_resource_create",
  seesScopes: true,
  summary:
    "Apply up to 1,000 operations on users and groups, in order. Without failOnErrors, adjacent creations of users run concurrently. Each operation needs its own scope, or its bulk scope",
  limits: { bytes: limits.bulkBytesMax, ...MANY_MEMBERS },
  failures: [400],
} as const;

const jsonTypes: Readonly<Record<Attribute["type"], JsonSchema>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  decimal: { type: "number" },
  integer: { type: "integer" },
  dateTime: { type: "string", format: "date-time" },
  reference: { type: "string" },
  binary: { type: "string", contentEncoding: "base64" },
  complex: { type: "object" },
};

/** An optional parameter or header. */
export function text(description: string) {
  return z.string().max(16_384).optional().meta({ description });
}

/** An optional whole number in a query. The handlers read it, because their faults have the form of SCIM. */
export function integerText(description: string, more: { readonly default?: number } = {}) {
  return text(description).meta({ description, type: "integer", format: "int32", ...more });
}

/** The `Operations` of a bulk request; `more` are members that one version adds. */
export function bulkOperations(more: JsonSchema = {}): JsonSchema {
  return {
    type: "array",
    items: {
      type: "object",
      required: ["method", "path"],
      properties: {
        method: { enum: ["POST", "PUT", "PATCH", "DELETE"] },
        path: { type: "string" },
        bulkId: { type: "string" },
        ...more,
        data: { type: "object" },
      },
    },
  };
}

/**
 * The JSON Schema of an object with some attributes, for the API document. With `isWhole`, required attributes are
 * required: not in responses, where clients select attributes.
 */
export function objectOf(attributes: readonly Attribute[], isWhole: boolean): JsonSchema {
  const required = attributes.filter((attribute) => isWhole && attribute.required).map(({ name }) => name);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(attributes.map((attribute) => [attribute.name, schemaOf(attribute, isWhole)])),
  };
}

function schemaOf({ type, multiValued, description, mutability, subAttributes }: Attribute, isWhole: boolean) {
  const single = subAttributes ? objectOf(subAttributes, isWhole) : jsonTypes[type];
  return {
    ...(multiValued ? { type: "array", items: single } : single),
    description,
    ...(mutability === "readOnly" && { readOnly: true }),
    ...(mutability === "writeOnly" && { writeOnly: true }),
  };
}
