/** An independent, certified client library signs in, and a real browser does it for a person. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, openBrowser } from "#tests/support/chromium.ts";
import { CALLBACK, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, browser } = signInOf(api);

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password, emails: [{ value: "kim@cars.example" }] },
  });
});

describe("openid-client, as it is", () => {
  test.each([
    ["with PKCE, state and nonce", { pkce: { mandatory: true } }],
    ["with JWTs as access tokens", { accessToken: { type: "JWT" } }],
    ["with ES256", { idToken: { idTokenSignedResponseAlg: "ES256" } }],
  ])("code, ID token, userinfo, refresh and revocation %s", async (_, oidc) => {
    const client = await newApplication(oidc);
    const metadata = "idToken" in oidc ? { id_token_signed_response_alg: "ES256" } : {};
    const config = await openid.discovery(
      new URL(`${api.url}/oauth2/token`),
      client.clientId,
      { client_secret: client.clientSecret, ...metadata },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: "openid email", state, nonce, max_age: "100" },
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    });
    const page = browser();
    await page.open(address.href);
    const { location } = await enter(page);
    if (!location) throw new Error("no answer");
    const tokens = await openid.authorizationCodeGrant(config, location, {
      ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 100 },
      idTokenExpected: true,
    });
    const sub = tokens.claims()?.sub ?? "";
    expect(tokens.claims()).toMatchObject({ email: "kim@cars.example", nonce });
    const info = await openid.fetchUserInfo(config, tokens.access_token, sub);
    expect(info).toEqual({ sub, email: "kim@cars.example" });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect((await openid.fetchUserInfo(config, refreshed.access_token, sub)).email).toBe("kim@cars.example");
    await openid.tokenRevocation(config, refreshed.refresh_token ?? "");
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? "")).rejects.toThrow();
  });
});

describe.skipIf(chromiumPath === undefined)("Chromium", () => {
  test("signs in, agrees, signs on to a second application without a password, and out of both", async () => {
    const arrived: URL[] = [];
    const application = createServer((request, response) => {
      if (request.url?.startsWith("/back")) arrived.push(new URL(request.url, "http://127.0.0.1"));
      response.end("arrived");
    });
    await new Promise<void>((done) => application.listen(0, "127.0.0.1", done));
    const redirect_uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`;
    const chromium = await openBrowser();
    try {
      const page = await (await chromium.newContext({ javaScriptEnabled: false })).newPage();
      const callbackURLs = ["http://127.0.0.1/back"];
      const first = await newApplication({ callbackURLs }, { advancedConfigurations: { skipLoginConsent: false } });
      const second = await newApplication({ callbackURLs });
      await page.goto(api.url + requestOf(first, { state: "one", redirect_uri }));
      await page.getByLabel("User name").fill(PERSON.username);
      await page.getByLabel("Password").fill("a-wrong-password");
      await page.getByRole("button", { name: "Sign in" }).click();
      expect(await page.getByRole("alert").textContent()).toContain("wrong");
      await page.getByLabel("Password").fill(PERSON.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.waitForURL(`${redirect_uri}*`);
      await page.goto(api.url + requestOf(second, { state: "two", redirect_uri }));
      await page.waitForURL(`${redirect_uri}*state=two*`);
      expect(arrived.map(({ searchParams }) => searchParams.get("state"))).toEqual(["one", "two"]);
      expect(arrived.every(({ searchParams }) => searchParams.get("code")?.startsWith("ac_"))).toBe(true);
      await page.goto(api.url + requestOf(second, { prompt: "login", redirect_uri }));
      expect(await page.getByLabel("Password").isVisible()).toBe(true);
      const left = new URLSearchParams({
        client_id: second.clientId,
        post_logout_redirect_uri: redirect_uri,
        state: "out",
      });
      await page.goto(`${api.url}/oidc/logout?${left}`);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(`${redirect_uri}?state=out`);
      await page.goto(api.url + requestOf(first, { redirect_uri }));
      expect(await page.getByLabel("Password").isVisible()).toBe(true);
    } finally {
      await chromium.close();
      application.close();
    }
  });
});
