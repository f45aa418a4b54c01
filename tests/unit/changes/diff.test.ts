/** Differences lead from one document to the other and back, and show no secret. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Document, differences, Secret, shown } from "#core/database/changes/diff.ts";
import { type Change, type Json, SECRET } from "#core/database/changes/model.ts";

const PLANTED = "planted-secret";

const documents = fc.letrec<{ document: Document; object: Document }>((tie) => ({
  document: fc.oneof(
    { depthSize: "small" },
    fc.string({ maxLength: 4 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("document"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom("a", "b", "c/d", "e~f", ""), tie("document"), { maxKeys: 4 }) as never,
}));

/** Applies one change. `isBack` undoes it. */
const applied = (state: Json | undefined, { path, value, from }: Change, isBack: boolean): Json | undefined => {
  const next = isBack ? from : value;
  const [, ...names] = path.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const at = (object: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined => {
    if (name === undefined) return next;
    const { [name]: old, ...others } = object as Record<string, Json>;
    const inner = at(old, rest);
    return inner === undefined ? others : { ...others, [name]: inner };
  };
  return at(state, names);
};

test("differences lead from one document to the other, and back", () => {
  fc.assert(
    fc.property(documents.object, documents.object, (before, after) => {
      const changes = differences(before, after);
      expect(changes.reduce<Json | undefined>((state, one) => applied(state, one, false), shown(before))).toEqual(
        shown(after),
      );
      expect(changes.reduceRight<Json | undefined>((state, one) => applied(state, one, true), shown(after))).toEqual(
        shown(before),
      );
      expect(differences(after, after)).toEqual([]);
    }),
  );
});

test("a secret is named, compared and not shown", () => {
  const secret = (text: string) => ({ name: "x", secret: new Secret(text) });
  expect(differences(secret(PLANTED), secret(PLANTED))).toEqual([]);
  const replaced = differences(secret(PLANTED), secret("other"));
  expect(replaced).toEqual([{ op: "replace", path: "/secret", secret: true }]);
  expect(differences(undefined, secret(PLANTED))).toEqual([
    { op: "add", path: "", value: { name: "x", secret: SECRET } },
  ]);
  expect(differences({ name: "x" }, secret(PLANTED))).toEqual([{ op: "add", path: "/secret", secret: true }]);
  expect(differences(secret(PLANTED), { name: "x" })).toEqual([{ op: "remove", path: "/secret", secret: true }]);
  const inList = differences([secret(PLANTED)], [secret("other")]);
  expect(inList).toEqual([
    { op: "replace", path: "", value: [{ name: "x", secret: SECRET }], from: [{ name: "x", secret: SECRET }] },
  ]);
  expect(JSON.stringify([replaced, inList, secret(PLANTED)])).not.toContain(PLANTED);
});
