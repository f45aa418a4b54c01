/**
 * Passkeys in a real browser, with an authenticator that Chromium simulates: creating, using and adding them, what the
 * pages say when that fails, what axe-core finds, and the keyboard. Skipped where there is no Chromium. Screenshots are
 * in `.build/screenshots`.
 */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  axeViolations,
  CALLBACKS,
  chromiumPath,
  isTooWide,
  openBrowser,
  plugIn,
  type StartedApplication,
  startApplication,
} from "#tests/support/chromium.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { EITHER_STEP, PASSKEY_STEP } from "#tests/support/passkeys.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { siteAt } from "#tools/examples/authenticator.ts";

const screenshots = ".build/screenshots/passkeys";
const SECONDS = 1_000;

const api = world({
  deployment: ["[[sign_in.tenant]]", 'domain = "carbon.super"', 'name = "Example Cars"', 'colour = "#7a1f5c"'].join(
    "\n",
  ),
});
const { newApplication, requestOf, redeem } = signInOf(api);
let chromium: Browser;
let application: StartedApplication;
let redirect_uri: string;
let strict: TestClient;
let either: TestClient;
let count = 0;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  chromium = await openBrowser();
  application = await startApplication();
  redirect_uri = application.redirect_uri;
  const callback = { callbackURLs: CALLBACKS };
  strict = await newApplication(callback, PASSKEY_STEP);
  either = await newApplication(callback, EITHER_STEP);
}, 30 * SECONDS);
afterAll(async () => {
  await chromium?.close();
  application?.close();
});

const looks = [
  { name: "light", locale: "en", colorScheme: "light", width: 1_280 },
  { name: "dark", locale: "en", colorScheme: "dark", width: 1_280 },
  { name: "phone-german", locale: "de", colorScheme: "light", width: 360 },
] as const;

const newPerson = async () => {
  count += 1;
  const userName = `person-${count}`;
  await api.ask("POST", "/scim2/Users", { body: { userName, password: PERSON.password } });
  return userName;
};

const openPage = async (
  { locale, colorScheme, width }: (typeof looks)[number] = looks[0],
  javaScriptEnabled = true,
): Promise<Page> => {
  const context = await chromium.newContext({
    ...{ locale, colorScheme, javaScriptEnabled },
    viewport: { width, height: 800 },
  });
  return context.newPage();
};

const visit = async (page: Page, userName: string, client = strict, fields = {}) => {
  await page.goto(siteAt(api.url) + requestOf(client, { redirect_uri, ...fields }));
  await page.locator("#username").fill(userName);
  await page.locator("#password").fill(PERSON.password);
  await Promise.all([page.waitForNavigation(), page.locator("main form button[type=submit]").first().click()]);
};
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const arrived = async (page: Page, client = strict) => {
  await page.waitForURL(`${redirect_uri}?code=*`);
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  return claimsIn((await redeem(client, code, { redirect_uri })).body.id_token);
};
const heading = (page: Page) => page.locator("h1").textContent();

