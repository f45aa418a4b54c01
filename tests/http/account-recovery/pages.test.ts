/**
 * Every page that a link of a mail leads to, in a real browser, wide and narrow, in both languages: what axe-core
 * finds, whether it fits, without JavaScript, and by keyboard. Skipped where there is no Chromium. Screenshots are in
 * `.build/screenshots`.
 */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeViolations, chromiumPath, isTooWide, openBrowser } from "#tests/support/chromium.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { basic, world } from "#tests/support/world.ts";

const api = world({
  deployment: [
    "[email]",
    'sender = "no-reply@example.com"',
    'provider = "outbox"',
    "[registration]",
    "enabled = true",
    'terms_url = "https://www.example.com/terms"',
    "[[sign_in.tenant]]",
    'domain = "carbon.super"',
    'name = "Example Cars"',
    'colour = "#7a1f5c"',
  ].join("\n"),
});
const mails = mailsOf(api);
const PASSWORD = "a-good-Password-1";
const screenshots = ".build/screenshots/mails";
const SECONDS = 1_000;
const LONG = "a-person-with-a-rather-long-name-and-no-break-in-it-at-all";
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

/** Opens every page, and calls `see` on each. */
const visitAll = async (page: Page, see: (name: string) => Promise<void>) => {
  count += 1;
  const userName = `${LONG}-${count}`;
  const emails = [{ value: `kim-${count}@a-long-domain-of-a-company.example`, primary: true }];
  const more = { "urn:scim:wso2:schema": { askPassword: true } };
  const to = (path: string) => page.goto(`${api.url}${path}`);
  const fill = (id: string, text: string) => page.locator(`#${id}`).fill(text);
  const submit = () =>
    Promise.all([page.waitForLoadState("load"), page.locator("main form button[type=submit]").click()]);
  const linkOfMail = async () => {
    const link = (await mails.next()).find((mail) => mail.code !== "")?.link;
    return `${link?.pathname}${link?.search}`;
  };
  const choose = async (password: string) => {
    await fill("password", password);
    await fill("repeated", password);
  };

  await api.ask("POST", "/scim2/Users", { body: { userName, emails, ...more } });
  const invitation = await linkOfMail();
  await to(invitation);
  await see("first-password");
  await choose("password");
  await submit();
  await see("first-password-refused");
  await choose(PASSWORD);
  await submit();
  await see("ready");
  await to(invitation);
  await see("link-ended");

  await to("/oauth2/forgot-password");
  await see("forgot");
  await fill("username", userName);
  await submit();
  await see("asked");
  await to(await linkOfMail());
  await see("new-password");
  await choose("another-good-Password-2");
  await submit();
  await see("changed");

  const body = { Operations: [{ op: "replace", value: { emails: [{ value: `new-${emails[0]?.value}` }] } }] };
  const as = basic({ username: userName, password: "another-good-Password-2" });
  await api.ask("PATCH", "/scim2/Me", { body, as });
  const sent = await mails.next();
  const check = sent.find(({ link }) => link?.pathname === "/oauth2/verify-address")?.link;
  await to(`${check?.pathname}${check?.search}`);
  await see("confirm-address");
  await submit();
  await see("confirmed");

  await to("/oauth2/register");
  await see("register");
  await fill("address", `somebody-${count}@a-long-domain-of-a-company.example`);
  await submit();
  await see("asked-to-register");
  await to(await linkOfMail());
  await see("registration");
  await fill("username", userName);
  await choose(PASSWORD);
  await page.locator('input[name="terms"]').check();
  await submit();
  await see("registration-refused");
  await fill("username", `registered-${count}`);
  await choose(PASSWORD);
  await page.locator('input[name="terms"]').check();
  await submit();
  await see("registered");
};

describe.skipIf(chromiumPath === undefined)("every page of mails (skipped without Chromium)", () => {
  test.each(looks)("has nothing that axe-core objects to, and fits: $name", { timeout: 90 * SECONDS }, async (look) => {
    const { name, colorScheme, width, locale } = look;
    const context = await chromium.newContext({
      ...{ colorScheme, locale, viewport: { width, height: 800 } },
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const seen: string[] = [];
    try {
      await visitAll(page, async (of) => {
        seen.push(await page.title());
        await page.screenshot({ path: join(screenshots, `${name}-${of}.png`), fullPage: true });
        expect(await axeViolations(page), of).toEqual([]);
        expect(await isTooWide(page), of).toBe(false);
        expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        const hasPassword = (await page.locator("input[type=password]").count()) > 0;
        expect(await page.locator("script").count(), of).toBe(hasPassword ? 1 : 0);
      });
    } finally {
      await context.close();
    }
    expect(seen).toHaveLength(15);
    expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  test("works without JavaScript", { timeout: 60 * SECONDS }, async () => {
    const context = await chromium.newContext({ javaScriptEnabled: false });
    const seen: string[] = [];
    await visitAll(await context.newPage(), async (name) => void seen.push(name));
    await context.close();
    expect(seen.at(-1)).toBe("registered");
  });

  test("is used by keyboard alone", { timeout: 60 * SECONDS }, async () => {
    const context = await chromium.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    try {
      await page.goto(`${api.url}/oauth2/register`);
      await page.keyboard.press("Tab");
      await page.keyboard.type("keys@example.com");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Look at your mail" }).waitFor();
      const { link } = (await mails.next()).find(({ to }) => to === "keys@example.com") ?? {};
      await page.goto(`${api.url}${link?.pathname}${link?.search}`);
      await page.keyboard.press("Tab");
      await page.keyboard.press("ControlOrMeta+A");
      for (const text of ["by-keyboard", "Ada", "Lovelace", PASSWORD, PASSWORD]) {
        await page.keyboard.type(text);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Space");
      // The link to the terms, then the button.
      for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
      await page.getByRole("heading", { name: "Your account is ready" }).waitFor();
    } finally {
      await context.close();
    }
    const { body } = await api.ask("GET", "/scim2/Users?filter=userName+eq+by-keyboard");
    expect(body.Resources[0]).toMatchObject({ name: { givenName: "Ada", familyName: "Lovelace" } });
  });
});
