import { describe, expect, test } from "vitest";
import { API_RESOURCES, apiResourcesOf, everyKey, scopesNamed } from "#tests/support/api-resources.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const { register, read } = apiResourcesOf(api);
const post = (body: unknown) => ask("POST", API_RESOURCES, { body });

describe("201", () => {
  test("returns the new API and its absolute location", async () => {
    const answer = await post({
      name: "Greetings API",
      identifier: "greetings_api",
      description: "Says hello",
      requiresAuthorization: false,
      scopes: [
        { name: "greetings:write", displayName: "Write Greetings", description: "Allows writing greetings" },
        { name: "greetings:read" },
      ],
    });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.body).toEqual({
      id,
      name: "Greetings API",
      identifier: "greetings_api",
      description: "Says hello",
      type: "BUSINESS",
      requiresAuthorization: false,
      scopes: [
        {
          id: expect.any(String),
          name: "greetings:write",
          displayName: "Write Greetings",
          description: "Allows writing greetings",
        },
        { id: expect.any(String), name: "greetings:read", displayName: "greetings:read" },
      ],
      properties: [],
      self: `/t/carbon.super${API_RESOURCES}/${id}`,
    });
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.pathname).toBe(`/t/carbon.super${API_RESOURCES}/${id}`);
    expect((await ask("GET", location.pathname)).body).toEqual(answer.body);
  });
  test("a name and an identifier are enough: authorization is required by default, without scopes", async () => {
    const shown = await read(await register({ name: "Bare", identifier: "bare", description: null, scopes: null }));
    expect(shown).toMatchObject({ requiresAuthorization: true, scopes: [] });
    expect(shown).not.toHaveProperty("description");
  });
  test("accepts 90 scopes, the maximum", async () => {
    const names = Array.from({ length: 90 }, (_, index) => `many:${index}`);
    const shown = await read(await register({ name: "Many", identifier: "many", scopes: scopesNamed(...names) }));
    expect(shown.scopes.map(({ name }: { name: string }) => name)).toEqual(names);
  });
});

describe("400, and nothing is stored", () => {
  const base = { name: "Bad", identifier: "bad" };
  test.each<[string, unknown, string, RegExp]>([
    ["no name", { identifier: "bad" }, "API-RESOURCE-60003", /name is required/],
    ["a blank name", { ...base, name: " " }, "API-RESOURCE-60003", /blank/],
    ["no identifier", { name: "Bad" }, "API-RESOURCE-60004", /identifier is required/],
    ["a blank identifier", { ...base, identifier: "" }, "API-RESOURCE-60004", /blank/],
    ["an identifier of 256 characters", { ...base, identifier: "x".repeat(256) }, "UE-10000", /identifier/],
    ["a number for a name", { ...base, name: 1 }, "UE-10000", /name/],
    ["a scope without a name", { ...base, scopes: [{}] }, "UE-10000", /scopes\[0\]\.name is required/],
    ["a blank scope", { ...base, scopes: scopesNamed("") }, "API-RESOURCE-60005", /required/],
    ["a scope with a blank", { ...base, scopes: scopesNamed("a b") }, "API-RESOURCE-60005", /printable/],
    ["a scope with a quote", { ...base, scopes: scopesNamed('a"b') }, "API-RESOURCE-60005", /printable/],
    ["a scope twice", { ...base, scopes: scopesNamed("a", "a") }, "API-RESOURCE-60005", /more than once/],
    [
      "a scope of this service",
      { ...base, scopes: scopesNamed("internal_user_mgt_view") },
      "API-RESOURCE-60008",
      /res/,
    ],
    [
      "a scope that looks like one",
      { ...base, scopes: scopesNamed("internal_mine") },
      "API-RESOURCE-60008",
      /reserved/,
    ],
    ["a scope of the console", { ...base, scopes: scopesNamed("console:all") }, "API-RESOURCE-60008", /reserved/],
    ["a scope of OpenID Connect", { ...base, scopes: scopesNamed("openid") }, "API-RESOURCE-60009", /OpenID/],
    [
      "91 scopes",
      { ...base, scopes: scopesNamed(...Array.from({ length: 91 }, (_, index) => `s${index}`)) },
      "API-RESOURCE-60005",
      /at most 90 scopes/,
    ],
    [
      "more text than an item holds",
      {
        ...base,
        scopes: Array.from({ length: 90 }, (_, i) => ({
          name: `s${i}`,
          displayName: "\u20AC".repeat(255),
          description: "\u20AC".repeat(1_024),
        })),
      },
      "API-RESOURCE-60005",
      /at most 300000/,
    ],
  ])("%s", async (_, body, code, description) => {
    const before = await everyKey(api.service);
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.description).toMatch(description);
    expect(await everyKey(api.service)).toEqual(before);
  });
});

describe("409, and nothing is stored", () => {
  test("one of fifty concurrent requests gets the identifier", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post({ name: `Racer ${index}`, identifier: "race", scopes: scopesNamed(`race:${index}`) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(49);
    expect(refused[0]?.body).toMatchObject({ code: "API-RESOURCE-60003", message: "Unable to add API resource." });
    const kept = (await everyKey(api.service)).filter((key) => key.includes("race"));
    // The entry of the identifier and the claim of the winner's scope.
    expect(kept).toHaveLength(2);
  });
  test("one of twenty concurrent requests gets the scope", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post({ name: "Sharer", identifier: `share ${index}`, scopes: scopesNamed("shared:scope") }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "API-RESOURCE-60004")).toHaveLength(19);
    expect((await everyKey(api.service)).filter((key) => key.includes("share "))).toHaveLength(1);
  });
  test("the identifier of an API of this service", async () => {
    const answer = await post({ name: "Mine", identifier: "/scim2/Users" });
    expect([answer.status, answer.body.code]).toEqual([409, "API-RESOURCE-60003"]);
  });
});