describe.skipIf(chromiumPath === undefined)("a passkey", () => {
  test.each(["internal", "usb"] as const)("is created and used: %s", { timeout: 60 * SECONDS }, async (transport) => {
    const page = await openPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    const { session, authenticatorId } = await plugIn(page, { transport });
    const userName = await newPerson();
    await visit(page, userName);
    expect(await heading(page)).toBe("Create a passkey");
    await press(page, "Create a passkey");
    expect(await arrived(page)).toMatchObject({ acr: "mfa", amr: ["pwd", "pop", "user", "mfa"] });
    const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toHaveLength(1);
    expect(credentials[0]).toMatchObject({ rpId: "localhost", isResidentCredential: true });
    // Nothing that the authenticator keeps says who it is, but for the name that it shows.
    expect(Buffer.from(credentials[0]?.userHandle ?? "", "base64").toString("utf8")).not.toContain(userName);
    for (let at = 0; at < 2; at += 1) {
      await visit(page, userName, strict, { prompt: "login" });
      expect(await heading(page)).toBe("Use your passkey");
      await press(page, "Use a passkey");
      expect(await arrived(page)).toMatchObject({ acr: "mfa", amr: ["pwd", "pop", "user", "mfa"] });
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("of another device is added; one that is there is not created again", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    const first = await plugIn(page);
    const userName = await newPerson();
    await visit(page, userName);
    await press(page, "Create a passkey");
    await arrived(page);
    await visit(page, userName, strict, { prompt: "login" });
    await Promise.all([page.waitForNavigation(), press(page, "Use a passkey and add another one")]);
    expect(await heading(page)).toBe("Create a passkey");
    await press(page, "Create a passkey");
    const alert = page.locator("[data-passkey-problem]");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("This device has a passkey for your account already.");
    expect(await axeViolations(page)).toEqual([]);
    await first.session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: first.authenticatorId });
    const second = await plugIn(page, { transport: "usb" });
    await press(page, "Create a passkey");
    await arrived(page);
    const { credentials } = await second.session.send("WebAuthn.getCredentials", {
      authenticatorId: second.authenticatorId,
    });
    expect(credentials).toHaveLength(1);
    await visit(page, userName, strict, { prompt: "login" });
    await press(page, "Use a passkey");
    expect((await arrived(page)).acr).toBe("mfa");
    await page.context().close();
  });

  test("that is not there, or a browser without passkeys, is said on the page", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    const { session, authenticatorId } = await plugIn(page);
    const userName = await newPerson();
    await visit(page, userName);
    await press(page, "Create a passkey");
    await arrived(page);
    await session.send("WebAuthn.clearCredentials", { authenticatorId });
    await visit(page, userName, strict, { prompt: "login" });
    await press(page, "Use a passkey");
    const alert = page.locator("[data-passkey-problem]");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("No passkey was used.");
    await page.evaluate("delete window.PublicKeyCredential");
    await press(page, "Use a passkey");
    await page.getByText("This browser has no passkeys.").waitFor();
    // A service without a name has no passkeys: the address of the test.
    await page.goto(api.url + requestOf(strict, { redirect_uri }));
    await page.locator("#username").fill(userName);
    await page.locator("#password").fill(PERSON.password);
    await Promise.all([page.waitForNavigation(), page.locator("main form button[type=submit]").first().click()]);
    await press(page, "Use a passkey");
    await page.getByText("Passkeys do not work at this address.").waitFor();
    await page.context().close();
  });

  test("needs JavaScript, and the page says so; a code does not", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage(looks[0], false);
    await visit(page, await newPerson(), either);
    await Promise.all([page.waitForNavigation(), press(page, "Use a passkey instead")]);
    expect(await page.locator("noscript p").textContent()).toContain("Passkeys need JavaScript.");
    expect(await page.locator("noscript p").isVisible()).toBe(true);
    await Promise.all([page.waitForNavigation(), press(page, "Create a passkey")]);
    expect(await page.locator("#problem").textContent()).toContain("Allow JavaScript for this page");
    await Promise.all([page.waitForNavigation(), press(page, "Use an authenticator app instead")]);
    expect(await heading(page)).toBe("Set up one-time codes");
    await page.context().close();
  });

  test("is created and used by keyboard alone", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    await plugIn(page);
    const userName = await newPerson();
    for (const fields of [{}, { prompt: "login" }]) {
      await visit(page, userName, strict, fields);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect((await arrived(page)).acr).toBe("mfa");
    }
    await page.context().close();
  });

  test.each(looks)("has pages that axe-core does not object to: $name", { timeout: 60 * SECONDS }, async (look) => {
    const page = await openPage(look);
    await plugIn(page);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (![siteAt(api.url), redirect_uri].some((known) => request.url().startsWith(known)))
        foreign.push(request.url());
    });
    const seen: string[] = [];
    const see = async (name: string) => {
      expect(await axeViolations(page), name).toEqual([]);
      expect([name, await isTooWide(page)]).toEqual([name, false]);
      expect(await page.locator("html").getAttribute("lang")).toBe(look.locale);
      seen.push((await heading(page)) ?? "");
      await page.screenshot({ path: join(screenshots, `${look.name}-${name}.png`), fullPage: true });
    };
    const first = () => page.locator("form[data-passkey] button").first().click();
    const userName = await newPerson();
    await visit(page, userName, either);
    await see("codes");
    await Promise.all([page.waitForNavigation(), page.locator("button[value=passkey]").click()]);
    await see("create");
    // Sent without a passkey, as where the script was not loaded.
    await Promise.all([
      page.waitForNavigation(),
      page.evaluate('document.querySelector("form[data-passkey]").submit()'),
    ]);
    await see("create-missing");
    await first();
    await page.waitForURL(`${redirect_uri}?code=*`);
    await visit(page, userName, either, { prompt: "login" });
    await see("use");
    await Promise.all([
      page.waitForNavigation(),
      page.evaluate('document.querySelector("form[data-passkey]").submit()'),
    ]);
    await see("use-missing");
    await Promise.all([page.waitForNavigation(), page.locator("button[value=add]").click()]);
    await see("create-another");
    await Promise.all([page.waitForURL(`${redirect_uri}?code=*`), page.locator("button[value=skip]").click()]);
    expect([seen.length, foreign]).toEqual([6, []]);
    await page.context().close();
  });
});
