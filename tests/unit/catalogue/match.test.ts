import { describe, expect, test } from "vitest";
import { matcherOf, splitTenant } from "#core/kernel/operation/match.ts";
import { type Operation, operation } from "#core/kernel/operation/operation.ts";

const at = (method: Operation["method"], path: Operation["path"]): Operation =>
  operation({
    service: "applications",
    method,
    path,
    scope: "s",
    summary: "",
    source: "",
    success: { status: 200 },
    failures: [],
  });
const match = matcherOf({
  list: at("GET", "/apps"),
  read: at("GET", "/apps/{id}"),
  remove: at("DELETE", "/apps/{id}"),
  resident: at("GET", "/apps/resident"),
  saml: at("GET", "/apps/{id}/protocols/saml"),
  custom: at("GET", "/apps/{id}/protocols/{name}"),
  meta: at("GET", "/apps/meta/protocols/{name}"),
});
const idOf = (method: string, path: string) => {
  const found = match(method, path);
  return found.kind === "operation" ? found.id : found.kind;
};

describe("matching", () => {
  test("a literal takes precedence over a parameter, for all methods", () => {
    expect(idOf("GET", "/apps/resident")).toBe("resident");
    expect(match("DELETE", "/apps/resident")).toEqual({ kind: "method", allow: ["GET"] });
    expect(idOf("GET", "/apps/1/protocols/saml")).toBe("saml");
    expect(idOf("GET", "/apps/1/protocols/other")).toBe("custom");
  });
  test("a parameter matches where the literal does not, with the right values", () => {
    expect(match("GET", "/apps/meta/protocols/saml")).toEqual({
      kind: "operation",
      id: "meta",
      params: { name: "saml" },
    });
    expect(match("GET", "/apps/resident/protocols/x")).toEqual({
      kind: "operation",
      id: "custom",
      params: { id: "resident", name: "x" },
    });
    expect(match("DELETE", "/apps/meta")).toEqual({ kind: "operation", id: "remove", params: { id: "meta" } });
  });
  test("ignores one trailing slash", () => {
    expect(idOf("GET", "/apps/")).toBe("list");
    expect(idOf("GET", "/apps//")).toBe("none");
  });
  test.each([
    "/Apps",
    "//apps",
    "/apps/..",
    "/apps/.",
    "/apps//protocols/saml",
    "/apps/a;b",
    "/apps/a\\b",
    "/apps/a%2e",
    "/apps/a\nb",
    "/apps/\uFFFD",
    `/apps/${"x".repeat(5000)}`,
    "apps",
    "",
  ])("no operation matches %j", (path) => expect(idOf("GET", path)).toBe("none"));
  test("methods are case-sensitive", () => expect(idOf("get", "/apps")).toBe("method"));
  test("two operations that match the same request throw at load", () => {
    expect(() => matcherOf({ a: at("GET", "/x/{id}"), b: at("GET", "/x/{name}") })).toThrow(/same request/);
  });
});

describe("the tenant prefix", () => {
  test("is removed once", () => {
    expect(splitTenant("/t/acme.com/scim2/Users")).toEqual({ tenant: "acme.com", path: "/scim2/Users" });
    expect(splitTenant("/t/a/t/b/scim2")).toEqual({ tenant: undefined, path: "/t/a/t/b/scim2" });
    expect(splitTenant("/t/a/openapi.json").tenant).toBeUndefined();
    expect(splitTenant("/scim2/Users")).toEqual({ tenant: undefined, path: "/scim2/Users" });
    expect(splitTenant("/t//scim2").tenant).toBeUndefined();
    expect(splitTenant(`/t/${"a".repeat(255)}/scim2`).path).toBe("/scim2");
    expect(splitTenant(`/t/${"a".repeat(256)}/scim2`)).toMatchObject({ tenant: undefined });
  });
});
