/**
 * The ids that zod shapes carry in `.meta({ id })`: the API document has one component for each, so no two shapes may
 * share one.
 */
import * as z from "zod";

type Registry = Pick<typeof z.globalRegistry, "get" | "add">;

const isShape = (value: unknown): value is z.core.$ZodType =>
  typeof value === "object" && value !== null && "_zod" in value;

/** The shapes directly inside a value: in lists, in the members of objects, and in getters of lazy shapes. */
const shapesIn = (value: unknown): z.core.$ZodType[] => {
  if (isShape(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(shapesIn);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.values(value).flatMap(shapesIn);
};

/** All shapes that some shapes are made of, themselves included. */
export const shapesWithin = (roots: readonly z.core.$ZodType[]): ReadonlySet<z.core.$ZodType> => {
  const seen = new Set<z.core.$ZodType>();
  const waiting = [...roots];
  for (let shape = waiting.pop(); shape; shape = waiting.pop()) {
    if (seen.has(shape)) continue;
    seen.add(shape);
    const { def } = shape._zod;
    const { getter } = def as { readonly getter?: () => unknown };
    waiting.push(...shapesIn({ ...def }), ...(typeof getter === "function" ? shapesIn(getter()) : []));
  }
  return seen;
};

/** Ids that more than one of these shapes carries, in alphabetical order. */
export const duplicateIds = (shapes: Iterable<z.core.$ZodType>, registry: Registry = z.globalRegistry): string[] => {
  const bearers = new Map<string, Set<z.core.$ZodType>>();
  for (const shape of shapes) {
    const id = registry.get(shape as z.ZodType)?.id;
    if (id !== undefined) bearers.set(id, (bearers.get(id) ?? new Set()).add(shape));
  }
  return [...bearers].flatMap(([id, { size }]) => (size > 1 ? [id] : [])).sort();
};

/** Every shape that the registry gets an id for from now on, also where a later shape takes the id over. */
export const recordShapes = (registry: Registry): readonly z.core.$ZodType[] => {
  const recorded: z.core.$ZodType[] = [];
  const add = registry.add.bind(registry) as (shape: z.ZodType, ...meta: unknown[]) => unknown;
  registry.add = ((shape: z.ZodType, ...meta: unknown[]) => {
    recorded.push(shape);
    return add(shape, ...meta);
  }) as Registry["add"];
  return recorded;
};
