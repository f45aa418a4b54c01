/** The search for unknown members: every object of every body, paths, limits and effort. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { dialects } from "#core/http/dialects.ts";
import { handleUnknown } from "#core/http/unknown-members.ts";
import { operation } from "#core/kernel/operation/operation.ts";
import { services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { placed, resolved, type Schema } from "#tests/support/document/document.ts";

const UNKNOWN = "zzUnknownMember";

const declaring = (body: z.ZodType) =>
  operation({
    service: "applications",
    method: "POST",
    path: "/work",
    scope: "some_scope",
    summary: "",
    source: "",
    body,
    success: { status: 200 },
    failures: [],
  });
const ignoredIn = (declared: Parameters<typeof handleUnknown>[0]["declared"], body: unknown, rawQuery = "") => {
  const rules = dialects[services[declared.service].dialect];
  const request = { traceId: "", method: "", path: "", pathTenant: undefined, headers: {}, rawQuery };
  return handleUnknown({ declared, request, body, rules }, false).headers["ignored-members"] ?? "";
};

interface Place {
  readonly at: string;
  /** A body with an unknown member in the object at this place. */
  readonly body: unknown;
}

/** Every object with members in a schema of the API document. */
const placesIn = (schema: Schema, at = "", wrap = (value: unknown): unknown => value): Place[] => {
  const { properties, items } = resolved(schema) as { properties?: Record<string, Schema>; items?: Schema };
  if (items) return placesIn(items, `${at}[0]`, (value) => wrap([value]));
  if (!properties || Object.keys(properties).length === 0) return [];
  const inside = Object.entries(properties).flatMap(([name, member]) => {
    const step = /^\w+$/.test(name) ? `.${name}` : `['${name}']`;
    return placesIn(member, at === "" ? step.replace(/^\./, "") : `${at}${step}`, (value) => wrap({ [name]: value }));
  });
  return [{ at: at === "" ? UNKNOWN : `${at}.${UNKNOWN}`, body: wrap({ [UNKNOWN]: 1 }) }, ...inside];
};

const bodies = placed.flatMap(({ id, described }) => {
  const declared = operations[id];
  const [schema] = Object.values(described.requestBody?.content ?? {}).map((each) => each.schema);
  if (!declared || !schema || (declared.media ?? "json") !== "json") return [];
  return [{ id, declared, places: placesIn(schema) }];
});

describe("an unknown member in any object of the body that the API document describes is found:", () => {
  test.each(bodies)("$id", ({ declared, places }) => {
    expect(places.length).toBeGreaterThan(0);
    for (const { at, body } of places) expect(ignoredIn(declared, body)).toBe(at);
  });
  test("bodies of new applications have the members of each protocol", () => {
    const { places = [] } = bodies.find(({ id }) => id === "createApplication") ?? {};
    for (const member of ["oidc.pkce", "saml.manualConfiguration.singleSignOnProfile", "passiveSts", "wsTrust"]) {
      expect(places.map(({ at }) => at)).toContain(`inboundProtocolConfiguration.${member}.${UNKNOWN}`);
    }
  });
});

describe("a path", () => {
  const declared = declaring(z.object({ known: z.array(z.object({ a: z.string() })) }));
  test("is printable ASCII without a comma, and reads back", () => {
    const name = 'é,%"\\ \n😀';
    const shown = ignoredIn(declared, { known: [{}, { [name]: 1 }] });
    expect(shown).toMatch(/^[\x20-\x7E]+$/);
    expect(shown).not.toContain(",");
    expect(decodeURIComponent(shown)).toBe(`known[1]['${name}']`);
  });
  test("is at most 200 characters, and ends with a whole escape", () => {
    for (const length of [60, 61, 62, 1_000]) {
      const shown = ignoredIn(declared, { [`${"a".repeat(length % 3)}${"é".repeat(length)}`]: 1 });
      expect(shown.length).toBeLessThanOrEqual(200);
      expect(decodeURIComponent(shown)).toMatch(/^\['a{0,2}é+$|^\['a{0,2}é+'\]$/);
    }
  });
  test("of a parameter begins with a question mark; an escape that is not valid stays", () => {
    expect(ignoredIn(declared, {}, "b=1&%zz&c%20d")).toBe("?b, ?%25zz, ?c d");
  });
});

describe("the list", () => {
  test("has at most 20 entries", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, 1]));
    expect(ignoredIn(declaring(z.object({})), many, "x=1").split(", ")).toHaveLength(20);
  });
  test("looks into alternatives, maps, defaults and shapes that refer to themselves", () => {
    const Node = z.object({
      name: z.string(),
      get inside() {
        return z.array(Node).optional();
      },
    });
    const shape = z.object({
      either: z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
      map: z.record(z.string(), z.object({ c: z.int() })),
      both: z.intersection(z.object({ d: z.int() }), z.object({ e: z.int() })).default({ d: 1, e: 1 }),
      tree: Node.nullable(),
      any: z.unknown(),
    });
    const body = {
      either: { a: 1, b: 1, x: 1 },
      map: { anything: { c: 1, x: 1 } },
      both: { d: 1, e: 1, x: 1 },
      tree: { name: "", inside: [{ name: "", inside: [{ name: "", x: 1 }] }] },
      any: { x: 1 },
    };
    expect(ignoredIn(declaring(shape), body)).toBe("either.x, map.anything.x, both.x, tree.inside[0].inside[0].x");
  });
  test("reads each member of a large body once", () => {
    let reads = 0;
    const counted = new Proxy(
      { a: 1 },
      {
        ownKeys: (target) => {
          reads += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const shape = z.object({ list: z.array(z.union([z.object({ a: z.int() }), z.object({ b: z.int() })])) });
    expect(ignoredIn(declaring(shape), { list: Array.from({ length: 10_000 }, () => counted) })).toBe("");
    expect(reads).toBe(10_000);
  });
});
