/** What users have agreed to is listed and taken back by API, with the tokens of the applications. */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const USERS = "/api/users/v1";
const OWN = `${USERS}/me/authorized-apps`;
const kim = PERSON;
const lee = { username: "lee", password: "a-good-Password-2" };
const viewer = { username: "viewer", password: "a-good-Password-3" };
const ender = { username: "ender", password: "a-good-Password-4" };
const asks = { advancedConfigurations: { skipLoginConsent: false } };
let kimId = "";

const newUser = async ({ username: userName, password }: typeof PERSON): Promise<string> =>
  (await api.ask("POST", "/scim2/Users", { body: { userName, password } })).body.id;

beforeAll(async () => {
  kimId = await newUser(kim);
  await newUser(lee);
  await addUser(api.service, { ...viewer, scopes: ["internal_session_view"] });
  await addUser(api.service, { ...ender, scopes: ["internal_session_delete"] });
});

/** Signs in and agrees. Returns the browser and the tokens. */
const agreed = async (client: TestClient, person = kim, scope = "openid email") => {
  const page = browser();
  await page.open(requestOf(client, { scope }));
  expect((await enter(page, person)).title).toContain("asks for access to");
  const { code } = answerOf(await page.submit({ answer: "allow" }));
  const { status, body, text } = await redeem(client, code);
  expect([status, text]).toEqual([200, text]);
  return { page, tokens: body };
};
const isActive = async (text: string) =>
  (
    await api.ask("POST", "/oauth2/introspect", {
      raw: `token=${text}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    })
  ).body.active;
const refresh = (of: TestClient, token: string) =>
  api.ask("POST", "/oauth2/token", {
    as: `Basic ${Buffer.from(`${of.clientId}:${of.clientSecret}`).toString("base64")}`,
    raw: `grant_type=refresh_token&refresh_token=${token}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
const apps = async (as: Ask["as"] = kim, path = OWN) => (await api.ask("GET", path, { as: as ?? kim })).body;

describe("listMyAuthorizedApps", () => {
  test("shows what the user has agreed to, and no application that is gone", async () => {
    const [cars, bikes] = [await newApplication({}, asks), await newApplication({}, asks)];
    await agreed(cars);
    await agreed(bikes, kim, "openid");
    const ids = [cars, bikes].map(({ applicationId }) => applicationId);
    const own = (await apps()).filter(({ id }: { id: string }) => ids.includes(id));
    expect(own).toHaveLength(2);
    expect(own).toContainEqual({
      id: cars.applicationId,
      name: expect.any(String),
      clientId: cars.clientId,
      approvedScopes: ["openid", "email"],
    });
    expect(await apps(lee)).toEqual([]);
    await api.ask("DELETE", `/api/server/v1/applications/${bikes.applicationId}`);
    expect((await apps()).map(({ id }: { id: string }) => id)).not.toContain(bikes.applicationId);
    await api.ask("DELETE", OWN, { as: kim });
  });
});

describe("a rehearsal", () => {
  test.each([
    ["all consents of the caller", () => OWN, () => kim],
    ["one of the caller", (id: string) => `${OWN}/${id}`, () => kim],
    ["all of a user", () => `${USERS}/${kimId}/authorized-apps`, () => ender],
    ["one of a user", (id: string) => `${USERS}/${kimId}/authorized-apps/${id}`, () => ender],
  ])("of taking back %s takes nothing back; the same request does", async (_, pathOf, as) => {
    const cars = await newApplication({}, asks);
    const { tokens } = await agreed(cars);
    const path = pathOf(cars.applicationId);
    const rehearsed = await api.ask("DELETE", `${path}?dryRun=true`, { as: as() });
    expect([rehearsed.status, rehearsed.headers.get("dry-run")]).toEqual([204, "true"]);
    expect(await isActive(tokens.access_token)).toBe(true);
    expect((await api.ask("DELETE", path, { as: as() })).status).toBe(204);
    expect(await isActive(tokens.access_token)).toBe(false);
  });
});

describe("revokeMyAuthorizedApp", () => {
  test.each(["Default", "JWT"])("ends the consent and the tokens of type %s for this user alone", async (type) => {
    const [cars, bikes] = [
      await newApplication({ accessToken: { type } }, asks),
      await newApplication({ accessToken: { type } }, asks),
    ];
    const [mine, hers, other] = [await agreed(cars), await agreed(cars, lee), await agreed(bikes)];
    const waiting = answerOf(await mine.page.open(requestOf(cars, { scope: "openid email" }))).code;
    expect((await api.ask("DELETE", `${OWN}/${cars.applicationId}`, { as: kim })).status).toBe(204);
    expect(await isActive(mine.tokens.access_token)).toBe(false);
    expect((await refresh(cars, mine.tokens.refresh_token)).status).toBe(400);
    expect((await redeem(cars, waiting)).status).toBe(400);
    for (const [of, { tokens }] of [
      [cars, hers],
      [bikes, other],
    ] as const) {
      expect(await isActive(tokens.access_token)).toBe(true);
      expect((await refresh(of, tokens.refresh_token)).status).toBe(200);
    }
    const silent = answerOf(await mine.page.open(requestOf(cars, { scope: "openid email", prompt: "none" })));
    expect(silent.error).toBe("consent_required");
    // At once, not when the revocation is over.
    const again = await agreed(cars);
    expect(await isActive(again.tokens.access_token)).toBe(true);
    expect((await refresh(cars, again.tokens.refresh_token)).status).toBe(200);
  });

  test("is 404 without a consent, and takes nothing from another user", async () => {
    const cars = await newApplication({}, asks);
    const { tokens } = await agreed(cars);
    for (const id of [cars.applicationId, "a", "8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001"]) {
      expect((await api.ask("DELETE", `${OWN}/${id}`, { as: lee })).status).toBe(404);
    }
    expect(await isActive(tokens.access_token)).toBe(true);
  });
});

describe("revokeMyAuthorizedApps", () => {
  test("takes everything back", async () => {
    const [cars, bikes] = [await newApplication({}, asks), await newApplication({}, asks)];
    const all = [await agreed(cars), await agreed(bikes)];
    expect((await api.ask("DELETE", OWN, { as: kim })).status).toBe(204);
    expect(await apps()).toEqual([]);
    for (const { tokens } of all) expect(await isActive(tokens.access_token)).toBe(false);
    expect((await api.ask("DELETE", OWN, { as: kim })).status).toBe(204);
  });
});

describe("listUserAuthorizedApps", () => {
  test("shows administrators the same", async () => {
    const cars = await newApplication({}, asks);
    await agreed(cars);
    const path = `${USERS}/${kimId}/authorized-apps`;
    expect(await apps(viewer, path)).toEqual(await apps());
    expect((await api.ask("GET", path, { as: lee })).status).toBe(403);
    const unknown = `${USERS}/8c5a8c1c-6a5f-4a63-9d5e-5a4a1a7c0001/authorized-apps`;
    expect((await api.ask("GET", unknown, { as: viewer })).status).toBe(404);
  });
});

describe("revokeUserAuthorizedApp", () => {
  test("takes one back for a user", async () => {
    const cars = await newApplication({}, asks);
    const { tokens } = await agreed(cars);
    const path = `${USERS}/${kimId}/authorized-apps/${cars.applicationId}`;
    for (const as of [viewer, lee, kim]) expect((await api.ask("DELETE", path, { as })).status).toBe(403);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(204);
    expect(await isActive(tokens.access_token)).toBe(false);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(404);
  });
});

describe("revokeUserAuthorizedApps", () => {
  test("takes all back for a user", async () => {
    const { tokens } = await agreed(await newApplication({}, asks));
    const path = `${USERS}/${kimId}/authorized-apps`;
    expect((await api.ask("DELETE", path, { as: viewer })).status).toBe(403);
    expect((await api.ask("DELETE", path, { as: ender })).status).toBe(204);
    expect(await isActive(tokens.access_token)).toBe(false);
    expect(await apps()).toEqual([]);
  });
});
