/** The scopes of the operations of a bulk request. Pure. */
import type { BulkKind, BulkMethod } from "./bulk.ts";

const resourceNames: Readonly<Record<BulkKind, string>> = { Users: "user", Groups: "group" };
const verbs: Readonly<Record<BulkMethod, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/**
 * Each of the two scopes permits an operation in bulk: the scope of the single operation, and a scope for bulk only
 * (decision 0053).
 */
export function bulkScopes(kind: BulkKind, method: BulkMethod): readonly [own: string, inBulk: string] {
  return [
    `internal_${resourceNames[kind]}_mgt_${verbs[method]}`,
    `internal_bulk_${resourceNames[kind]}_${verbs[method]}`,
  ];
}
