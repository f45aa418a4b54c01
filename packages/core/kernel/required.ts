/**
 * Members that the metadata of a shape declares as required although the shape does not refuse their absence: rules
 * refuse it later, with codes of their own.
 */
import type * as z from "zod";
import { metadataOf } from "./zod.ts";

/** The members of one list that are looked at: more faults are not told. */
const ELEMENTS_MAX = 20;

/** The paths of such members that a value does not have, also in its objects and lists. */
export function missingIn(shape: z.core.$ZodType, given: unknown, above: readonly PropertyKey[] = []): PropertyKey[][] {
  const { def } = (shape as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return missingIn(def.innerType, given, above);
    case "pipe":
      return missingIn(def.in._zod.def.type === "transform" ? def.out : def.in, given, above);
    case "array":
      return Array.isArray(given)
        ? given.slice(0, ELEMENTS_MAX).flatMap((each, at) => missingIn(def.element, each, [...above, at]))
        : [];
    case "object": {
      if (typeof given !== "object" || given === null || Array.isArray(given)) return [];
      const sent = new Set(Object.entries(given).flatMap(([name, value]) => (value == null ? [] : folded(name))));
      const own = requiredOf(shape).filter((name) => !sent.has(folded(name)));
      const inside = Object.entries(def.shape).flatMap(([name, member]) =>
        missingIn(member, (given as Readonly<Record<string, unknown>>)[name], [...above, name]),
      );
      return [...own.map((name) => [...above, name]), ...inside];
    }
    default:
      return [];
  }
}

function requiredOf(shape: z.core.$ZodType): readonly string[] {
  const { required } = metadataOf(shape) ?? {};
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** SCIM ignores the case of names, and elsewhere another case is told as an unknown member. */
function folded(name: string): string {
  return name.toLowerCase();
}
