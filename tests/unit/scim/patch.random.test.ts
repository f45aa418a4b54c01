/** Properties of PATCH for random requests, and limits of its work. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "#core/kernel/faults.ts";
import { applyPatch } from "#core/scim/protocol/patch/apply.ts";
import { readPatch } from "#core/scim/protocol/patch/read.ts";
import { requireAll } from "#core/scim/protocol/requirements.ts";
import { isSame } from "#core/scim/protocol/resource.ts";
import type { Attribute, Json, Resource, ResourceType, Schema } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { add, patch, remove, replace } from "./patch.support.ts";
import { BADGES, badgeType, ENTERPRISE, faultOf, frozen, kim, SYSTEM, sentenceOf } from "./support.ts";

/** The paths at which a resource is not canonical. */
const flaws = (type: ResourceType, resource: Resource): readonly string[] => {
  const ofValue = (attribute: Attribute, value: Json | undefined, path: string): readonly string[] => {
    if (attribute.multiValued) {
      if (!Array.isArray(value) || value.length === 0) return [`${path} is no list`];
      return value.flatMap((element, index) =>
        ofValue({ ...attribute, multiValued: false }, element, `${path}[${index}]`),
      );
    }
    if (attribute.type === "complex") return ofObject(attribute.subAttributes ?? [], [], value, path);
    const expected = { boolean: "boolean", integer: "number", decimal: "number" } as const;
    const fits =
      typeof value === (Object.hasOwn(expected, attribute.type) ? expected[attribute.type as "boolean"] : "string");
    return fits && value !== "" ? [] : [`${path} is ${JSON.stringify(value)}`];
  };
  const ofObject = (
    attributes: readonly Attribute[],
    extensions: readonly Schema[],
    value: Json | undefined,
    path: string,
  ): readonly string[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no object`];
    const members = Object.entries(value);
    if (members.length === 0) return [`${path} is empty`];
    return members.flatMap(([name, member]) => {
      const attribute = attributes.find((one) => one.name === name);
      if (attribute) return ofValue(attribute, member, `${path}.${name}`);
      const extension = extensions.find(({ id }) => id === name);
      if (extension) return ofObject(extension.attributes, [], member, `${path}.${name}`);
      return name === "id" || name === "meta" || name === "externalId" ? [] : [`${path}.${name} is unknown`];
    });
  };
  return ofObject(type.schema.attributes, type.extensions, resource, type.name);
};

const badge: Resource = {
  id: "b",
  serial: "S-1",
  maker: { name: "Acme" },
  tags: ["a"],
  doors: [{ value: "d-1", note: "north", level: 1 }],
  [BADGES]: { holder: "kim" },
};

const word = fc.constantFrom("work", "home", "kim@work.test", "d-1", "a", "x", "TRUE", "", "1");
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    word,
    fc.constantFrom<unknown>(null, true, false, 5, 1.5, [], {}),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...[
          "value",
          "type",
          "primary",
          "TYPE",
          "display",
          "$ref",
          "note",
          "level",
          "name",
          "givenName",
          "manager",
          "department",
        ],
        ...[
          "userName",
          "emails",
          "serial",
          "doors",
          "id",
          "nope",
          "__proto__",
          "constructor",
          "emails.value",
          "name.givenName",
        ],
        ...[
          'emails[type eq "work"].value',
          "doors[level eq 1]",
          ENTERPRISE,
          `${SYSTEM}:country`,
          BADGES,
          "holder",
          "tags",
          "active",
        ],
      ),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;
const path = fc.oneof(
  fc.constantFrom(
    ...[
      "userName",
      "name",
      "name.givenName",
      "emails",
      "emails.value",
      "emails.primary",
      "active",
      "manager",
      "nope",
      "",
      "id",
    ],
    ...[
      "serial",
      "colours",
      "maker",
      "maker.name",
      "maker.code",
      "doors",
      "doors.value",
      "doors.note",
      "tags",
      "level",
      "holder",
      "weight",
    ],
    ...[
      ENTERPRISE,
      `${ENTERPRISE}:manager.value`,
      BADGES,
      "emailAddresses",
      "password",
      "groups",
      "meta",
      "schemas",
      "tags[value eq a]",
    ],
  ),
  fc
    .tuple(
      fc.constantFrom("emails", "doors", "roles", "phoneNumbers"),
      fc.constantFrom("type", "value", "primary", "level"),
      word,
    )
    .chain(([name, part, literal]) =>
      fc
        .constantFrom("", ".value", ".primary", ".level", ".note", ".display")
        .map((sub) => `${name}[${part} eq "${literal}"]${sub}`),
    ),
);
const wild = fc.record(
  { op: fc.constantFrom("add", "replace", "remove", "Add"), path, value },
  { requiredKeys: ["op"] },
);

/** Mostly valid operations: a path with a value of its type. */
const some = (paths: readonly string[], values: fc.Arbitrary<unknown>) =>
  fc.record({ op: fc.constantFrom("add", "replace", "remove"), path: fc.constantFrom(...paths), value: values });
const text = fc.constantFrom("a", "b", "work", "home", "");
const flag = fc.constantFrom(true, false, "True");
const element = fc.record(
  {
    value: fc.constantFrom("kim@work.test", "d-1", "x", "y"),
    type: text,
    display: text,
    note: text,
    primary: fc.constantFrom(false, false, true),
  },
  { requiredKeys: ["value"] },
);
const sensible: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  User: fc.oneof(
    some(
      ["title", "name.givenName", "displayName", "department", `${ENTERPRISE}:manager.value`, "emails.display"],
      text,
    ),
    some(
      ["emails", "phoneNumbers", 'emails[type eq "work"]', 'phoneNumbers[type eq "home"]', "roles"],
      fc.oneof(element, text),
    ),
    some(["emails", "phoneNumbers"], fc.array(element, { maxLength: 3 })),
    some(['emails[type eq "home"].primary', "emails[primary eq true].primary", "active"], flag),
    some(
      ['emails[type eq "work"].value', 'emails[type eq "other"].value', 'ims[type eq "x" and primary eq true].value'],
      text,
    ),
    some(["emailAddresses", 'emailAddresses[value sw "kim"]'], text),
    some(["manager", "name"], fc.record({ value: text, $ref: text, givenName: text }, { requiredKeys: [] })),
  ),
  Badge: fc.oneof(
    some(["constructor", "maker.name", "holder", "doors.note", 'doors[value eq "d-1"].note'], text),
    some(["tags", 'tags[value eq "a"]', "colours"], fc.oneof(text, fc.array(text, { maxLength: 2 }))),
    some(["doors", 'doors[value eq "d-1"]', 'doors[note eq "a"]'], element),
    some(["doors[level eq 1].level", "level", "weight"], fc.constantFrom(1, 2, "3")),
    some(["maker"], fc.record({ name: text, code: text }, { requiredKeys: [] })),
  ),
};
const operationsOn = (type: ResourceType) =>
  fc.array(fc.oneof({ weight: 8, arbitrary: sensible[type.name] ?? wild }, { weight: 1, arbitrary: wild }), {
    minLength: 1,
    maxLength: 4,
  });

/** The patched resource, or the fault. */
const outcome = (type: ResourceType, resource: Resource, given: unknown): Resource | Fault => {
  try {
    return applyPatch(type, resource, readPatch(type, given));
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
};

describe.each([
  ["a user", userType, kim],
  ["a badge", badgeType, badge],
] as const)("any operations on %s", (_, type, resource) => {
  const start = frozen(resource);
  const operations = operationsOn(type);

  test("return a canonical resource or a fault of the caller, and do not change their arguments", () => {
    let carriedOut = 0;
    fc.assert(
      fc.property(operations, (given) => {
        const after = outcome(type, start, frozen({ Operations: given }));
        if (after instanceof Fault) {
          expect([400, 413]).toContain(after.row.status);
          expect(after.description).not.toBe("");
          return;
        }
        carriedOut += Number(after !== start);
        expect(flaws(type, after)).toEqual([]);
        expect(faultOf(() => requireAll(type, after))).toBe("none");
        expect(after.id).toBe(start.id);
        if (after !== start) expect(isSame(after, start)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    // Some requests must be accepted.
    expect(carriedOut).toBeGreaterThan(300);
  });

  test("are idempotent unless they change what their brackets select by", () => {
    const plain = fc.tuple(
      fc.constantFrom("add", "replace"),
      fc.constantFrom(
        "displayName",
        "name",
        "name.givenName",
        "emails",
        "tags",
        "maker",
        "doors",
        "weight",
        "level",
        "active",
        "manager",
        ENTERPRISE,
      ),
      value,
    );
    fc.assert(
      fc.property(plain, ([op, where, what]) => {
        const request = { Operations: [{ op, path: where, value: what }] };
        const once = outcome(type, start, request);
        if (!(once instanceof Fault)) expect(outcome(type, once, request)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  test("remove what they name", () => {
    fc.assert(
      fc.property(operations, fc.constantFrom("name", "emails", "tags", "doors", "displayName"), (given, name) => {
        const after = outcome(type, start, { Operations: [...given, { op: "remove", path: name }] });
        if (!(after instanceof Fault)) expect(after).not.toHaveProperty([name]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("any body", () => {
  test("is parsed or refused with a fault of the caller", () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ Operations: fc.array(fc.oneof(fc.jsonValue(), wild)) }),
      fc.record({
        schemas: fc.jsonValue(),
        Operations: fc.array(fc.record({ op: fc.string(), path: fc.string(), value: fc.jsonValue() })),
      }),
      fc.record({
        Operations: fc.array(fc.record({ op: fc.constant("add"), value: fc.dictionary(fc.string(), fc.jsonValue()) })),
      }),
    );
    fc.assert(
      fc.property(body, (given) => {
        const after = outcome(userType, kim, given);
        if (after instanceof Fault) expect([400, 413]).toContain(after.row.status);
      }),
      { numRuns: 1_000 },
    );
  });
  test("is refused if it is nested deeper than any schema", () => {
    const lists: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    const objects: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    for (const given of [lists, objects]) {
      for (const name of ["emails", "name", "title", "active", 'emails[type eq "work"]', ENTERPRISE, undefined]) {
        for (const op of ["add", "remove"]) {
          const after = outcome(userType, kim, { Operations: [{ op, path: name ?? "", value: given }] });
          // A part that the schema does not have identifies no element to remove.
          const possible = ["request.malformed", "scim.no_target", ...(op === "remove" ? ["request.invalid"] : [])];
          if (after instanceof Fault) expect(possible).toContain(after.fault);
        }
      }
    }
  });
});

describe("the work of one request", () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ value: `${index}@x`, type: "other" }));
  const many = { ...kim, emails: addresses(100) };

  test("1,000 operations on 100 elements are applied", () => {
    const each = Array.from({ length: 1_000 }, (_, index) =>
      replace(`emails[value eq "${index % 100}@x"].display`, `d${index}`),
    );
    const emails = patch(each, many).emails as readonly Json[];
    expect(emails[42]).toEqual({ value: "42@x", display: "d942", type: "other" });
    const renewed = Array.from({ length: 500 }, (_, index) => [
      remove(`emails[value eq "${index}@x"]`),
      add("emails", `${index + 100}@x`),
    ]);
    expect(patch(renewed.flat(), many).emails).toHaveLength(100);
  });
  test("refuses over a million comparisons by long filters on long lists", () => {
    const filter = Array.from({ length: 200 }, () => "type pr").join(" and ");
    const operation = remove(`emails[${filter} and value eq "x"]`.replace(" and type pr", ""));
    expect(
      faultOf(() =>
        patch(
          Array.from({ length: 40 }, () => operation),
          many,
        ),
      ),
    ).toBe("none");
    expect(
      faultOf(() =>
        patch(
          Array.from({ length: 60 }, () => operation),
          many,
        ),
      ),
    ).toBe("request.too_large");
    expect(
      sentenceOf(() =>
        patch(
          Array.from({ length: 60 }, () => operation),
          many,
        ),
      ),
    ).toContain("fewer operations");
  });
  test("refuses over a million comparisons by long lists of elements to remove", () => {
    const members = Array.from({ length: 2_000 }, (_, index) => ({ note: `${index}` }));
    const doors = Array.from({ length: 1_000 }, (_, index) => ({ value: `${index}` }));
    expect(faultOf(() => patch([remove("doors", members)], { ...badge, doors }, badgeType))).toBe("request.too_large");
    expect(faultOf(() => patch([remove("doors", doors)], { ...badge, doors }, badgeType))).toBe("none");
  });
  test("adds and removes 10,000 members of a large group at once", () => {
    const members = Array.from({ length: 10_000 }, (_, index) => ({ value: `u-${index}` }));
    const full = patch([add("members", members)], { id: "g", displayName: "Team" }, groupType);
    expect(full.members).toHaveLength(10_000);
    expect(patch([remove("members", members.slice(1))], full, groupType).members).toEqual([{ value: "u-0" }]);
  });
});
