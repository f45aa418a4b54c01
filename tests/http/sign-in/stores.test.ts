/** Sign-in by users of a directory; and users with one name in two stores and two tenants, who never meet. */
import { afterAll, describe, expect, test } from "vitest";
import { claimsIn, signInOf } from "#tests/support/sign-in.ts";
import { directoryStore, hasSlapd, startSlapd } from "#tests/support/slapd.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

const [inTable, inDirectory, inOther] = ["a-table-Password-1", "a-directory-Password-2", "another-Password-3"] as const;

describe.runIf(hasSlapd)("a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: directoryStore(slapd.url) });
  const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
  afterAll(() => slapd.close());

  test("its users sign in with their store before the name, and users of the table are others", async () => {
    const ids = new Map<string, string>();
    for (const [userName, password] of [
      ["kim", inTable],
      ["CORP/kim", inDirectory],
    ] as const) {
      const { status, body, text } = await api.ask("POST", "/scim2/Users", {
        body: { userName, password, name: { givenName: "Kim", familyName: userName } },
      });
      if (status !== 201) throw new Error(text);
      ids.set(userName, body.id);
    }
    const client = await newApplication();
    for (const [username, password, other] of [
      ["kim", inTable, inDirectory],
      ["CORP/kim", inDirectory, inTable],
    ] as const) {
      const page = browser();
      await page.open(requestOf(client, { scope: "openid profile" }));
      expect((await enter(page, { username, password: other })).status).toBe(400);
      const { body } = await redeem(client, answerOf(await enter(page, { username, password })).code);
      expect(claimsIn(body.id_token)).toMatchObject({ sub: ids.get(username), family_name: username });
      expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${body.access_token}` })).body.sub).toBe(
        ids.get(username),
      );
      expect(answerOf(await page.open(requestOf(client))).code).toMatch(/^ac_/);
      const subject = { includeUserDomain: true, claim: { uri: "http://wso2.org/claims/givenname" } };
      const named = await newApplication({}, { claimConfiguration: { subject } });
      const answer = answerOf(await page.open(requestOf(named)));
      const { sub } = claimsIn((await redeem(named, answer.code)).body.id_token);
      expect(sub).toBe(username.startsWith("CORP") ? "CORP/Kim" : "Kim");
    }
  });
});

describe("two tenants", () => {
  const api = world();
  const { newApplication, requestOf, enter, answerOf, browser } = signInOf(api);

  test("have users of one name, sessions and applications of their own", async () => {
    await api.ask("POST", "/scim2/Users", { body: { userName: "kim", password: inTable } });
    const owner = { username: "kim", password: inOther, email: "kim@acme.example", firstname: "Kim", lastname: "A" };
    await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: "acme.example", owners: [{ ...owner, provisioningMethod: "inline-password" }] },
    });
    const mine = await newApplication();
    const as = basic({ username: "kim@acme.example", password: inOther });
    const oidc = { grantTypes: ["authorization_code"], callbackURLs: ["https://acme.example/back"] };
    const made = await api.ask("POST", `/t/acme.example${APPLICATIONS}`, {
      as,
      body: {
        name: "Cars",
        advancedConfigurations: { skipLoginConsent: true },
        inboundProtocolConfiguration: { oidc },
      },
    });
    const path = new URL(made.headers.get("location") ?? "").pathname;
    const { clientId } = (await api.ask("GET", `${path}/inbound-protocols/oidc`, { as })).body;
    const theirs = { applicationId: "", clientId, clientSecret: "" };
    const of = (fields = {}) => requestOf(theirs, { redirect_uri: "https://acme.example/back", ...fields });

    const page = browser();
    await page.open(requestOf(mine));
    expect((await enter(page, { username: "kim", password: inOther })).status).toBe(400);
    expect(answerOf(await enter(page, { username: "kim", password: inTable })).iss).toBe(`${api.url}/oauth2/token`);
    // Signed in to one tenant, a stranger to the other.
    expect((await page.open(`/t/acme.example${of()}`)).title).toBe("Sign in to Cars");
    expect((await enter(page, { username: "kim", password: inTable })).status).toBe(400);
    expect((await enter(page, { username: "kim@carbon.super", password: inTable })).status).toBe(400);
    const done = await enter(page, { username: "kim", password: inOther });
    expect(answerOf(done).iss).toBe(`${api.url}/t/acme.example/oauth2/token`);
    expect(answerOf(await page.open(of())).iss).toBe(`${api.url}/t/acme.example/oauth2/token`);
    // One ties forms to the browser, one knows who has signed in there, and each tenant has one of its session.
    expect(page.cookies.size).toBe(4);
    // A page of one tenant does not count in the other.
    await page.open(`/t/acme.example${of({ prompt: "login" })}`);
    const { request = "" } = page.fields();
    await page.open(requestOf(mine, { prompt: "login" }));
    expect((await page.submit({ request, username: "kim", password: inTable })).status).toBe(400);
  });
});
