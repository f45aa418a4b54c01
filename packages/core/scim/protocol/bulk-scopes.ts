/** The scopes of the operations of a bulk request. Pure. */
import type { BulkKind, BulkMethod } from "./bulk-places.ts";

const resourceNames: Readonly<Record<BulkKind, string>> = { Users: "user", Groups: "group", Roles: "role" };
const verbs: Readonly<Record<BulkMethod, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** The scopes for parts of a role: the operation itself allows each its part alone. */
const roleParts = ["users", "groups", "permissions"].map((part) => `internal_role_mgt_${part}_update`);

/**
 * Each of these scopes permits an operation in bulk: the scope of the single operation, for users and groups a scope
 * for bulk only, and for a PATCH of a role those for its parts, of which each allows its part alone (decision 0053).
 */
export function bulkScopes(kind: BulkKind, method: BulkMethod): readonly [own: string, ...others: string[]] {
  return [...wholeScopes(kind, method), ...(kind === "Roles" && method === "PATCH" ? roleParts : [])];
}

/**
 * Each of these scopes permits the whole of an operation in bulk. For roles it is that of the single operation alone:
 * `internal_bulk_role_update` and its like permitted nothing before roles came into bulk requests, and still do not.
 */
export function wholeScopes(kind: BulkKind, method: BulkMethod): readonly [own: string, ...inBulk: string[]] {
  const name = resourceNames[kind];
  const own = `internal_${name}_mgt_${verbs[method]}`;
  return kind === "Roles" ? [own] : [own, `internal_bulk_${name}_${verbs[method]}`];
}
