/**
 * Every page of sign-in in a real browser without JavaScript: what axe-core finds, names and hints for password
 * managers, the keyboard, and phones. Skipped where there is no Chromium. Screenshots are in `.build/screenshots`.
 */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  axeViolations,
  CALLBACKS,
  chromiumPath,
  isTooWide,
  openBrowser,
  type StartedApplication,
  startApplication,
} from "#tests/support/chromium.ts";
import { TWO_STEPS } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { codeAt } from "#tools/examples/authenticator.ts";

const screenshots = ".build/screenshots/sign-in";
const SYSTEM = "urn:scim:wso2:schema";
const SECONDS = 1_000;

const api = world({
  deployment: ["[[sign_in.tenant]]", 'domain = "carbon.super"', 'name = "Example Cars"', 'colour = "#7a1f5c"'].join(
    "\n",
  ),
});
const { newApplication, requestOf } = signInOf(api);
let chromium: Browser;
let application: StartedApplication;
let redirect_uri: string;
let client: TestClient;
let count = 0;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  chromium = await openBrowser();
  application = await startApplication();
  redirect_uri = application.redirect_uri;
  client = await newApplication(
    { callbackURLs: CALLBACKS },
    { ...TWO_STEPS, advancedConfigurations: { skipLoginConsent: false } },
  );
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
  await api.ask("POST", "/scim2/Users", {
    body: { userName, password: PERSON.password, [SYSTEM]: { forcePasswordReset: true } },
  });
  return userName;
};

/** Visits every page on the way of a first sign-in, and calls `see` on each. */
const visitAll = async (page: Page, see: (name: string) => Promise<void>) => {
  const userName = await newPerson();
  const submit = (selector = "main form button[type=submit]") =>
    Promise.all([page.waitForLoadState("load"), page.locator(selector).first().click()]);
  const fill = (id: string, text: string) => page.locator(`#${id}`).fill(text);
  await page.goto(api.url + requestOf(client, { redirect_uri, scope: "openid profile email" }));
  await see("password");
  await fill("username", userName);
  await fill("password", "wrong-password");
  await submit();
  await see("password-wrong");
  await fill("password", PERSON.password);
  await submit();
  await see("setup");
  const secret = ((await page.locator("code").textContent()) ?? "").replaceAll(" ", "");
  await fill("code", "000000");
  await submit();
  await see("setup-wrong");
  await fill("code", codeAt(secret, Date.now() - 30_000));
  await submit();
  await see("recovery-codes");
  await submit();
  await see("new-password");
  await fill("password", "a-new-Password-2");
  await fill("repeated", "another-Password-3");
  await submit();
  await see("new-password-wrong");
  await fill("password", "a-new-Password-2");
  await fill("repeated", "a-new-Password-2");
  await submit();
  await see("consent");
  await submit();
  await page.waitForURL(`${redirect_uri}*`);
  await page.goto(api.url + requestOf(client, { redirect_uri, prompt: "login" }));
  await fill("username", userName);
  await fill("password", "a-new-Password-2");
  await submit();
  await see("code");
  await page.locator("summary").click();
  await see("recovery");
  await fill("code", "000000");
  await submit();
  await see("code-wrong");
  await fill("code", codeAt(secret));
  await submit();
  await page.waitForURL(`${redirect_uri}*`);
  await page.goto(api.url + requestOf(client, { redirect_uri, response_mode: "form_post" }));
  await see("form-post");
  await page.goto(`${api.url}/oidc/logout`);
  await see("sign-out");
  await submit();
  await see("signed-out");
  await page.goto(`${api.url}/oauth2/authorize?client_id=unknown`);
  await see("error");
};

/** axe-core is itself a script. Everything else is without. */
const contextOf = (
  { colorScheme, width, locale }: (typeof looks)[number],
  javaScriptEnabled = false,
): Promise<BrowserContext> =>
  chromium.newContext({ colorScheme, locale, javaScriptEnabled, viewport: { width, height: 800 } });

describe.skipIf(chromiumPath === undefined)("every page", () => {
  test.each(looks)("has nothing that axe-core objects to, and fits: $name", { timeout: 60 * SECONDS }, async (look) => {
    const context = await contextOf(look, true);
    const page = await context.newPage();
    const foreign: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(api.url) && !request.url().startsWith(redirect_uri)) foreign.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    const titles: string[] = [];
    await visitAll(page, async (name) => {
      expect(await axeViolations(page), name).toEqual([]);
      expect([name, await isTooWide(page)]).toEqual([name, false]);
      expect(await page.locator("html").getAttribute("lang")).toBe(look.locale);
      titles.push(await page.title());
      await page.screenshot({ path: join(screenshots, `${look.name}-${name}.png`), fullPage: true });
    });
    expect([foreign, problems]).toEqual([[], []]);
    expect(titles).toHaveLength(15);
    await context.close();
  });

  test("has fields that password managers know", { timeout: 60 * SECONDS }, async () => {
    const page = await (await contextOf(looks[0])).newPage();
    const seen: Record<string, readonly (string | null)[]> = {};
    await visitAll(page, async (name) => {
      const fields = await page.locator("input:not([type=hidden])").all();
      seen[name] = await Promise.all(fields.map((field) => field.getAttribute("autocomplete")));
    });
    expect(seen).toMatchObject({
      password: ["username", "current-password"],
      setup: ["one-time-code"],
      code: ["one-time-code", "off"],
      "new-password": ["username", "new-password", "new-password"],
    });
  });

  test("is used by keyboard alone", { timeout: 60 * SECONDS }, async () => {
    const userName = await newPerson();
    const page = await (await contextOf(looks[0])).newPage();
    const type = async (...texts: readonly string[]) => {
      for (const text of texts) {
        await page.keyboard.press("Tab");
        await page.keyboard.type(text);
      }
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    };
    await page.goto(api.url + requestOf(client, { redirect_uri }));
    await type(userName, PERSON.password);
    const secret = ((await page.locator("code").textContent()) ?? "").replaceAll(" ", "");
    // The link for an app on this device comes before the field.
    await page.keyboard.press("Tab");
    await type(codeAt(secret));
    expect(await page.locator("h1").textContent()).toBe("Save your recovery codes");
    await type("");
    await type("a-new-Password-2", "a-new-Password-2");
    expect(await page.locator("h1").textContent()).toContain("asks for access to");
    await type("");
    await page.waitForURL(`${redirect_uri}?code=*`);
  });
});
