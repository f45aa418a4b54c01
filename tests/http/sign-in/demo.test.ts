/** The demo of `npm start`: a relying party that registers itself, and that people sign in to in a real browser. */
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningDemo, startDemo } from "#local/demo/server.ts";
import { chromiumPath, openBrowser, plugIn } from "#tests/support/chromium.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const administrator = { username: "admin", password: "admin" };
let demo: RunningDemo;

beforeAll(async () => {
  demo = await startDemo({ url: api.url, administrator, outbox: api.service.outbox }, 0);
});
afterAll(() => demo.close());

const post = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${demo.url}${path}`, { method: "POST", redirect: "manual", headers });

describe("the demo", () => {
  test("registers nothing for a form of another site", async () => {
    expect((await post("/register", { origin: "https://other.example" })).status).toBe(403);
    expect((await post("/register")).status).toBe(403);
    const { body } = await api.ask("GET", `${APPLICATIONS}?filter=name+eq+%22Sign-in+demo%22`);
    expect(body.totalResults).toBe(0);
  });

  test("answers for its own address only: the name of another site may lead to this machine", async () => {
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        get(demo.url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on("error", reject);
      });
    const { host, port } = new URL(demo.url);
    expect(await statusFor(`other.example:${port}`)).toBe(421);
    expect(await statusFor(host)).toBe(200);
    expect(await statusFor(`localhost:${port}`)).toBe(307);
  });

  test("shows the mails of the service, and what they link to", async () => {
    const shown = async () => (await fetch(`${demo.url}/outbox`)).text();
    expect(await shown()).toContain("There is none yet.");
    await api.ask("POST", "/scim2/Users", {
      body: { userName: "rob", password: "a-good-Password-1", emails: [{ value: "rob@example.com", primary: true }] },
    });
    const raw = "username=rob";
    const headers = { "content-type": "application/x-www-form-urlencoded", "accept-language": "de" };
    await api.ask("POST", "/oauth2/forgot-password", { raw, headers, as: null });
    await api.service.sendMails();
    const mail = await shown();
    expect(mail).toContain("<h2>Neues Passwort für carbon.super wählen</h2>");
    expect(mail).toContain("To rob@example.com");
    const link = /<a href="([^"]+)">http/.exec(mail)?.[1] ?? "";
    expect((await fetch(link)).status).toBe(200);
  });

  test("refuses an answer to a sign-in that this browser has not started", async () => {
    const answer = await fetch(`${demo.url}/callback?code=abc&state=def`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("started no sign-in")]);
  });

  test("takes another port where its own is in use", async () => {
    const second = await startDemo(
      { url: api.url, administrator, outbox: api.service.outbox },
      Number(new URL(demo.url).port),
    );
    expect(second.url).not.toBe(demo.url);
    expect((await fetch(second.url)).status).toBe(200);
    await second.close();
  });

  test("shows what went wrong where the application is missing", async () => {
    const answer = await fetch(`${demo.url}/sign-in`);
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("There is no application")]);
  });
});

describe.skipIf(chromiumPath === undefined)("in Chromium", () => {
  test("a person registers it, signs in, refreshes, signs on without a password, and signs out", async () => {
    const chromium = await openBrowser();
    const page = await chromium.newPage();
    await page.goto(demo.url);
    await page.getByRole("button", { name: "Register the applications" }).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("admin");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();

    const claims = async () => JSON.parse(await page.locator("#id-claims").innerText());
    const first = await claims();
    expect(first).toMatchObject({ email: "admin@local.example", nonce: expect.any(String) });
    expect(JSON.parse(await page.locator("#user-info").innerText())).toMatchObject({ sub: first.sub });

    const token = () => page.locator("#access-token").textContent();
    const before = await token();
    await page.getByRole("button", { name: "Refresh the tokens" }).click();
    await page.waitForLoadState();
    expect(await token()).not.toBe(before);

    await page.getByRole("link", { name: "Sign in again (single sign-on)" }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect((await claims()).nonce).not.toBe(first.nonce);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Password").waitFor();
    await chromium.close();
  });

  test("a person signs in by SAML in the session of the other application, and signs out of both", async () => {
    const chromium = await openBrowser();
    const page = await chromium.newPage();
    await fetch(`${demo.url}/register`, { method: "POST", redirect: "manual", headers: { origin: demo.url } });
    await page.goto(demo.url);
    await page.getByRole("link", { name: "Sign in by SAML" }).click();
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("admin");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "You are signed in by SAML" }).waitFor();
    expect(JSON.parse(await page.locator("#name").innerText())).toMatchObject({ nameID: "admin" });
    expect(await page.locator("#attributes").innerText()).toContain("admin@local.example");

    await page.goto(`${demo.url}/sign-in`);
    await page.getByRole("heading", { name: "You are signed in", exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    // The other logout has ended what SAML knew.
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();

    await page.getByRole("link", { name: "Sign in by SAML" }).click();
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("admin");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await page.getByRole("link", { name: "Sign in by SAML" }).click();
    await page.getByLabel("Password").waitFor();
    await chromium.close();
  });

  test("a person signs in with a code, and with a passkey, from the address localhost", {
    timeout: 90_000,
  }, async () => {
    const chromium = await openBrowser();
    const context = await chromium.newContext();
    const page = await context.newPage();
    await plugIn(page);
    const person = { userName: "robin", password: "maple-tree-42" };
    await api.ask("POST", "/scim2/Users", { body: person });
    await fetch(`${demo.url}/register`, { method: "POST", redirect: "manual", headers: { origin: demo.url } });
    const start = async (name: string) => {
      await page.goto(demo.url.replace("127.0.0.1", "localhost"));
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByLabel("User name").fill(person.userName);
      await page.getByLabel("Password").fill(person.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
    };
    await start("Sign in with a passkey");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("Your name, and what your profile says about you").waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(JSON.parse(await page.locator("#id-claims").innerText())).toMatchObject({ acr: "mfa" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await page.getByRole("link", { name: "Sign in with a passkey alone", exact: true }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(JSON.parse(await page.locator("#id-claims").innerText())).toMatchObject({ amr: ["pop", "user", "mfa"] });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await start("Sign in with a one-time code");
    await page.getByRole("heading", { name: /one-time code|passkey|code/i }).waitFor();
    await chromium.close();
  });
});
