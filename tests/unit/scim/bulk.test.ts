/** The scopes of bulk operations exist in the catalogue and in the system APIs. */
import { expect, test } from "vitest";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import type { Operation } from "#core/kernel/operation/operation.ts";
import type { BulkKind, BulkMethod } from "#core/scim/protocol/bulk-places.ts";
import { bulkScopes } from "#core/scim/protocol/bulk-scopes.ts";
import { operations } from "#core/service/catalogue.ts";

const scopeOf = (method: string, path: string): string | undefined =>
  Object.values<Operation>(operations).find((one) => one.method === method && one.path === path)?.scope;

test.each<[BulkKind, BulkMethod]>(
  (["Users", "Groups", "Roles"] as const).flatMap((kind) =>
    (["POST", "PUT", "PATCH", "DELETE"] as const).map((method): [BulkKind, BulkMethod] => [kind, method]),
  ),
)("%s %s", (kind, method) => {
  const [own, inBulk] = bulkScopes(kind, method);
  const end = method === "POST" ? "" : "/{id}";
  expect(scopeOf(method, `/scim2/${kind === "Roles" ? "v2/Roles" : kind}${end}`)).toBe(own);
  if (kind !== "Roles") expect(scopeOf(method, `/svc/scim/${kind}${end}`)).toBe(own);
  expect(systemScopes).toContain(own);
  if (kind !== "Roles") expect(systemScopes).toContain(inBulk);
});

test("the scopes for parts of a role permit its PATCH, and nothing else", () => {
  const patch = Object.values<Operation>(operations).find(
    (one) => one.method === "PATCH" && one.path === "/scim2/v2/Roles/{id}",
  );
  expect(bulkScopes("Roles", "PATCH").slice(1)).toEqual(patch?.partialScopes);
  for (const method of ["POST", "PUT", "DELETE"] as const) expect(bulkScopes("Roles", method)).toHaveLength(1);
  for (const kind of ["Users", "Groups"] as const) expect(bulkScopes(kind, "PATCH")).toHaveLength(2);
});
