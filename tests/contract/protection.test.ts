/** The authorizer decides by a generated table: it must say what the catalogue says. */
import { expect, test } from "vitest";
import { protectionsOf } from "#core/kernel/operation/derive.ts";
import { operations } from "#core/service/catalogue.ts";
import { protections } from "#core/service/protection.ts";

test("the table of the authorizer is the catalogue's: run `npm run openapi` after a change of a contract", () => {
  expect(protections).toEqual(protectionsOf(operations));
  for (const [id, declared] of Object.entries(operations)) expect(declared).toMatchObject(protections[id] ?? {});
});
