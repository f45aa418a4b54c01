/** Which scopes an application loses by another authorization. */
import { describe, expect, test } from "vitest";
import { lostScopes } from "#core/applications/authorized-apis/handlers.ts";
import type { ApiResource } from "#core/kernel/domain/api-resource.ts";

const api: ApiResource = {
  id: "1",
  identifier: "urn:a",
  name: "A",
  type: "BUSINESS",
  requiresAuthorization: true,
  scopes: ["read", "write"].map((name) => ({ id: name, name: `a:${name}`, displayName: name })),
};
const authorization = (policy: "RBAC" | "NO POLICY", ...scopeIds: string[]) => ({ apiId: "1", policy, scopeIds });

describe("lost scopes", () => {
  test("are those that are gone", () => {
    const before = authorization("RBAC", "read", "write");
    expect(lostScopes(before, authorization("RBAC", "write"), api)).toEqual(["a:read"]);
    expect(lostScopes(before, undefined, api)).toEqual(["a:read", "a:write"]);
    expect(lostScopes(before, before, api)).toEqual([]);
  });
  test("are all that users had without a role, where they need one now", () => {
    const before = authorization("NO POLICY", "read");
    expect(lostScopes(before, authorization("RBAC", "read", "write"), api)).toEqual(["a:read"]);
    expect(lostScopes(authorization("RBAC", "read"), authorization("NO POLICY", "read"), api)).toEqual([]);
  });
});
