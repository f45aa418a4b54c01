/**
 * The page in a real browser: Chromium of the machine, without a window. Skipped where there is none. Screenshots are
 * in `.build/screenshots`.
 */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  axeViolations,
  chromiumPath,
  isTooWide,
  openBrowser,
  referenceShown,
  showOperation,
  tryIt,
  useCredential,
} from "#tests/support/chromium.ts";
import { world } from "#tests/support/world.ts";

const screenshots = ".build/screenshots";
const SECONDS = 1_000;

const api = world();
let browser: Browser;
const found = { foreign: [] as string[], problems: [] as string[] };

beforeAll(async () => {
  if (chromiumPath) browser = await openBrowser();
}, 30 * SECONDS);
afterAll(async () => browser?.close());

const newToken = async () => {
  const name = `Reader ${Math.random()}`;
  const made = await api.ask("POST", "/api/server/v1/applications", {
    body: { name, inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } } },
  });
  const id = made.headers.get("location")?.split("/").at(-1);
  const { body: client } = await api.ask("GET", `/api/server/v1/applications/${id}/inbound-protocols/oidc`);
  const answer = await fetch(`${api.url}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  return { token: ((await answer.json()) as { access_token: string }).access_token };
};

const looks = [
  { name: "light", colorScheme: "light", width: 1_280 },
  { name: "dark", colorScheme: "dark", width: 1_280 },
  { name: "phone", colorScheme: "light", width: 390 },
] as const;

const contextOf = ({ colorScheme, width }: (typeof looks)[number]): Promise<BrowserContext> =>
  browser.newContext({ colorScheme, viewport: { width, height: 900 } });

/** Opens a path, and notes requests to other origins and errors of the page. */
const open = async (context: BrowserContext, path: string): Promise<Page> => {
  const page = await context.newPage();
  page.setDefaultTimeout(20 * SECONDS);
  page.on("request", (request) => {
    if (!request.url().startsWith(`${api.url}/`) && !/^(?:data|blob):/.test(request.url()))
      found.foreign.push(request.url());
  });
  page.on("pageerror", (error) => found.problems.push(`${path}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") found.problems.push(`${path}: ${message.text()}`);
  });
  await page.goto(`${api.url}${path}`);
  if (path.startsWith("/reference")) await referenceShown(page);
  return page;
};

