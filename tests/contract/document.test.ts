/** The API document has what generators of clients need, for every operation and schema, including later ones. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { operation } from "#core/kernel/operation/operation.ts";
import { services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import {
  memberDescriptions,
  nameDescriptions,
  operationDescriptions,
  parameterDescriptions,
} from "#core/service/documents/descriptions/texts.ts";
import { openApiDocument } from "#core/service/documents/openapi.ts";
import { oauthOperations } from "#core/sign-in/oauth/contract.ts";
import { document, type Placed, placed, responseTo, type Schema } from "#tests/support/document/document.ts";
import packageJson from "../../package.json" with { type: "json" };

/** Every schema of the document with its place. */
const everySchema: readonly (readonly [string, Schema])[] = (() => {
  const found: (readonly [string, Schema])[] = [];
  const visit = (schema: unknown, place: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    found.push([place, schema as Schema]);
    const { properties = {}, items, additionalProperties } = schema as Record<string, object | undefined>;
    for (const [name, part] of Object.entries(properties)) visit(part, `${place}.${name}`);
    visit(items, `${place}[]`);
    visit(additionalProperties, `${place}{}`);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
  for (const { id, described } of placed) {
    for (const { name, schema } of described.parameters ?? []) visit(schema, `${id} ${name}`);
    const contents = [
      described.requestBody?.content,
      ...Object.keys(described.responses).map((status) => contentOf(id, status)),
    ];
    for (const content of contents) {
      for (const [type, { schema }] of Object.entries(content ?? {})) visit(schema, `${id} ${type}`);
    }
  }
  return found;
})();

function contentOf(id: string, status: string) {
  const found = placed.find((each) => each.id === id);
  return found && responseTo(found, Number(status))?.content;
}

const placesOf = (isWrong: (schema: Schema) => boolean): string[] =>
  everySchema.filter(([, schema]) => isWrong(schema)).map(([place]) => place);
const keysOf = (schema: Schema): string[] => Object.keys(schema);
const typesIn = (values: unknown): Set<string> => new Set((values as unknown[]).map((value) => typeof value));
const parametersNamed = (...names: string[]) =>
  placed.flatMap(({ id, described }) =>
    (described.parameters ?? []).filter(({ name }) => names.includes(name)).map((each) => ({ id, ...each })),
  );
const statusesOf = ({ described }: Placed): number[] => Object.keys(described.responses).map(Number);

describe("the document", () => {
  test("is valid OpenAPI 3.1", async () => {
    // The validator reads members with the name `$ref`, which SCIM has, as references.
    const withoutSuch = (key: string, value: unknown) =>
      key === "$ref" && typeof value === "object" ? undefined : value;
    const plain = JSON.parse(JSON.stringify(document), withoutSuch) as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(plain);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });
  test("uses each of its components, and describes each of its tags", () => {
    const text = JSON.stringify(document);
    const unused = (["schemas", "responses", "headers", "examples"] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
    );
    expect(unused).toEqual([]);
    const tags = new Set(placed.flatMap(({ described }) => described.tags));
    expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });
  test("has the version of the package, and each tag in one group of the navigation", () => {
    expect(document.info.version).toBe(packageJson.version);
    const grouped = document["x-tagGroups"].flatMap(({ tags }) => tags);
    expect(grouped).toEqual(document.tags.map(({ name }) => name));
    expect(placed.filter(({ described }) => described.tags.length !== 1)).toEqual([]);
  });
  test("cannot be generated with two schemas of one name", () => {
    const named = (member: string) => z.object({ [member]: z.object({ a: z.string() }).meta({ title: "Twin" }) });
    const withMember = (path: `/${string}`, member: string) =>
      operation({
        ...oauthOperations.getServerMetadata,
        path,
        success: { status: 200, body: named(member).meta({ id: path }) },
      });
    const twins = { one: withMember("/scim2/one", "a"), other: withMember("/scim2/other", "b") };
    expect(() => openApiDocument(twins, { version: "1.0.0" })).not.toThrow();
    const others = {
      ...twins,
      third: operation({
        ...twins.one,
        path: "/scim2/third",
        success: {
          status: 200,
          body: z.object({ a: z.object({ b: z.string() }).meta({ title: "Twin" }) }).meta({ id: "Third" }),
        },
      }),
    };
    expect(() => openApiDocument(others, { version: "1.0.0" })).toThrow(
      "Two schemas of the API document have the name Twin",
    );
  });
});

test("describes operations of the catalogue only", () => {
  expect(Object.keys(operationDescriptions).sort()).toEqual(Object.keys(operations).sort());
});

test("has one scheme of each kind: the setters of generated clients fill the first", () => {
  expect(Object.keys(document.components.securitySchemes)).toEqual(["basic", "bearer", "oauth2"]);
});

test("has every scope of this service in the OAuth scheme, and names that of each operation there", () => {
  const { scopes } = document.components.securitySchemes.oauth2?.flows.clientCredentials ?? { scopes: {} };
  expect(Object.keys(scopes).sort()).toEqual([...systemScopes].sort());
  for (const { id, described } of placed) {
    const { scope = "", furtherScopes = [] } = operations[id] ?? {};
    const needed = described.security.flatMap(({ oauth2 = [] }) => oauth2);
    expect([id, needed]).toEqual([id, scope === "public" ? [] : [scope, ...furtherScopes]]);
    expect(described["x-required-scope"]).toBe(scope);
  }
});

describe("every schema", () => {
  test("has one type: no union and no combination, which Java has no type for", () => {
    const combining = ["anyOf", "oneOf", "allOf", "not", "const", "nullable"];
    const isWrong = (schema: Schema) => combining.some((keyword) => keyword in schema) || Array.isArray(schema.type);
    expect(placesOf(isWrong)).toEqual([]);
  });
  test("has values of its type in its enumeration, and one of them as default", () => {
    expect(placesOf((schema) => "enum" in schema && [...typesIn(schema.enum)].join() !== schema.type)).toEqual([]);
    const isOutside = ({ enum: values, default: fallback }: Schema) =>
      Array.isArray(values) && fallback !== undefined && !values.includes(fallback);
    expect(placesOf(isOutside)).toEqual([]);
    expect(placesOf((schema) => schema.default !== undefined && !fits(schema))).toEqual([]);
  });
  test("is a component where it is an object with members: generators would invent a name", () => {
    const inline = everySchema.filter(([place, schema]) => "properties" in schema && /[ .[{]/.test(place));
    expect(inline.map(([place]) => place)).toEqual([]);
  });
  test("enumerates texts only, or Java does not compile, and has no pattern of times, or Python does not", () => {
    expect(placesOf(({ type, enum: values }) => type !== "string" && values !== undefined)).toEqual([]);
    expect(placesOf(({ format, pattern }) => format === "date-time" && pattern !== undefined)).toEqual([]);
  });
  test("says how large an integer is, and requires members that it has", () => {
    expect(placesOf(({ type, format }) => type === "integer" && !/^int(32|64)$/.test(String(format)))).toEqual([]);
    const isUnknown = ({ required = [], properties = {} }: Schema) =>
      (required as string[]).some((name) => !keysOf(properties as Schema).includes(name));
    expect(placesOf(isUnknown)).toEqual([]);
  });
  test("allows further members: clients of this version read the responses of a later one", () => {
    expect(placesOf(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  });
});

describe("every member of a component", () => {
  const members = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties as Readonly<Record<string, Schema>>).map(([member, schema]) => ({
      place: `${name}.${member}`,
      member,
      text: String(schema.description ?? ""),
      schema,
    })),
  );
  test("has a description that ends as a sentence", () => {
    expect(members.filter(({ text }) => !/^\S.+[.?!]$/.test(text)).map(({ place }) => place)).toEqual([]);
  });
  test("names the limits that its schema has", () => {
    const without = members.filter(({ text, schema }) =>
      [schema.maxLength, schema.maxItems]
        .filter((limit) => typeof limit === "number")
        .some((limit) => !text.includes(limit.toLocaleString("en"))),
    );
    expect(without.map(({ place }) => place)).toEqual([]);
  });
  test("has its description from a table that has no row for nothing", () => {
    const places = members.map(({ place }) => place);
    expect(Object.keys(memberDescriptions).filter((place) => !places.includes(place))).toEqual([]);
    const used = (name: string, text: string) =>
      members.some((each) => each.member === name && each.text.startsWith(text.replace(/\.$/, "")));
    const rows = Object.entries(nameDescriptions);
    expect(rows.filter(([name, text]) => !used(name, text)).map(([name]) => name)).toEqual([]);
    const wrong = Object.entries(memberDescriptions).filter(
      ([place, text]) => !members.some((each) => each.place === place && each.text.startsWith(text)),
    );
    expect(wrong).toEqual([]);
  });
});

describe("every parameter", () => {
  test("has a description", () => {
    const all = placed.flatMap(({ id, described }) => (described.parameters ?? []).map((each) => ({ id, ...each })));
    expect(
      all.filter(({ description = "" }) => !/^\S.+[.?!]$/.test(description)).map(({ id, name }) => `${id} ${name}`),
    ).toEqual([]);
    const names = new Set(all.map(({ name }) => name));
    expect(Object.keys(parameterDescriptions).filter((name) => !names.has(name))).toEqual([]);
  });
  test("has the type that it is parsed to", () => {
    const types = (names: string[]) => new Set(parametersNamed(...names).map(({ schema }) => schema.type));
    expect([...types(["limit", "offset", "startIndex", "count"])]).toEqual(["integer"]);
    expect([...types(["customOnly", "exportSecrets"])]).toEqual(["boolean"]);
    const isText = ({ schema }: { schema: Schema }) => schema.type === "string";
    const numeric = placed.flatMap(({ described }) => described.parameters ?? []).filter((each) => !isText(each));
    const ofText = numeric.filter(({ schema }) => "pattern" in schema || "maxLength" in schema || "enum" in schema);
    expect(ofText).toEqual([]);
  });
  test("exists under one name: not under the misspelling of another product", () => {
    expect(parametersNamed("sortOder")).toEqual([]);
    expect(parametersNamed("sortOrder").length).toBeGreaterThan(4);
  });
  test("of a path is required and not empty; credentials are no parameters", () => {
    for (const { path, described } of placed) {
      const ofPath = (described.parameters ?? []).filter((each) => each.in === "path");
      expect(ofPath.map(({ name }) => `{${name}}`).sort()).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
      expect(ofPath.every(({ required, schema }) => required && schema.minLength === 1)).toBe(true);
    }
    expect(parametersNamed("authorization", "Authorization")).toEqual([]);
  });
});

describe.each(placed.map((each) => [each.id, each] as const))("%s", (id, each) => {
  const statuses = statusesOf(each);
  const { described, method, path } = each;
  const declared = operations[id];

  test("has a description of its own, which says more than its summary, in whole sentences", () => {
    const [text = ""] = described.description.split("\n\n");
    expect(text).toBe(operationDescriptions[id]);
    expect(text).toMatch(/^[A-Z`].+\.$/);
    expect(text.replace(/\.$/, "")).not.toBe(described.summary);
    const others = placed.filter((other) => other.id !== id && other.described.description.startsWith(`${text}\n`));
    expect(others.map((other) => other.id)).toEqual([]);
  });
  test("has a description with its scopes, and the security that it needs", () => {
    expect(described.description).toMatch(/Needs (?:no scope|the scope `|`)/);
    const schemes = described.security.flatMap((each) => Object.keys(each));
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
    expect(described.security.length > 0 && schemes.length === described.security.length).toBe(
      declared?.scope !== "public",
    );
  });
  test("declares what every operation returns, and statuses of its own where they occur", () => {
    for (const status of [429, 431, 500, 503]) expect(statuses).toContain(status);
    const isSecured = declared?.scope !== "public";
    const own = declared?.failures ?? [];
    const expected: Readonly<Record<number, boolean>> = {
      401: isSecured || own.includes(401),
      403: isSecured || own.includes(403),
      404: path.includes("{") || own.includes(404),
      406:
        own.includes(406) ||
        (services[declared?.service ?? "scim2"].dialect.startsWith("scim") && declared?.success.body !== undefined),
      413: described.requestBody !== undefined,
      // AuthZEN calls it a bad request.
      415: described.requestBody !== undefined && !path.startsWith("/access/v1"),
    };
    for (const [status, isDeclared] of Object.entries(expected)) {
      expect([status, statuses.includes(Number(status))]).toEqual([status, isDeclared]);
    }
    if (method === "GET") expect(statuses).not.toContain(409);
  });
  test("describes every response, and gives every failure a body and its headers", () => {
    for (const status of statuses) {
      const response = responseTo(each, status);
      expect(response?.description).toMatch(/\S/);
      if (status >= 400) expect(Object.keys(response?.content ?? {})).toHaveLength(1);
      const needed = { 401: "WWW-Authenticate", 405: "Allow", 503: "Retry-After" }[status];
      if (needed) expect(response?.headers).toHaveProperty([needed]);
    }
  });
});

/** Whether the default of a schema has its type. */
function fits({ type, default: fallback }: Schema): boolean {
  if (type === "integer") return Number.isInteger(fallback);
  return typeof fallback === type;
}
