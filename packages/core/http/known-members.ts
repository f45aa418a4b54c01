/**
 * What a contract says of the members of a body: the shapes of zod, and the JSON Schema in their metadata where another
 * module validates a part (SCIM resources, the protocols of a new application).
 */

import type * as z from "zod";
import { isObject } from "../kernel/json.ts";
import { metadataOf, schemaById } from "../kernel/zod.ts";

/** A shape, or the JSON Schema of a part that another module validates. */
export type Known = z.core.$ZodType | Readonly<Record<string, unknown>>;

/** The members that objects of a shape may have, and the shape of the elements of its lists. */
export interface Inside {
  /** Absent where an object may have any member. */
  readonly members?: Readonly<Record<string, Known>>;
  readonly elements?: Known;
  /** The shape of every member of a map. */
  readonly values?: Known;
}

/** What values of a shape may have inside; several where the shape has alternatives. */
export function insidesOf(known: Known): readonly Inside[] {
  return isShape(known) ? insidesOfShape(known) : insidesOfSchema(known);
}

function insidesOfShape(shape: z.core.$ZodType): readonly Inside[] {
  const described = metadataOf(shape);
  if (described?.properties !== undefined) return insidesOfSchema(described);
  const { def } = (shape as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return [{ members: def.shape }];
    case "array":
      return [{ elements: def.element }];
    case "record":
      return [{ values: def.valueType }];
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return insidesOf(def.innerType);
    case "lazy":
      return insidesOf(def.getter());
    case "pipe":
      // A shape after a change of the input, such as the removal of null members, says what the input may have.
      return insidesOf(def.in._zod.def.type === "transform" ? def.out : def.in);
    case "union":
      return def.options.flatMap(insidesOf);
    case "intersection":
      return [def.left, def.right].flatMap(insidesOf);
    default:
      return [];
  }
}

function insidesOfSchema({ $ref, properties, items, additionalProperties }: Readonly<Record<string, unknown>>) {
  if (typeof $ref === "string") {
    const shape = schemaById($ref.replace(/^#\/\$defs\//, ""));
    return shape ? insidesOf(shape) : [];
  }
  return [
    {
      ...(isObject(properties) && { members: properties as Readonly<Record<string, Known>> }),
      ...(isObject(items) && { elements: items }),
      ...(isObject(additionalProperties) && { values: additionalProperties }),
    },
  ];
}

/** Whether it is a shape: the class of shapes would bring all of zod into the bundles. */
function isShape(known: Known): known is z.core.$ZodType {
  return "_zod" in known;
}
