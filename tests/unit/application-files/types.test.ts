/** Files refuse what is not the declared type, with its place, and drop nothing in silence: generated from the mapping. */
import { describe, expect, test } from "vitest";
import { beanNameOf } from "#core/applications/files/bean-names.ts";
import { beansOf } from "#core/applications/files/beans.ts";
import { readFile } from "#core/applications/files/file.ts";
import type { Shape, Shapes } from "#core/applications/files/parts.ts";
import { declaredElements } from "#core/applications/files/service-provider.ts";
import type { FileFormat } from "#core/applications/files/tree.ts";
import { element } from "#core/applications/files/tree.ts";
import { Fault } from "#core/kernel/faults.ts";

type Json = Readonly<Record<string, unknown>>;

/** A declared element: where it is in JSON and in XML, and files that have a value there. */
interface Place {
  readonly place: string;
  readonly xmlPlace: string;
  readonly shape: Shape;
  readonly json: (value: unknown) => Json;
  readonly xml: (inner: string) => string;
  readonly name: string;
}

const DOCUMENTS = new Set(["oAuthAppDO", "samlssoServiceProviderDTO"]);
const tag = (name: string) => (inner: string) => `<${name}>${inner}</${name}>`;

/** All declared elements below one. */
function placesIn(shapes: Shapes, above: Place): Place[] {
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const bean = beanNameOf(name, above.name);
    const join = (before: string, after: string) => (before === "" ? after : `${before}.${after}`);
    const isDocument = DOCUMENTS.has(name);
    const here: Place = {
      name,
      shape,
      place: isDocument ? above.place : join(above.place, bean),
      xmlPlace: join(above.xmlPlace, name),
      json: (value) => above.json(isDocument ? { type: name, ...(value as object) } : { [bean]: value }),
      xml: above.xml,
    };
    const inXml = (inner: string) => above.xml(tag(name)(inner));
    if (shape.is === "group") {
      const inside = placesIn(shape.inside, { ...here, xml: inXml });
      return isDocument ? inside : [here, ...inside];
    }
    if (shape.is !== "list") return [here];
    const { item, each } = shape;
    const first: Place = {
      name: item,
      shape: each,
      place: `${here.place}[0]`,
      xmlPlace: `${here.xmlPlace}[0]`,
      json: (value) => here.json([value]),
      xml: inXml,
    };
    return [
      here,
      ...(each.is === "group" ? placesIn(each.inside, { ...first, xml: (inner) => inXml(tag(item)(inner)) }) : [first]),
    ];
  });
}

const root = {
  name: "ServiceProvider",
  place: "",
  xmlPlace: "",
  shape: { is: "group", inside: declaredElements },
  json: (value: unknown) => value as Json,
  xml: tag("ServiceProvider"),
} as const;
const places = placesIn(declaredElements, root);

const told = async (text: string, format: FileFormat): Promise<string> => {
  try {
    await readFile(Buffer.from(text), format, []);
  } catch (error) {
    if (error instanceof Fault && error.row.status === 400) return error.description;
    throw error;
  }
  return "";
};

const wrong: Readonly<Record<Shape["is"], readonly unknown[]>> = {
  text: [["x"], ["x", "y"], [], 5, true, { a: "x" }],
  flag: [["true"], [true, false], [], 5, "maybe", { a: "x" }],
  number: [[5], [5, 6], [], true, "many", 1.5, { a: "x" }],
  group: ["x", 5, true, [], [{}], [{}, {}]],
  list: ["x", 5, true, [["x"]]],
};
const right: Readonly<Record<Shape["is"], unknown>> = { text: "x", flag: "TRUE", number: "5", group: {}, list: [] };

/** What the type of a place refuses. */
const wrongAt = ({ shape }: Place) => {
  const values = wrong[shape.is];
  if (shape.repeats) return values.filter((value) => !Array.isArray(value));
  if (shape.is === "group" && shape.isMixed) return values.filter((value) => value !== "x");
  if (shape.is === "list" && shape.each.is !== "group") return [...values, { a: "x" }, [5], [{ a: "x" }]];
  return values;
};
const named = places.map((each) => [each.xmlPlace, each] as const);

test("the mapping declares what it reads", () => {
  expect(places.length).toBeGreaterThan(150);
  expect(new Set(places.map(({ shape }) => shape.is))).toEqual(new Set(["text", "flag", "number", "group", "list"]));
});

/** Where a value is refused: a list in a list is a fault of the outer one. */
const toldPlace = (place: string, value: unknown) => (Array.isArray(value) ? place.replace(/\[0\]$/, "") : place);

describe.each(named)("%s", (_, each) => {
  const { shape, place, json, xml, xmlPlace, name } = each;
  test.each(wrongAt(each).map((value) => [JSON.stringify(value), value] as const))(
    "JSON: %s is refused",
    async (_text, value) => {
      expect(await told(JSON.stringify(json(value)), "json")).toContain(toldPlace(place, value));
    },
  );
  test("YAML: lists and objects are refused where they are not declared", async () => {
    for (const value of wrongAt(each).filter((one) => typeof one === "object" && JSON.stringify(one) !== "[5]")) {
      expect([value, await told(JSON.stringify(json(value)), "yaml")]).toEqual([
        value,
        expect.stringContaining(toldPlace(place, value)),
      ]);
    }
  });
  test("a value of the type is not refused for its type", async () => {
    const text = await told(JSON.stringify(json(shape.is === "list" ? [] : right[shape.is])), "json");
    expect(text).not.toContain(`${place} must be`);
  });
  test("XML: a second one, and other content, are refused", async () => {
    const one = tag(name);
    const isItem = place.endsWith("[0]");
    if (!shape.repeats && !isItem) {
      const twice = await told(xml(one("") + one("")), "xml");
      expect(twice).toMatch(name === "ApplicationName" ? /more than one ApplicationName/ : /is there 2 times/);
    }
    const isLeaf = shape.is !== "group" && shape.is !== "list";
    const isMixed = shape.is === "group" && shape.isMixed;
    if (!isMixed) expect(await told(xml(one(isLeaf ? "<a>x</a>" : "x")), "xml")).toContain(xmlPlace);
  });
});

test("all faults of a file are told at once", async () => {
  const file = { applicationName: ["x"], saasApp: 5, description: 7, claimConfig: "x" };
  const text = await told(JSON.stringify(file), "json");
  for (const name of Object.keys(file)) expect(text).toContain(`${name} must be`);
});
test("a script has one text, and attributes are texts", async () => {
  const script = (value: unknown) => ({ localAndOutBoundAuthenticationConfig: { authenticationScriptConfig: value } });
  expect(await told(JSON.stringify(script({ content: ["x"] })), "json")).toContain(
    "authenticationScriptConfig.content must be",
  );
  expect(await told(JSON.stringify(script({ content: "x", enabled: [true] })), "json")).toContain(
    "enabled must be a string",
  );
  expect(await told(JSON.stringify({ applicationName: { "#text": ["x"] } }), "json")).toContain(
    "#text must be a string",
  );
  expect(await told(JSON.stringify({ applicationName: { "@a": {} } }), "json")).toContain("@a must be a string");
});
test("a text that is the word true or a number is exported as a text, and can be imported again", async () => {
  const texts = [element("ApplicationName", "true"), element("Description", "5")];
  const root = element("ServiceProvider", texts);
  expect(beansOf(root)).toEqual({ applicationName: "true", description: "5" });
  expect(await told(JSON.stringify(beansOf(root)), "json")).not.toContain("must be a string");
});
