/** Scopes of APIs and addresses of owners that are misspelt. */
import { describe, expect, test } from "vitest";
import { checkScopes } from "#core/applications/registry/authorization-rules.ts";
import { checkEmail } from "#core/directory/tenants/rules.ts";
import type { ApiResource } from "#core/kernel/domain/api-resource.ts";

const api = {
  name: "Orders",
  scopes: [
    { id: "1", name: "orders_read" },
    { id: "2", name: "orders_write" },
  ],
} as unknown as ApiResource;

describe("a scope that the API does not have", () => {
  test("is answered with the nearest one", () => {
    expect(() => checkScopes(api, ["orders_raed"])).toThrow(
      "The API resource 'Orders' has no scope 'orders_raed'. Did you mean orders_read?",
    );
    expect(() => checkScopes(api, ["order_read", "orders_writ"])).toThrow("Did you mean orders_read and orders_write?");
  });
  test("that resembles none gets no hint", () => {
    expect(() => checkScopes(api, ["invoices"])).toThrow(/has no scope 'invoices'\.$/);
    expect(() => checkScopes(api, ["orders_read"])).not.toThrow();
  });
});

describe("the e-mail address of an owner", () => {
  test.each(["kim@example.com", "kim.o'neil+x@sub.example.com", "k@localhost", "käthe@bücher.example"])(
    "%s is one",
    (email) => expect(() => checkEmail(email, "email")).not.toThrow(),
  );
  test.each([
    ...["kim", "@example.com", "kim@", "kim@@example.com", "kim@example..com", "kim@example.com.", "a b@example.com"],
    ...["kim@example.com, x@example.com", "Kim <kim@example.com>", "kim@exa\nmple.com", "kim@example.com\u202e", " "],
    `${"a".repeat(65)}@example.com`,
  ])("%j is none, and the message names the member", (email) => {
    expect(() => checkEmail(email, "owners[0].email")).toThrow("owners[0].email: must be an e-mail address");
  });
});
