/** The largest bodies of an operation, from its schema in the API document: each list and each text at its largest. */
import document from "../../docs/openapi.json" with { type: "json" };

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
}

type Json = unknown;
type Path = readonly (string | number)[];

/** A body that grows in one place. */
export interface Growth {
  readonly name: string;
  /** The body with this number of elements or characters in that place. */
  readonly body: (base: Json, count: number) => Json;
  /** The largest number, also for a body that the schema refuses. */
  readonly largest: number;
}

/** Levels of a body (packages/core/http/json.ts). */
const LEVELS_MAX = 30;
const DEPTH_MAX = 8;
/** The body itself, and the members around its lists. */
const REST = 200;
/** An unknown member in a body. */
const UNKNOWN_BYTES = '"unknown12345":null,'.length;

const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;
const resolved = (schema: Schema): Schema => {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  return schema.anyOf?.[0] ? resolved(schema.anyOf[0]) : schema;
};

/** A small value of a schema; `at` makes texts and numbers differ. */
const smallest = (given: Schema, at: number): Json => {
  const schema = resolved(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === "array") return schema.items ? [smallest(schema.items, at)] : [];
  if (schema.type === "integer" || schema.type === "number") return (schema.minimum ?? 0) + at;
  if (schema.type === "boolean") return true;
  if (schema.type !== "object") return `x${at}`;
  const { properties = {}, required = Object.keys(properties).slice(0, 2) } = schema;
  return Object.fromEntries(required.map((name) => [name, smallest(properties[name] ?? {}, at)]));
};

/** A value with another one at a path. Parts of the path that are missing are made. */
const withAt = (value: Json, [name, ...rest]: Path, schema: Schema, inside: Json): Json => {
  if (name === undefined) return inside;
  const { items = {}, properties = {} } = resolved(schema);
  if (typeof name === "number") {
    const [first = smallest(items, 0), ...others] = Array.isArray(value) ? (value as Json[]) : [];
    return [withAt(first, rest, items, inside), ...others];
  }
  const members = (value ?? smallest(schema, 0)) as Readonly<Record<string, Json>>;
  return { ...members, [name]: withAt(members[name], rest, properties[name] ?? {}, inside) };
};

interface Place {
  readonly path: Path;
  readonly schema: Schema;
}

/** The lists and the texts in a schema. */
const placesIn = (given: Schema, path: Path = []): readonly Place[] => {
  const schema = resolved(given);
  if (path.length > DEPTH_MAX) return [];
  if (schema.type === "array") return [{ path, schema }, ...placesIn(schema.items ?? {}, [...path, 0])];
  if (schema.type === "string" && schema.enum === undefined) return [{ path, schema }];
  return Object.entries(schema.properties ?? {}).flatMap(([name, inside]) => placesIn(inside, [...path, name]));
};

/** Bodies of a schema that are as large as its limits allow: bytes, and the count of members and of elements. */
export const growthsOf = (
  schema: Schema,
  { bytes, members: countMax }: { readonly bytes: number; readonly members: number },
): readonly Growth[] => {
  // Another value of `schemas` ends a SCIM request early.
  const places = placesIn(schema).filter(({ path }) => path[0] !== "schemas");
  const lists = places.filter((place) => place.schema.type === "array");
  const texts = places.filter((place) => place.schema.type !== "array");
  const isObject = resolved(schema).type === "object";
  const growths: Growth[] = lists.flatMap(({ path, schema: list }, at) => {
    const element = JSON.stringify(smallest(list.items ?? {}, countMax));
    const members = element.split('":').length - 1;
    const fitting = Math.floor(Math.min(countMax / Math.max(1, members), bytes / (element.length + 1))) - REST;
    const growth = {
      name: `elements of ${path.join(".") || "the body"}`,
      largest: Math.min(list.maxItems ?? fitting, fitting),
      body: (base: Json, count: number) =>
        withAt(
          base,
          path,
          schema,
          Array.from({ length: count }, (_, index) => smallest(list.items ?? {}, index + 1)),
        ),
    };
    const hasTooMany = at === 0 && growth.largest < fitting;
    return hasTooMany ? [growth, { ...growth, name: `too many ${growth.name}`, largest: fitting }] : [growth];
  });
  const text = (name: string, lengthOf: (count: number, place: Place) => number): Growth => ({
    name,
    largest: bytes - REST * (1 + texts.length),
    body: (base, count) =>
      texts.reduce(
        (body, place) => withAt(body, place.path, schema, "x".repeat(Math.max(1, lengthOf(count, place)))),
        base,
      ),
  });
  if (texts.length > 0) {
    growths.push(text("all texts", (count) => Math.floor(count / texts.length)));
    growths.push(
      text("all texts within their limits", (count, place) =>
        Math.min(place.schema.maxLength ?? 1_024, Math.floor(count / texts.length)),
      ),
    );
  }
  if (!isObject) return growths;
  const unknown = (name: string, largest: number, inside: (count: number) => object): Growth => ({
    name,
    largest,
    body: (base, count) => ({ ...(base as object), ...inside(count) }),
  });
  return [
    ...growths,
    unknown("unknown members", Math.min(countMax, Math.floor(bytes / UNKNOWN_BYTES)) - REST, (count) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, null])),
    ),
    unknown("an unknown list", countMax - REST, (count) => ({ unknown: Array.from({ length: count }, () => ({})) })),
    unknown("levels", LEVELS_MAX - 2, (count) => ({
      unknown: Array.from({ length: count }).reduce<unknown>((inside) => [inside], 1),
    })),
  ];
};
