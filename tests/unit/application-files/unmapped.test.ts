/** The unmapped content of a file: exactly what the service does not write itself. It gives way to later changes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noticesOf } from "#core/applications/files/notices.ts";
import { type Element, element } from "#core/applications/files/tree.ts";
import { restore, unmappedOf, withoutSecrets } from "#core/applications/files/unmapped.ts";

const NONE: ReadonlySet<string> = new Set();
const text = fc.constantFrom("", "1", "true", "x", "null");
const { tree } = fc.letrec<{ tree: Element; leaf: Element; branch: Element }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("branch")),
  leaf: fc.tuple(fc.constantFrom("Name", "StepOrder", "a", "b"), text).map(([name, content]) => element(name, content)),
  branch: fc
    .tuple(
      fc.constantFrom("AuthenticationSteps", "Properties", "Property", "c"),
      fc.array(tie("tree"), { maxLength: 4 }),
    )
    .map(([name, children]) => element(name, children)),
}));
const root = fc.array(tree, { maxLength: 5 }).map((children) => element("ServiceProvider", children));

const restored = (mine: Element, base: Element, theirs: Element): Element => {
  const unmapped = unmappedOf(base, theirs, NONE);
  return unmapped ? restore(mine, unmapped, NONE) : mine;
};

describe("unmapped content", () => {
  test("is restored completely if nothing changed", () => {
    fc.assert(
      fc.property(root, root, (base, theirs) => {
        const merged = restored(base, base, theirs);
        // A second merge of the same file changes nothing.
        expect(restored(merged, merged, theirs)).toEqual(merged);
      }),
      { numRuns: 1_000 },
    );
  });
  test("is empty for a file that the service wrote", () => {
    fc.assert(
      fc.property(root, (base) => {
        expect(unmappedOf(base, base, NONE)).toBeUndefined();
      }),
    );
  });
  test("never removes elements that the service writes", () => {
    const names = (of: Element): string[] => [of.name, ...of.children.flatMap(names)];
    fc.assert(
      fc.property(root, root, root, (mine, base, theirs) => {
        const left = names(restored(mine, base, theirs));
        for (const name of new Set(names(mine))) {
          const count = (all: string[]) => all.filter((each) => each === name).length;
          expect(count(left)).toBeGreaterThanOrEqual(count(names(mine)));
        }
      }),
      { numRuns: 500 },
    );
  });
  test("gives way to a changed text", () => {
    const of = (word: string) => element("ServiceProvider", [element("AuthenticationType", word)]);
    expect(restored(of("flow"), of("flow"), of("local"))).toEqual(of("local"));
    expect(restored(of("default"), of("flow"), of("local"))).toEqual(of("default"));
  });
  test("gives way to a changed list", () => {
    const of = (...names: string[]) =>
      element("ServiceProvider", [
        element(
          "audiences",
          names.map((name) => element("audience", name)),
        ),
      ]);
    expect(restored(of("a"), of("a"), of("a", "b"))).toEqual(of("a", "b"));
    expect(restored(of("c"), of("a"), of("a", "b"))).toEqual(of("c"));
  });
});

describe("without secrets", () => {
  test("no element with a secret is left, at any depth", () => {
    const property = (name: string, confidential: string) =>
      element("Property", [element("Name", name), element("Value", "s"), element("IsConfidential", confidential)]);
    const given = element("ServiceProvider", [
      element("x", [
        element("oauthConsumerSecret", "s"),
        element("additionalOauthConsumerSecrets", [element("secret", "s")]),
        element("Properties", [
          property("a", " TRUE "),
          property("oauthConsumerSecret", "false"),
          property("b", "false"),
        ]),
      ]),
    ]);
    expect(withoutSecrets(given)).toEqual(
      element("ServiceProvider", [element("x", [element("Properties", [property("b", "false")])])]),
    );
  });
});

describe("the report", () => {
  test("has at most 100 entries, and counts the rest", () => {
    const theirs = element(
      "ServiceProvider",
      Array.from({ length: 250 }, (_, at) => element(`n${at}`, "x")),
    );
    const notices = noticesOf(unmappedOf(element("ServiceProvider"), theirs, NONE), []);
    expect(notices).toHaveLength(100);
    expect(notices.at(-1)?.reason).toContain("151 more");
  });
  test("omits empty elements, labels, and values of properties", () => {
    const of = (value: string) => element("ServiceProvider", [element("Value", value)]);
    expect(JSON.stringify(noticesOf(unmappedOf(of("a"), of("secret"), NONE), []))).not.toContain("secret");
    const empty = element("ServiceProvider", [element("A"), element("B", " false "), element("DisplayName", "x")]);
    expect(noticesOf(unmappedOf(element("ServiceProvider"), empty, NONE), [])).toEqual([]);
  });
});
