/** Properties of parsed input, for any JSON and for almost valid users. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { readResource } from "#core/scim/protocol/input.ts";
import { present, projectionOf } from "#core/scim/protocol/projection.ts";
import { checkImmutable, requireAll } from "#core/scim/protocol/requirements.ts";
import type { Attribute, Json, Resource, ResourceType } from "#core/scim/protocol/schema/attribute.ts";
import { coreAttributes } from "#core/scim/protocol/schema/paths.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";

const types = [userType, groupType];

/** A name in the spellings of clients. */
const spelt = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(name) },
    fc.constant(name.toLowerCase()),
    fc.constant(name.toUpperCase()),
  );

const noise = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, "", [], {}, "true", "FALSE", "12", "AQID", "1970-01-01", [[]], [{}], { value: "" }, "\ud800"),
);

const simple = (attribute: Attribute): fc.Arbitrary<unknown> => {
  if (attribute.type === "boolean") return fc.oneof(fc.boolean(), fc.constantFrom("True", "false"));
  if (attribute.type === "integer") return fc.oneof(fc.maxSafeInteger(), fc.constant("7"));
  if (attribute.type === "binary") return fc.base64String({ maxLength: 40 });
  if (attribute.format === "date") return fc.constant("1970-01-01");
  return fc.string({ unit: "grapheme", maxLength: 20 });
};

const memberOf = (attribute: Attribute): fc.Arbitrary<[string, unknown]> =>
  fc.tuple(spelt(attribute.name), fc.oneof({ weight: 9, arbitrary: anyOf(attribute) }, noise));

const objectOf = (attributes: readonly Attribute[]): fc.Arbitrary<Record<string, unknown>> => {
  const odd = fc.tuple(fc.constantFrom("__proto__", "constructor", "toString", "foo"), fc.jsonValue());
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: fc.oneof(...attributes.map(memberOf)) }, odd), { maxLength: 8 })
    .map((members) => Object.fromEntries(members));
};

const anyOf = (attribute: Attribute): fc.Arbitrary<unknown> => {
  const one = attribute.type === "complex" ? objectOf(attribute.subAttributes ?? []) : simple(attribute);
  return attribute.multiValued ? fc.oneof(fc.array(one, { maxLength: 5 }), one) : one;
};

const bodyOf = (type: ResourceType): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      objectOf(coreAttributes(type)),
      ...type.extensions.map(({ id, attributes }) => fc.tuple(spelt(id), fc.option(objectOf(attributes)))),
    )
    .map(([core, ...extensions]) => ({ ...core, ...Object.fromEntries(extensions) }));

/** The resource; `undefined` for a refused body. Throws anything but a fault. */
const readOrRefuse = (type: ResourceType, body: unknown): Resource | undefined => {
  try {
    return readResource(type, body);
  } catch (error) {
    if (error instanceof Fault && error.row.status === 400) return undefined;
    throw error;
  }
};

const outcome = (work: () => unknown): string => {
  try {
    work();
    return "passed";
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
};

/** A value and every value in it. */
const within = (value: Json): Json[] => [
  value,
  ...(typeof value === "object" && value !== null ? Object.values(value).flatMap(within) : []),
];

describe.each(types)("$name", (type) => {
  test("parses or refuses any JSON", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (body) => void readOrRefuse(type, body)));
  });

  test("parses canonical resources to themselves", () => {
    let resources = 0;
    fc.assert(
      fc.property(bodyOf(type), (body) => {
        const resource = readOrRefuse(type, body);
        if (!resource) return;
        resources += 1;
        expect(JSON.stringify(readResource(type, resource))).toBe(JSON.stringify(resource));
      }),
      { numRuns: 500 },
    );
    // The property also holds for refusals, so some must be accepted.
    expect(resources).toBeGreaterThan(50);
  });

  test("returns no unassigned values and no unknown names", () => {
    const names = new Set(
      [...coreAttributes(type), ...type.extensions.flatMap(({ attributes }) => attributes)].flatMap(
        ({ name, subAttributes = [] }) => [name, ...subAttributes.map((sub) => sub.name)],
      ),
    );
    for (const { id } of type.extensions) names.add(id);
    fc.assert(
      fc.property(bodyOf(type), (body) => {
        const resource = readOrRefuse(type, body) ?? {};
        const values = Object.values(resource).flatMap(within);
        const isEmpty = (value: Json) =>
          value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
        expect(values.filter(isEmpty)).toEqual([]);
        const objects = [resource, ...values.filter((value) => typeof value === "object" && !Array.isArray(value))];
        const strange = objects.flatMap((object) => Object.keys(object ?? {})).filter((name) => !names.has(name));
        expect(strange).toEqual([]);
        expect(objects.every((object) => Object.getPrototypeOf(object) === Object.prototype)).toBe(true);
      }),
    );
  });

  test("returns a result or a fault from every function on a parsed resource", () => {
    fc.assert(
      fc.property(bodyOf(type), bodyOf(type), (first, second) => {
        const [before, after] = [readOrRefuse(type, first) ?? {}, readOrRefuse(type, second) ?? {}];
        expect(outcome(() => checkImmutable(type, before, after))).toMatch(/^(passed|scim\.mutability)$/);
        expect(outcome(() => requireAll(type, before))).toMatch(/^(passed|request\.invalid)$/);
        expect(present(projectionOf(type, {}), before).schemas).toContain(type.schema.id);
      }),
    );
  });

  test("changes nothing when a client sends back what it read", () => {
    fc.assert(
      fc.property(bodyOf(type), (body) => {
        const { password: _, ...resource } = readOrRefuse(type, body) ?? {};
        const meta = { resourceType: type.name, version: 'W/"1"' };
        const options = { usernameAlias: "PRIMARY/other", emptyLists: ["members"] };
        const shown = present(projectionOf(type, {}), { ...resource, id: "1", meta }, options);
        // Without userName the alias would be taken for it.
        if (type === userType && resource.userName === undefined) return;
        expect(JSON.stringify(readResource(type, shown))).toBe(JSON.stringify(resource));
      }),
      { numRuns: 500 },
    );
  });

  test("never shows a password or an unknown name, for any projection", () => {
    const secret = "Correct-Horse-9";
    const names = fc.constantFrom(
      ...[
        "password",
        "PASSWORD",
        `${type.schema.id}:password`,
        type.schema.id,
        "userName",
        "name.givenName",
        "emails[",
        "]",
      ],
      ...["__proto__", "constructor", "urn:scim:wso2:schema", "groups.value", "members", "meta", "*", "", ",", '"'],
    );
    const list = fc.option(
      fc.oneof(
        fc.array(names),
        fc.array(names).map((all) => all.join(",")),
        fc.string(),
      ),
      {
        nil: undefined,
      },
    );
    fc.assert(
      fc.property(bodyOf(type), list, list, (body, attributes, excludedAttributes) => {
        const resource = { ...(readOrRefuse(type, body) ?? {}), id: "1", password: secret };
        const projection = projectionOf(type, { attributes, excludedAttributes });
        const shown = present(projection, resource);
        expect(JSON.stringify(shown)).not.toContain(secret);
        expect(Object.keys(shown)).not.toContain("password");
        expect(shown.id).toBe("1");
        // A second projection shows the same.
        expect(JSON.stringify(present(projection, shown))).toBe(JSON.stringify(shown));
      }),
    );
  });
});
