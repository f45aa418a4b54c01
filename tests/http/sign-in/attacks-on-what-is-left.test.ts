/** What is left of a sign-in after its user, its session or its application has changed, and who may use it. */
import { describe, expect, test } from "vitest";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const { post } = oauthOf(api);
let count = 0;
let plain: TestClient;

const newPerson = async () => {
  count += 1;
  const username = `person-${count}`;
  const { body } = await api.ask("POST", "/scim2/Users", { body: { userName: username, password: PERSON.password } });
  return { username, password: PERSON.password, id: body.id as string };
};
const signedIn = async (client: TestClient, person: { username: string; password: string }, scope = "openid") => {
  const page = browser();
  await page.open(requestOf(client, { scope }));
  const { status, body, text } = await redeem(client, answerOf(await enter(page, person)).code);
  expect([status, text]).toEqual([200, text]);
  return { page, tokens: body };
};

describe("pairwise subjects", () => {
  // The first one of the tenant: this test stays the first of the file.
  test("are the same for the first sign-in of all, wherever they are shown", async () => {
    const client = await newApplication({ subject: { subjectType: "pairwise" } });
    const person = await newPerson();
    const { tokens } = await signedIn(client, person);
    const { sub } = claimsIn(tokens.id_token);
    const { body } = await api.ask("GET", `/api/users/v1/${person.id}/sessions`);
    expect(body.sessions[0].applications[0].subject).toBe(sub);
    const info = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect(info.body.sub).toBe(sub);
    expect(JSON.stringify([info.body, claimsIn(tokens.id_token)])).not.toContain(person.id);
  });
  test("of one application are no hint and no claim of another", async () => {
    const [cars, bikes] = [
      await newApplication({ subject: { subjectType: "pairwise" } }),
      await newApplication({ subject: { subjectType: "pairwise" }, callbackURLs: ["https://bikes.example.com/back"] }),
    ];
    const person = await newPerson();
    const { page, tokens } = await signedIn(cars, person);
    const { sub } = claimsIn(tokens.id_token);
    const at = (fields: Readonly<Record<string, string>>) =>
      page.open(requestOf(bikes, { redirect_uri: "https://bikes.example.com/back", prompt: "none", ...fields }));
    expect(answerOf(await at({ id_token_hint: tokens.id_token })).error).toBe("invalid_request");
    const asked = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
    for (const value of [sub, person.id, person.username]) {
      expect(answerOf(await at({ claims: asked(value) })).error).toBe("login_required");
    }
    expect(answerOf(await at({})).code).toMatch(/^ac_/);
  });
});

describe("a user who is deleted and restored", () => {
  test("has no session, code or token of before", async () => {
    plain = await newApplication();
    const person = await newPerson();
    const { page, tokens } = await signedIn(plain, person);
    const { code } = answerOf(await page.open(requestOf(plain, { prompt: "none" })));
    await api.ask("DELETE", `/scim2/Users/${person.id}`);
    expect((await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`)).status).toBeLessThan(300);
    expect(answerOf(await page.open(requestOf(plain, { prompt: "none" }))).error).toBe("login_required");
    expect((await redeem(plain, code)).body.error).toBe("invalid_grant");
    const again = await post(
      "/oauth2/token",
      { grant_type: "refresh_token", refresh_token: tokens.refresh_token },
      plain,
    );
    expect(again.body.error).toBe("invalid_grant");
    const info = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${tokens.access_token}` });
    expect(info.status).toBe(401);
    expect((await api.ask("GET", `/api/users/v1/${person.id}/sessions`)).body.sessions).toEqual([]);
  });
});

describe("the page of a sign-out", () => {
  test("opens no page of an application whose host would be more than a source of the policy", async () => {
    const client = await newApplication({
      logout: { frontChannelLogoutUrl: "https://a.example;frame-ancestors/out" },
    }).catch(() => undefined);
    const other = await newApplication({ logout: { frontChannelLogoutUrl: "https://frames.example/out" } });
    if (!client) return;
    const person = await newPerson();
    const { page, tokens } = await signedIn(client, person);
    await page.open(requestOf(other));
    const { headers } = await page.open(`/oidc/logout?id_token_hint=${tokens.id_token}`);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = policy.split(";").map((each) => each.trim().split(" "));
    expect(directives.filter(([name]) => name === "frame-ancestors")).toEqual([["frame-ancestors", "'none'"]]);
    expect(directives.find(([name]) => name === "frame-src")).toEqual(["frame-src", "https://frames.example"]);
  });
});

describe("a token of a sign-in", () => {
  test("that another application gets by an exchange tells nothing of the user", async () => {
    const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
    const bikes = await newApplication({ grantTypes: ["authorization_code", exchange] });
    const cars = await newApplication({ accessToken: { accessTokenAttributes: [] } });
    const person = await newPerson();
    const { tokens } = await signedIn(cars, person, "openid email profile");
    const type = "urn:ietf:params:oauth:token-type:access_token";
    const fields = { grant_type: exchange, subject_token: tokens.access_token, subject_token_type: type };
    expect((await post("/oauth2/token", fields, bikes)).status).toBe(400);
    const own = await newApplication({ grantTypes: ["authorization_code", exchange] });
    const mine = await signedIn(own, person, "openid email");
    const { body } = await post("/oauth2/token", { ...fields, subject_token: mine.tokens.access_token }, own);
    const info = await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${body.access_token}` });
    expect(info.status).toBe(403);
  });
  test("of a session that the user ended by API is not renewed where tokens end with sessions, nor its code", async () => {
    const client = await newApplication({ accessToken: { revokeTokensWhenIDPSessionTerminated: true } });
    const person = await newPerson();
    const { page, tokens } = await signedIn(client, person);
    const { code } = answerOf(await page.open(requestOf(client, { prompt: "none" })));
    const { sid } = claimsIn(tokens.id_token);
    expect((await api.ask("DELETE", `/api/users/v1/${person.id}/sessions/${sid}`)).status).toBe(204);
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
    expect((await post("/oauth2/token", form, client)).body.error).toBe("invalid_grant");
  });
});
