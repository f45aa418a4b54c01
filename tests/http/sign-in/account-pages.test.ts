/**
 * Every page of the own account in a real browser without JavaScript, wide and narrow, in both languages: what axe-core
 * finds, whether it fits, and the keyboard. Skipped where there is no Chromium. Screenshots are in `.build/screenshots`.
 */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeViolations, chromiumPath, isTooWide, openBrowser } from "#tests/support/chromium.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt } from "#tools/examples/authenticator.ts";

const api = world({
  deployment: [
    "[account]",
    "can_delete = true",
    "[[sign_in.tenant]]",
    'domain = "carbon.super"',
    'name = "Example Cars"',
    'colour = "#7a1f5c"',
  ].join("\n"),
});
const { newApplication, requestOf } = signInOf(api);
const PASSWORD = "a-good-Password-1";
const NEW = "a-new-Password-2";
const screenshots = ".build/screenshots/account";
const SECONDS = 1_000;
let chromium: Browser;
let count = 0;

beforeAll(async () => {
  if (chromiumPath !== undefined) chromium = await openBrowser();
}, 30 * SECONDS);
afterAll(() => chromium?.close());

const looks = [
  { name: "light", locale: "en", colorScheme: "light", width: 1_280 },
  { name: "phone-german", locale: "de", colorScheme: "dark", width: 360 },
] as const;

const newPerson = async () => {
  count += 1;
  const userName = `a-person-with-a-rather-long-name-${count}`;
  const emails = [{ value: `${userName}@a-long-domain-of-a-company.example`, type: "work", primary: true }];
  const name = { givenName: "Kim", familyName: "Berry" };
  await api.ask("POST", "/scim2/Users", { body: { userName, password: PASSWORD, name, emails } });
  return userName;
};

const contextOf = ({ colorScheme, width, locale }: (typeof looks)[number], javaScriptEnabled = false) =>
  chromium.newContext({ colorScheme, locale, javaScriptEnabled, viewport: { width, height: 800 } });

/** Visits every page of the account, and calls `see` on each. */
const visitAll = async (page: Page, see: (name: string) => Promise<void>) => {
  const userName = await newPerson();
  const client = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
  const to = (path: string) => page.goto(`${api.url}${path}`);
  const submit = (selector = "main form button[type=submit]") =>
    Promise.all([page.waitForLoadState("load"), page.locator(selector).first().click()]);
  const fill = (id: string, text: string) => page.locator(`#${id}`).fill(text);
  const enter = async (password: string) => {
    await fill("username", userName);
    await fill("password", password);
    await submit();
  };
  await to("/account");
  await see("sign-in");
  await enter(PASSWORD);
  await see("account");
  await to(requestOf(client, { scope: "openid profile", response_mode: "form_post" }));
  await see("consent");
  await submit();
  await to("/account");
  await see("account-with-consent");
  await to("/account/profile");
  await see("profile");
  await fill("email-2", "nowhere");
  await submit();
  await see("profile-wrong");
  await fill("email-2", "kim@home.example");
  await submit();
  await see("profile-saved");
  await to("/account/sign-in?task=app");
  await enter(PASSWORD);
  await see("app");
  const secret = ((await page.locator("code").textContent()) ?? "").replaceAll(" ", "");
  await fill("code", codeAt(secret, Date.now() - 30_000));
  await submit();
  await submit();
  await see("account-with-codes");
  await to("/account/sign-in?task=password");
  await enter(PASSWORD);
  await fill("code", codeAt(secret));
  await submit();
  await see("password");
  await fill("password", NEW);
  await fill("repeated", NEW);
  await submit();
  await see("password-changed");
  await to("/account/deletion");
  await see("deletion");
  await page.locator("#sure").check();
  await submit();
  await see("deleted");
  expect(
    (await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent(`userName eq ${userName}`)}`)).body.totalResults,
  ).toBe(0);
};

/** Only pages with a password or a passkey run a script. */
const PASSWORDS = new Set(["sign-in", "password"]);

describe.skipIf(chromiumPath === undefined)("every page of the account", () => {
  test.each(looks)(
    "has nothing that axe-core objects to, and fits: $name",
    { timeout: 120 * SECONDS },
    async (look) => {
      const context = await contextOf(look, true);
      const page = await context.newPage();
      const foreign: string[] = [];
      const problems: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(api.url) && !request.url().startsWith("https://cars.example.com")) {
          foreign.push(request.url());
        }
      });
      page.on("console", (message) => {
        if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
      });
      const seen: string[] = [];
      await visitAll(page, async (name) => {
        expect(await axeViolations(page), name).toEqual([]);
        expect([name, await isTooWide(page)]).toEqual([name, false]);
        expect(await page.locator("html").getAttribute("lang")).toBe(look.locale);
        expect(await page.locator("script").count(), name).toBe(PASSWORDS.has(name) ? 1 : 0);
        seen.push(name);
        await page.screenshot({ path: join(screenshots, `${look.name}-${name}.png`), fullPage: true });
      });
      expect([foreign, problems]).toEqual([[], []]);
      expect(seen).toHaveLength(13);
      await context.close();
    },
  );

  test("works without JavaScript", { timeout: 60 * SECONDS }, async () => {
    const context = await contextOf(looks[1]);
    const seen: string[] = [];
    await visitAll(await context.newPage(), async (name) => void seen.push(name));
    expect(seen).toContain("deleted");
    await context.close();
  });

  test("is used by keyboard alone", { timeout: 60 * SECONDS }, async () => {
    const userName = await newPerson();
    const context = await contextOf(looks[0]);
    const page = await context.newPage();
    const focused = async () =>
      (await page.locator(":focus").evaluateAll((all) => all.map((one) => one.textContent?.trim())))[0];
    /** Presses Tab until the link or button with that text has the focus, then Enter. */
    const reach = async (text: string) => {
      for (let at = 0; at < 40; at += 1) {
        await page.keyboard.press("Tab");
        if ((await focused()) === text) return Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
      }
      throw new Error(`the keyboard does not reach ${text}`);
    };
    await page.goto(`${api.url}/account`);
    await page.keyboard.press("Tab");
    await page.keyboard.type(userName);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    await reach("Change your profile");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Kimberly");
    await reach("Save");
    expect(await page.locator("dd", { hasText: "Kimberly" }).count()).toBe(1);
    await reach("Delete your account");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await reach("Delete the account");
    expect(await page.locator("h1").textContent()).toBe("Your account is deleted");
    await context.close();
  });
});
