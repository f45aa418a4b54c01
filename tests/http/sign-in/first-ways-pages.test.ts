/**
 * Sign-in without a password in a real browser (decision 0184): by a passkey, by a code and by a link of a mail; and the
 * button that shows a password. Skipped where there is no Chromium. Screenshots are in `.build/screenshots`.
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
import { sequenceOf } from "#tests/support/codes.ts";
import { mailsOf } from "#tests/support/mails.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { PASSKEY_STEP } from "#tests/support/passkeys.ts";
import { claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { siteAt } from "#tools/examples/authenticator.ts";

const screenshots = ".build/screenshots/first-ways";
const SECONDS = 1_000;
const api = world();
const { newApplication, requestOf, redeem } = signInOf(api);
const mails = mailsOf(api);
let chromium: Browser;
let application: StartedApplication;
let redirect_uri: string;
let setup: TestClient;
let byPasskey: TestClient;
let byAll: TestClient;
let count = 0;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  chromium = await openBrowser();
  application = await startApplication();
  redirect_uri = application.redirect_uri;
  const oidc = { callbackURLs: CALLBACKS };
  setup = await newApplication(oidc, PASSKEY_STEP);
  byPasskey = await newApplication(oidc, sequenceOf(["FIDOAuthenticator"]));
  byAll = await newApplication(
    oidc,
    sequenceOf(["BasicAuthenticator", "FIDOAuthenticator", "email-otp-authenticator", "MagicLinkAuthenticator"]),
  );
}, 30 * SECONDS);
afterAll(async () => {
  await chromium?.close();
  application?.close();
});

const looks = [
  { name: "light", locale: "en", colorScheme: "light", width: 1_280 },
  { name: "phone-german", locale: "de", colorScheme: "dark", width: 360 },
] as const;

const openPage = async (
  { locale, colorScheme, width }: (typeof looks)[number] = looks[0],
  javaScriptEnabled = true,
): Promise<Page> => {
  const viewport = { width, height: 800 };
  return (await chromium.newContext({ locale, colorScheme, javaScriptEnabled, viewport })).newPage();
};
const newPerson = async () => {
  count += 1;
  const userName = `a-person-with-a-rather-long-name-${count}`;
  const emails = [{ value: `${userName}@example.com`, primary: true }];
  await api.ask("POST", "/scim2/Users", { body: { userName, password: PERSON.password, emails } });
  return userName;
};
const to = (page: Page, client: TestClient, fields = {}) =>
  page.goto(siteAt(api.url) + requestOf(client, { redirect_uri, ...fields }));
const submit = (page: Page, selector = "main form button[type=submit]") =>
  Promise.all([page.waitForNavigation(), page.locator(selector).first().click()]);
const arrived = async (page: Page, client: TestClient) => {
  await page.waitForURL(`${redirect_uri}?code=*`);
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  return claimsIn((await redeem(client, code, { redirect_uri })).body.id_token);
};
/** The mail of a sign-in, among notices. */
const mailOf = async (userName: string) =>
  (await mails.next()).find(({ to: address, subject }) => {
    return address.startsWith(`${userName}@`) && /^(Your code|Ihr Code|Sign in to|Bei )/.test(subject);
  });

/** Gives a page an authenticator that has a passkey of a new person. */
const withPasskey = async (page: Page) => {
  await plugIn(page);
  const userName = await newPerson();
  await to(page, setup);
  await page.locator("#username").fill(userName);
  await page.locator("#password").fill(PERSON.password);
  await submit(page);
  await page.getByRole("button", { name: "Create a passkey", exact: true }).click();
  await arrived(page, setup);
  return userName;
};

