/**
 * From zod's JSON Schema to schemas that generators of clients understand: no keywords that only repeat a default, and
 * integers with the size that holds them.
 */

/** A JSON object. */
export type Json = Record<string, unknown>;

const INT32_MAX = 2_147_483_647;

/** Keywords whose value holds schemas under names of any kind. */
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs"]);

/** Rewrites a schema and all schemas in it. */
export function plainSchema(schema: unknown): unknown {
  return mapped(schema, ({ $schema: _, id: __, $id: ___, ...rest }) => timed(sized(enumerated(unbounded(rest)))));
}

/** Applies a change to a schema and to every schema in it, the innermost first. */
export function mapped(schema: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => mapped(entry, change));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    MAPS.has(keyword) && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapped(part, change)]))
      : mapped(value, change),
  ]);
  return change(Object.fromEntries(entries));
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Objects allow further members by default, in responses too: a later version may add some. Only maps say so: Java
 * clients would read an object that says so as a map, and not its members.
 */
function unbounded({ propertyNames: _, additionalProperties: further, ...schema }: Json): Json {
  if (further === undefined || further === false || schema.properties !== undefined) return schema;
  const isAny = isObject(further) && Object.keys(further).length === 0;
  return { ...schema, additionalProperties: isAny ? true : further };
}

/**
 * A constant as an enumeration of one value, and every enumeration of texts with its type. Java cannot compile
 * enumerations of booleans and numbers.
 */
function enumerated({ const: constant, ...schema }: Json): Json {
  const values = constant === undefined ? schema.enum : [constant];
  if (!Array.isArray(values)) return schema;
  const { enum: _, ...rest } = schema;
  if (values.every((value) => typeof value === "boolean")) return { ...rest, type: "boolean" };
  if (values.every((value) => Number.isInteger(value))) return { ...rest, type: "integer" };
  return { ...(values.every((value) => typeof value === "string") && { type: "string" }), ...schema, enum: values };
}

/** The pattern of a time only repeats its format, and Python clients would apply it to what is no text any more. */
function timed({ pattern, ...schema }: Json): Json {
  return { ...schema, ...(pattern !== undefined && schema.format !== "date-time" && { pattern }) };
}

/** Safe integers are zod's default: their bounds say no more than the format does. */
function sized(schema: Json): Json {
  if (schema.type !== "integer") return schema;
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    format: rest.format ?? (typeof maximum === "number" && maximum <= INT32_MAX ? "int32" : "int64"),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}
