/**
 * The component schemas of the document. Each shape with an id is a component. So is every object inside of a
 * component: generators of clients would invent names for objects without one.
 */
import * as z from "../../kernel/zod.ts";
import { isObject, type Json, mapped, plainSchema } from "./json-schema.ts";

/** The direction of a shape: defaults and transformations make a shape of a request differ from that of a response. */
export type Direction = "input" | "output";

/** The component schemas of one document. */
export type Components = ReturnType<typeof newComponents>;

type Found = Readonly<Record<Direction, ReadonlyMap<string, Json>>>;

const PREFIX = "#/components/schemas/";
/** A reference before `finish`: the direction and the id. */
const UNFINISHED = /^(input|output):(.+)$/;

/** Opens an empty set of components. `schemaOf` throws an `Error` where two schemas have one name. */
export function newComponents() {
  const found = { input: new Map<string, Json>(), output: new Map<string, Json>() };

  const add = (direction: Direction, id: string, schema: Json): void => {
    const known = found[direction].get(id);
    const body = hoisted(id, schema, direction, (name, part) => add(direction, name, part));
    if (known && JSON.stringify(known) !== JSON.stringify(body)) {
      throw new Error(`Two schemas of the API document have the name ${id}: give one of them another id or title.`);
    }
    found[direction].set(id, body);
  };

  return {
    /** The schema of a shape, which refers to components. Its references are final after `finish`. */
    schemaOf: (shape: z.ZodType, direction: Direction): Json => {
      const { $defs, ...own } = z.toJSONSchema(shape, { io: direction, reused: "inline", unrepresentable: "any" });
      for (const [id, part] of Object.entries($defs ?? {})) add(direction, id, prepared(part, direction));
      if (typeof own.id !== "string") return prepared(own, direction);
      add(direction, own.id, prepared(own, direction));
      return { $ref: `${direction}:${own.id}` };
    },
    /**
     * Returns the components by name, and the document with their names in its references. A shape that is the same in
     * both directions, or is used in one only, has its id as name; otherwise that of requests ends in `Input`.
     */
    finish: (document: Json): { readonly document: Json; readonly schemas: Json } => {
      const nameOf = namesOf(found);
      const schemas = (["input", "output"] as const).flatMap((direction) =>
        [...found[direction]].map(([id, body]) => [nameOf(direction, id), named(body, nameOf)] as const),
      );
      return {
        document: named(document, nameOf) as Json,
        schemas: Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1))),
      };
    },
  };
}

/** A plain schema whose references name the direction. */
function prepared(given: unknown, direction: Direction): Json {
  const schema = mapped(plainSchema(given), (part) => {
    const { $ref } = part;
    return typeof $ref === "string" ? { ...part, $ref: `${direction}:${$ref.replace(/^#\/\$defs\//, "")}` } : part;
  });
  return schema as Json;
}

/**
 * A component in which references replace the objects that have members; reports each of them as a component. Its name
 * is its `title`, or the title or id of the whole with the name of the member.
 */
function hoisted(parent: string, schema: Json, direction: Direction, report: (name: string, part: Json) => void): Json {
  const { title: prefix = parent, ...whole } = schema;
  const replaced = (part: unknown, name: string): unknown => {
    if (!isObject(part)) return part;
    if (isObject(part.items)) return { ...part, items: replaced(part.items, singular(name)) };
    if (!isObject(part.properties)) return part;
    const own = typeof part.title === "string" ? part.title : name;
    report(own, part);
    return { $ref: `${direction}:${own}` };
  };
  if (!isObject(whole.properties)) return whole;
  const members = Object.entries(whole.properties).map(([member, part]) => {
    return [member, replaced(part, `${prefix}${member.charAt(0).toUpperCase()}${member.slice(1)}`)];
  });
  return { ...whole, properties: Object.fromEntries(members) };
}

/** The name of one element of a list. */
function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("sses") ? name.slice(0, -2) : name.replace(/s$/, "");
}

/** The final names: ids, with `Input` for those of requests that differ from their namesakes in responses. */
function namesOf({ input, output }: Found): (direction: Direction, id: string) => string {
  const differing = new Set<string>();
  const isEqual = (id: string) => {
    const [one, other] = [input, output].map((side) => JSON.stringify(named(side.get(id), (_, name) => name)));
    return one === other && ![...referencesIn(input.get(id))].some((reference) => differing.has(reference));
  };
  const shared = [...input.keys()].filter((id) => output.has(id));
  // A difference spreads to the schemas that refer to it.
  for (let before = -1; before < differing.size; ) {
    before = differing.size;
    for (const id of shared) if (!isEqual(id)) differing.add(id);
  }
  return (direction, id) => (direction === "input" && differing.has(id) ? `${id}Input` : id);
}

function referencesIn(schema: unknown): ReadonlySet<string> {
  const ids = new Set<string>();
  named(schema, (_, id) => {
    ids.add(id);
    return id;
  });
  return ids;
}

/** Finishes the references in a part of the document, which is not only schemas. */
function named(part: unknown, nameOf: (direction: Direction, id: string) => string): unknown {
  return mapped(part, (schema) => {
    const [, direction, id] = (typeof schema.$ref === "string" && UNFINISHED.exec(schema.$ref)) || [];
    if (direction === undefined || id === undefined) return schema;
    return { ...schema, $ref: `${PREFIX}${nameOf(direction as Direction, id)}` };
  });
}