describe.skipIf(chromiumPath === undefined)("sign-in without a password", () => {
  test("a passkey is used by a button, by mouse and by keyboard", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    await withPasskey(page);
    await to(page, byPasskey, { prompt: "login" });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    expect(await arrived(page, byPasskey)).toMatchObject({ acr: "mfa", amr: ["pop", "user", "mfa"] });
    await to(page, byPasskey, { prompt: "login" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect((await arrived(page, byPasskey)).acr).toBe("mfa");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("a passkey is offered in the field of the user name", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    await withPasskey(page);
    // The authenticator of the test takes the offer at once.
    await to(page, byAll, { prompt: "login" });
    expect((await arrived(page, byAll)).amr).toEqual(["pop", "user", "mfa"]);
    await page.context().close();
  });

  test.each(looks)("pages have nothing that axe-core objects to: $name", { timeout: 60 * SECONDS }, async (look) => {
    const page = await openPage(look);
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    const seen: string[] = [];
    const see = async (name: string) => {
      expect(await axeViolations(page), name).toEqual([]);
      expect([name, await isTooWide(page)]).toEqual([name, false]);
      expect(await page.locator("html").getAttribute("lang")).toBe(look.locale);
      seen.push(name);
      await page.screenshot({ path: join(screenshots, `${look.name}-${name}.png`), fullPage: true });
    };
    const userName = await newPerson();
    await to(page, byAll);
    await see("sign-in");
    await submit(page, "button[value=mail-code]");
    await see("name-missing");
    await page.locator("#username").fill(userName);
    await submit(page, "button[value=mail-code]");
    await see("code");
    await page.locator("#code").fill("00000000");
    await submit(page);
    await see("code-wrong");
    await to(page, byAll);
    await page.locator("#username").fill(userName);
    await submit(page, "button[value=mail-link]");
    await see("link");
    const link = (await mailOfLink(userName))?.link;
    await page.goto(`${siteAt(api.url)}${link?.pathname}${link?.search}`);
    await see("link-opened");
    const other = await openPage(look);
    await other.goto(`${siteAt(api.url)}${link?.pathname}${link?.search}`);
    expect(await axeViolations(other)).toEqual([]);
    await submit(page);
    await page.waitForURL(`${redirect_uri}?code=*`);
    await page.goto(`${siteAt(api.url)}${link?.pathname}${link?.search}`);
    await see("link-spent");
    expect([seen.length, problems]).toEqual([7, []]);
    await other.context().close();
    await page.context().close();
  });

  test("a code of a mail needs no JavaScript, and the keyboard alone", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage(looks[0], false);
    const byCode = await newApplication({ callbackURLs: CALLBACKS }, sequenceOf(["email-otp-authenticator"]));
    const userName = await newPerson();
    const type = async (text: string) => {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    };
    await to(page, byCode);
    await type(userName);
    const mail = await mailOf(userName);
    await type(/\d{4} \d{4}/.exec(mail?.text ?? "")?.[0] ?? "");
    expect((await arrived(page, byCode)).amr).toEqual(["otp"]);
    await page.context().close();
  });

  test("a link of a mail needs no JavaScript", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage(looks[0], false);
    const userName = await newPerson();
    await to(page, byAll);
    await page.locator("#username").fill(userName);
    await submit(page, "button[value=mail-link]");
    const link = (await mailOfLink(userName))?.link;
    await page.goto(`${siteAt(api.url)}${link?.pathname}${link?.search}`);
    await submit(page);
    expect((await arrived(page, byAll)).amr).toEqual(["otp"]);
    await page.context().close();
  });

  test("a button shows the password, and Enter still signs in", { timeout: 60 * SECONDS }, async () => {
    const page = await openPage();
    const userName = await newPerson();
    await to(page, byAll);
    await page.locator("#username").fill(userName);
    await page.locator("#password").fill(PERSON.password);
    const type = () => page.locator("#password").getAttribute("type");
    await page.getByRole("button", { name: "Show password" }).click();
    expect(await type()).toBe("text");
    await page.getByRole("button", { name: "Hide password" }).click();
    expect(await type()).toBe("password");
    await page.getByRole("button", { name: "Show password" }).click();
    await page.locator("#password").press("Enter");
    expect((await arrived(page, byAll)).amr).toEqual(["pwd"]);
    await page.context().close();
  });
});

const mailOfLink = async (userName: string) => {
  for (const mail of await mails.next()) {
    if (mail.to.startsWith(`${userName}@`) && mail.code.startsWith("sl_")) return mail;
  }
  return undefined;
};
