/** The parameters `claims` and `acr_values` of an authorization request. */
import { beforeAll, describe, expect, test } from "vitest";
import { readClaimsParameter } from "#core/sign-in/flow/claims-parameter.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, browser, tokensOf } = signInOf(api);
let client: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await newApplication();
});

const asked = async (claims: unknown, more: Readonly<Record<string, string>> = {}) =>
  browser().open(
    requestOf(client, { state: "s", ...more, claims: typeof claims === "string" ? claims : JSON.stringify(claims) }),
  );

test("is read by the place, with what is essential and the wished values", () => {
  const text = JSON.stringify({
    userinfo: { given_name: { essential: true }, nickname: null, "name#de": { purpose: "greeting" } },
    id_token: { acr: { values: ["a", "b"] }, sub: { value: "x" }, __proto__x: null },
    other: 1,
  });
  expect(readClaimsParameter(text)).toEqual({
    userInfo: [
      { name: "given_name", isEssential: true },
      { name: "nickname", isEssential: false },
      { name: "name#de", isEssential: false },
    ],
    idToken: [
      { name: "acr", isEssential: false, values: ["a", "b"] },
      { name: "sub", isEssential: false, values: ["x"] },
      { name: "__proto__x", isEssential: false },
    ],
  });
  expect(readClaimsParameter(undefined)).toBeUndefined();
  expect(readClaimsParameter('{"id_token":null}')).toEqual({ idToken: [], userInfo: [] });
});

describe("what does not have the form of the specification is invalid_request", () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`c${at}`, null]));
  test.each([
    ...["x", "[]", "null", '"x"', "1", "{", '{"id_token":[]}', '{"id_token":"x"}', '{"userinfo":1}'],
    ...[{ id_token: { a: 1 } }, { id_token: { a: [] } }, { id_token: { a: { essential: "true" } } }],
    ...[{ id_token: { a: { value: {} } } }, { id_token: { a: { value: null } } }, { id_token: { a: { values: "x" } } }],
    ...[{ id_token: { a: { values: [] } } }, { id_token: { a: { values: [[]] } } }],
    ...[{ id_token: { a: { value: "x", values: ["x"] } } }, { id_token: { "": null } }, { id_token: many }],
    ...[{ userinfo: { ["x".repeat(256)]: null } }, { id_token: { a: { value: "x".repeat(256) } } }],
    ...[{ id_token: { a: { values: Array.from({ length: 21 }, () => "x") } } }, { userinfo: { a: "x".repeat(4_100) } }],
    ...[{ id_token: { sub: { values: ["a", "b"] } } }, { id_token: { sub: { value: 1 } } }],
    { id_token: { sub: { value: "a" } }, userinfo: { sub: { value: "b" } } },
  ])("%j", async (claims) => {
    expect(answerOf(await asked(claims))).toMatchObject({ error: "invalid_request", state: "s" });
  });
});

test("a wrong claim in the text of the error cannot break the address", async () => {
  const shown = await asked('{"id_token":{"\\r\\nSet-Cookie: x=y\\"<":1}}');
  expect(answerOf(shown).error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  expect(shown.headers.getSetCookie().every((set) => set.startsWith("__Host-"))).toBe(true);
});

describe("acr", () => {
  test("a class that the client cannot do without and this service does not have is an error", async () => {
    const wanted = (values: readonly string[], essential = true) => ({ id_token: { acr: { essential, values } } });
    expect(answerOf(await asked(wanted(["gold"]))).error).toBe("unmet_authentication_requirements");
    expect(answerOf(await asked(wanted(["gold"]), { prompt: "none" })).error).toBe("unmet_authentication_requirements");
    for (const claims of [wanted(["gold", "pwd"]), wanted(["gold"], false), { userinfo: wanted(["gold"]).id_token }]) {
      expect((await asked(claims)).title).toContain("Sign in to");
    }
    expect((await asked({ id_token: { acr: { essential: true } } })).title).toContain("Sign in to");
  });
  test("acr_values is a wish", async () => {
    const { tokens } = await tokensOf(client, { acr_values: "gold pwd" });
    expect(claimsIn(tokens.id_token ?? "").acr).toBe("pwd");
    const shown = await browser().open(requestOf(client, { acr_values: "x".repeat(3_000) }));
    expect(answerOf(shown).error).toBe("invalid_request");
  });
  test("auth_time is in the ID token that asks for it, and in every other", async () => {
    const claims = JSON.stringify({ id_token: { auth_time: { essential: true } } });
    const { tokens } = await tokensOf(client, { claims });
    expect(claimsIn(tokens.id_token ?? "").auth_time).toBeGreaterThan(1_600_000_000);
  });
});

test("sub: only that user may sign in", async () => {
  const { browser: page, tokens } = await tokensOf(client);
  const { sub } = claimsIn(tokens.id_token ?? "");
  const of = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
  expect(answerOf(await page.open(requestOf(client, { claims: of(sub), prompt: "none" }))).code).toMatch(/^ac_/);
  const other = requestOf(client, { claims: of("somebody") });
  expect(answerOf(await page.open(`${other}&prompt=none`)).error).toBe("login_required");
  await page.open(other);
  expect(answerOf(await enter(page)).error).toBe("login_required");
  const both = requestOf(client, { claims: of("somebody"), id_token_hint: tokens.id_token });
  expect(answerOf(await page.open(both)).error).toBe("invalid_request");
});
