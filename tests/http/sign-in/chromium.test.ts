/** A person signs in to several applications in a real browser: consent, single sign-on, `max_age`, and signs out of all. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pause } from "#core/kernel/clock.ts";
import { chromiumPath, openBrowser } from "#tests/support/chromium.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, redeem } = signInOf(api);
/** What pages of sign-out requested, of the applications by their paths. */
const opened: URL[] = [];
const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.endsWith("/out")) opened.push(url);
  response.setHeader("content-type", "text/html").end("<title>An application</title><h1>An application</h1>");
});
let origin: string;

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
});
afterAll(() => new Promise((done) => server.close(done)));

/** An application, with pages of its own at the path of its name. */
const applicationAt = (name: string, skipLoginConsent: boolean) =>
  newApplication(
    { callbackURLs: [`${origin}/${name}/back`], logout: { frontChannelLogoutUrl: `${origin}/${name}/out` } },
    { advancedConfigurations: { skipLoginConsent } },
  );

const request = (client: TestClient, name: string, fields: Readonly<Record<string, string>> = {}) =>
  `${api.url}${requestOf(client, { redirect_uri: `${origin}/${name}/back`, ...fields })}`;

/** Waits until the browser is back at an application. Returns its ID token and the claims in it. */
const idTokenAt = async (page: Page, client: TestClient, name: string) => {
  await page.waitForURL(`${origin}/${name}/back?**`);
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  const { body } = await redeem(client, code, { redirect_uri: `${origin}/${name}/back` });
  return { token: body.id_token as string, claims: claimsIn(body.id_token) };
};

const signIn = async (page: Page) => {
  await page.getByLabel("User name").fill(PERSON.username);
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

describe.skipIf(chromiumPath === undefined)("in Chromium", () => {
  test("a person consents, signs on, is asked again after max_age, and signs out of all applications", {
    timeout: 120_000,
  }, async () => {
    const [cars, bikes] = [await applicationAt("cars", false), await applicationAt("bikes", true)];
    const chromium = await openBrowser();
    const page = await chromium.newPage();

    await page.goto(request(cars, "cars", { scope: "openid profile" }));
    await signIn(page);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    const first = await idTokenAt(page, cars, "cars");

    await page.goto(request(bikes, "bikes"));
    const second = await idTokenAt(page, bikes, "bikes");
    expect(second.claims).toMatchObject({ sid: first.claims.sid, auth_time: first.claims.auth_time });

    await pause(2_000);
    await page.goto(request(bikes, "bikes", { max_age: "1" }));
    await signIn(page);
    const third = await idTokenAt(page, bikes, "bikes");
    expect(third.claims.auth_time).toBeGreaterThan(first.claims.auth_time);
    expect(third.claims.sid).toBe(first.claims.sid);
    // Consent was given before: neither it nor the password is asked for.
    await page.goto(request(cars, "cars", { scope: "openid profile" }));
    await idTokenAt(page, cars, "cars");

    const out = new URLSearchParams({
      id_token_hint: third.token,
      post_logout_redirect_uri: `${origin}/bikes/back`,
      state: "left",
    });
    await page.goto(`${api.url}/oidc/logout?${out}`);
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await page.waitForURL(`${origin}/bikes/back?state=left`);
    expect(opened.map(({ pathname, searchParams }) => [pathname, searchParams.get("sid")]).sort()).toEqual([
      ["/bikes/out", first.claims.sid],
      ["/cars/out", first.claims.sid],
    ]);

    for (const [client, name] of [
      [cars, "cars"],
      [bikes, "bikes"],
    ] as const) {
      await page.goto(request(client, name));
      await page.getByLabel("Password").waitFor();
    }
    await page.goto(request(bikes, "bikes", { prompt: "none" }));
    await page.waitForURL(`${origin}/bikes/back?**error=login_required**`);
    await chromium.close();
  });
});
