/** The scopes of bulk operations exist in the catalogue and in the system APIs. */
import { expect, test } from "vitest";
import { operations } from "#core/catalogue.ts";
import { systemScopes } from "#core/domain/system-apis.ts";
import type { Operation } from "#core/operation/operation.ts";
import type { BulkMethod } from "#core/scim/bulk.ts";
import type { BulkKind } from "#core/scim/bulk-places.ts";
import { bulkScopes } from "#core/scim/bulk-scopes.ts";

const scopeOf = (method: string, path: string): string | undefined =>
  Object.values<Operation>(operations).find((one) => one.method === method && one.path === path)?.scope;

test.each<[BulkKind, BulkMethod]>(
  (["Users", "Groups"] as const).flatMap((kind) =>
    (["POST", "PUT", "PATCH", "DELETE"] as const).map((method): [BulkKind, BulkMethod] => [kind, method]),
  ),
)("%s %s", (kind, method) => {
  const [own, inBulk] = bulkScopes(kind, method);
  const end = method === "POST" ? "" : "/{id}";
  expect(scopeOf(method, `/scim2/${kind}${end}`)).toBe(own);
  expect(scopeOf(method, `/svc/scim/${kind}${end}`)).toBe(own);
  expect(systemScopes).toContain(own);
  expect(systemScopes).toContain(inBulk);
});
