/** No two shapes carry one id: the API document would show one of them in place of both. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errorSchemas } from "#core/http/dialects.ts";
import { built } from "#core/kernel/zod.ts";
import { operations } from "#core/service/catalogue.ts";
import { duplicateIds, recordShapes, shapesWithin } from "#tests/support/shape-ids.ts";

const shapes = Object.values(operations).flatMap(({ params, query, headers, body, success }) =>
  [params, query, headers, body, success.body].filter((shape) => shape !== undefined),
);

describe("the shapes of the catalogue", () => {
  test("have unique ids", () => {
    const all = shapesWithin([...shapes, ...Object.values(errorSchemas)].map(built));
    expect([...all].filter((shape) => z.globalRegistry.get(shape as z.ZodType)?.id).length).toBeGreaterThan(50);
    expect(duplicateIds(all)).toEqual([]);
  });
  test("have unique ids in zod's registry too, with those that no operation uses", () => {
    const program = fileURLToPath(new URL("../support/registered-ids.ts", import.meta.url));
    const { shapes: count, duplicates } = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" }));
    expect(count).toBeGreaterThan(50);
    expect(duplicates).toEqual([]);
  });
});

describe("the search for duplicates", () => {
  const registry = z.registry<{ id?: string }>() as unknown as typeof z.globalRegistry;
  const named = (shape: z.ZodType, id: string) => {
    registry.add(shape, { id });
    return shape;
  };
  test("finds two shapes with one id at any depth, and counts a shape in two places once", () => {
    const [first, second] = [named(z.string(), "Twin"), named(z.number(), "Twin")];
    const single = named(z.boolean(), "Single");
    const body = z.object({
      a: z.array(z.union([first, single])).optional(),
      b: z.record(
        z.string(),
        z.lazy(() => z.tuple([second.nullable(), single])),
      ),
    });
    expect(duplicateIds(shapesWithin([body]), registry)).toEqual(["Twin"]);
  });
  test("finds an id that a later shape replaced in the registry", () => {
    const recorded = recordShapes(registry);
    named(z.string(), "Lost");
    named(z.string(), "Lost");
    expect(duplicateIds(recorded, registry)).toEqual(["Lost"]);
  });
});