describe.skipIf(!chromiumPath)("the page in Chromium (skipped where none is installed)", () => {
  test.each(looks)("has nothing that axe-core objects to: $name", { timeout: 60 * SECONDS }, async (look) => {
    const context = await contextOf(look);
    for (const path of ["/", "/docs", "/docs/guides/first-application", "/docs/operations-table", "/reference"]) {
      const page = await open(context, path);
      expect(await axeViolations(page), path).toEqual([]);
      expect(await isTooWide(page), path).toBe(false);
      await page.screenshot({ path: join(screenshots, `${look.name}${path.replaceAll("/", "-")}.png`) });
      if (path !== "/reference") continue;
      await showOperation(page, "post-/api/server/v1/applications");
      expect(await axeViolations(page), "an operation").toEqual([]);
      expect(await page.locator("#explorer [placeholder*='[object']").count()).toBe(0);
      await page.screenshot({ path: join(screenshots, `${look.name}-operation.png`) });
    }
    await context.close();
  });

  test("says that the service is healthy", async () => {
    const page = await open(await contextOf(looks[0]), "/");
    await page.locator("#state.good").waitFor();
    expect(await page.textContent("#state")).toMatch(/^Healthy: the service answered in \d+ ms\.$/);
    expect(await page.textContent("#request")).toContain(api.url);
  });

  test("creates an application by `try it`, which the API then lists", { timeout: 60 * SECONDS }, async () => {
    const page = await open(await contextOf(looks[0]), "/reference");
    await useCredential(page, "admin", "admin");
    expect(await page.textContent("#applied")).toBe("Requests are sent as admin.");
    await showOperation(page, "post-/api/server/v1/applications");
    expect(await tryIt(page, '{"name": "Made in a browser"}')).toBe(201);
    const listed = await api.ask("GET", "/api/server/v1/applications?filter=name+eq+%22Made+in+a+browser%22");
    expect(listed.body.applications).toHaveLength(1);
  });

  test("sends requests with a token of client credentials, and to the chosen tenant", {
    timeout: 60 * SECONDS,
  }, async () => {
    const made = await api.ask("POST", "/api/server/v1/applications", {
      body: { name: "Reader", inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } } },
    });
    const id = made.headers.get("location")?.split("/").at(-1);
    const { body: client } = await api.ask("GET", `/api/server/v1/applications/${id}/inbound-protocols/oidc`);
    const page = await open(await contextOf(looks[0]), "/reference");
    await page.selectOption("select[name=kind]", "client");
    await page.fill("input[name=client]", client.clientId);
    await page.fill("input[name=secret]", "wrong");
    await page.click("#credential button");
    await page.locator("#applied.bad").waitFor();
    await page.fill("input[name=secret]", client.clientSecret);
    await page.fill("input[name=tenant]", "carbon.super");
    await page.click("#credential button");
    await page.locator("#applied.good").waitFor();
    await showOperation(page, "get-/scim2/ServiceProviderConfig");
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().includes("ServiceProviderConfig")),
      page.locator("#explorer .btn-execute").click(),
    ]);
    expect(new URL(request.url()).pathname).toBe("/t/carbon.super/scim2/ServiceProviderConfig");
    expect(request.headers().authorization).toMatch(/^Bearer \S+$/);
  });

  test("sends requests with an access token, and finds operations by a word", { timeout: 60 * SECONDS }, async () => {
    const page = await open(await contextOf(looks[0]), "/reference");
    await page.selectOption("select[name=kind]", "bearer");
    await page.fill("input[name=token]", "a-token-of-somebody");
    await page.click("#credential button");
    await page.locator("#applied.bad").waitFor();
    expect(await page.textContent("#applied")).toMatch(/does not accept this credential: .{10}/);
    const { token } = await newToken();
    await page.fill("input[name=token]", token);
    await page.click("#credential button");
    await page.locator("#applied.good", { hasText: "Requests are sent with this access token" }).waitFor();
    await showOperation(page, "get-/scim2/Users");
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().includes("/scim2/Users")),
      page.locator("#explorer .btn-execute").click(),
    ]);
    expect(request.headers().authorization).toBe(`Bearer ${token}`);
    expect((await request.response())?.status()).toBe(403);
    await page.locator("#explorer nav input").fill("introspect");
    await page.locator("#explorer .nav-bar-path", { hasText: "Delete an application" }).waitFor({ state: "hidden" });
    await page.locator("#explorer .nav-bar-path:visible", { hasText: "token" }).first().waitFor();
  });

  test("tells a wrong password at once, and sends no request with it", { timeout: 60 * SECONDS }, async () => {
    const page = await open(await contextOf(looks[0]), "/reference");
    await useCredential(page, "admin", "wrong");
    await page.locator("#applied.bad").waitFor();
    expect(await page.textContent("#applied")).toMatch(/does not accept this credential: .{10}/);
    await showOperation(page, "get-/scim2/Users");
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().includes("/scim2/Users")),
      page.locator("#explorer .btn-execute").click(),
    ]);
    expect(request.headers().authorization).toBeUndefined();
    found.problems.splice(0);
  });

  test.each(looks)(
    "has buttons that are legible under the pointer and with the keyboard: $name",
    {
      timeout: 60 * SECONDS,
    },
    async (look) => {
      const page = await open(await contextOf(look), "/reference");
      await showOperation(page, "get-/scim2/Users");
      const button = page.locator("#explorer .btn-execute");
      const colours = () =>
        button.evaluate((element) => {
          const { color, backgroundColor } = element.ownerDocument.defaultView.getComputedStyle(element);
          return [String(color), String(backgroundColor)];
        });
      const usual = await colours();
      expect(usual[0]).toMatch(/^rgb/);
      expect(usual[0]).not.toBe(usual[1]);
      await button.hover();
      await page.waitForTimeout(300);
      expect(await colours()).toEqual(usual);
      await page.mouse.move(0, 0);
      await button.focus();
      await page.waitForTimeout(300);
      expect(await colours()).toEqual(usual);
    },
  );

  test("shows the picture whole, and leads to sign-in; the demo shows where there is one", async () => {
    const page = await open(await contextOf(looks[0]), "/");
    const picture = await page.locator(".scroll img").boundingBox();
    const frame = await page.locator(".scroll").boundingBox();
    expect((picture?.x ?? 0) + (picture?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0) + 1);
    expect(await page.getByRole("link", { name: "Sign people in" }).getAttribute("href")).toBe("/docs/sign-in");
    const demo = page.locator("#demo");
    await page.locator("#state.good").waitFor();
    expect(await demo.isVisible()).toBe(false);
    await page.route("**/demo", (route) =>
      route.fulfill({ status: 303, headers: { location: "http://127.0.0.1:1/" } }),
    );
    await page.reload();
    await demo.waitFor({ state: "visible" });
    // A missing demo is a 404, which the browser notes.
    found.problems.splice(0);
  });

  test("shows markup in answers as text", { timeout: 60 * SECONDS }, async () => {
    const name = "<img src=/assets/none onerror=document.title='run'><b id=marked>bold</b>";
    await api.create({ name: "Plain", description: name });
    const page = await open(await contextOf(looks[0]), "/reference");
    await useCredential(page, "admin", "admin");
    await showOperation(page, "get-/api/server/v1/applications");
    await page.locator("#explorer .btn-execute").click();
    await page.locator("#explorer main", { hasText: "onerror=document" }).waitFor();
    expect(await page.locator("#explorer #marked").count()).toBe(0);
    expect(await page.title()).not.toBe("run");
  });

  test.each([
    ["/docs", "#content"],
    ["/reference", "#explorer"],
  ])("is usable by the keyboard: the first stop of %s skips to the content", async (path, content) => {
    const page = await open(await contextOf(looks[0]), path);
    // The component takes the focus at some time after it has loaded.
    await page.waitForTimeout(1_500);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe(content);
  });

  test("shows where the keyboard is in the list of operations, and opens one by Enter", {
    timeout: 60 * SECONDS,
  }, async () => {
    const page = await open(await contextOf(looks[0]), "/reference");
    await page.keyboard.press("Tab");
    await page.locator("#explorer .nav-bar-tag", { hasText: "Tokens" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const inside = "document.activeElement.shadowRoot.activeElement";
    expect(await page.evaluate(`getComputedStyle(${inside}).outlineStyle`)).toBe("solid");
    const name = String(await page.evaluate(`${inside}.textContent.trim()`));
    await page.keyboard.press("Enter");
    await page.locator("#explorer main h2, #explorer main .title", { hasText: name }).first().waitFor();
  });

  test("leads to every operation on a phone by a list", { timeout: 30 * SECONDS }, async () => {
    const page = await open(await contextOf(looks[2]), "/reference");
    const count = await page.locator("#operation option").count();
    expect(count).toBeGreaterThan(200);
    await page.selectOption("#operation", "get-/scim2/Users");
    await page.locator("#explorer main", { hasText: "/scim2/Users" }).waitFor();
    await page.locator("#explorer .btn-execute").waitFor();
  });

  test("asked no other origin for anything, and no page had an error", () => {
    expect(found.foreign).toEqual([]);
    // The refused token request above is one.
    expect(found.problems.filter((problem) => !problem.includes("status of 401"))).toEqual([]);
  });
});
