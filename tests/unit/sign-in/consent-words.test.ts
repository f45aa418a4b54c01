/** Consent speaks to people: standard scopes and claims in words, what a tenant says in its own words. */
import { describe, expect, test } from "vitest";
import { defaultScopes } from "#core/applications/oidc-scopes/model.ts";
import { claimInWords, scopeInWords } from "#core/sign-in/pages/consent-words.ts";

describe.each(["en", "de"] as const)("in %s", (language) => {
  test.each(defaultScopes.map((scope) => [scope.name, scope] as const))("the scope %s is a sentence", (name, scope) => {
    const { name: words, description } = scopeInWords(name, scope, language);
    expect(words).toMatch(/^(To|Your|The|Sie|Ihre?|Die) .{4}/);
    expect(description).toBeUndefined();
  });
  test.each(defaultScopes.flatMap(({ claims }) => claims))("the claim %s is a sentence", (claim) => {
    expect(claimInWords(claim, language).name).toMatch(/ /);
  });
  test("offline_access says what it means", () => {
    expect(scopeInWords("offline_access", undefined, language).name).toMatch(/away|nicht da/);
  });
});

test.each([{ displayName: "Post" }, { description: "Where to send parcels" }, { claims: ["email", "phone_number"] }])(
  "what a tenant has changed is shown as it says: %o",
  (change) => {
    const scope = { ...(defaultScopes.find(({ name }) => name === "email") ?? defaultScopes[0]), ...change } as never;
    const { displayName, description } = scope as { displayName: string; description: string };
    expect(scopeInWords("email", scope, "en")).toEqual({ name: displayName, description });
  },
);

test("scopes and claims without words are shown by their names", () => {
  expect(scopeInWords("address", undefined, "en").name).toBe("address");
  for (const name of ["trips_read", "constructor", "__proto__"]) {
    expect(scopeInWords(name, undefined, "en").name).toBe(name);
    expect(claimInWords(name, "en").name).toBe(name);
  }
});
