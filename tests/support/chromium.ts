/** Chromium of this machine, without a window: for tests of pages. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { project } from "./patient.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program, or `undefined` where there is none. `CHROMIUM` names another one. */
export const chromiumPath = process.env.CHROMIUM ?? places.find((path) => existsSync(path));

/** Starts it. Throws where there is none. */
export const openBrowser = (): Promise<Browser> =>
  // Its sandbox needs rights that containers do not have; it opens pages of this project alone.
  chromium.launch({ executablePath: chromiumPath ?? "chromium", args: ["--no-sandbox"] });

/** The callbacks of the application of `startApplication`: a service matches loopback addresses with any port. */
export const CALLBACKS = ["http://127.0.0.1/back"];

/** Starts an application to which browsers come back. */
export const startApplication = async () => {
  const server = createServer((_, response) => response.end("arrived"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`,
    close: () => server.close(),
  };
};
export type StartedApplication = Awaited<ReturnType<typeof startApplication>>;

/** Gives a page an authenticator. Returns the session of the debugger that has it, and its id. */
export const plugIn = async (page: Page, more: object = {}) => {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
      ...more,
    },
  });
  return { session, authenticatorId };
};

/** Waits until the reference of the API shows the document. */
export const referenceShown = (page: Page): Promise<void> =>
  page.locator("#operation optgroup").first().waitFor({ state: "attached" });

/** Enters the name and the password of a user in the reference. */
export const useCredential = async (page: Page, username: string, password: string): Promise<void> => {
  await page.fill("input[name=user]", username);
  await page.fill("input[name=password]", password);
  await page.click("#credential button");
  // The page asks the service whether it accepts the credential.
  await page.locator("#applied", { hasNotText: "Checking the credential" }).waitFor();
};

/** Shows an operation in the reference. */
export const showOperation = async (page: Page, id: string): Promise<void> => {
  await page.evaluate(`document.querySelector("#explorer").scrollTo(${JSON.stringify(id)})`);
  await page.locator("#explorer .btn-execute").waitFor();
};

/** Sends the request of the operation that is shown, with a body, and returns the status of the answer. */
export const tryIt = async (page: Page, body: string): Promise<number> => {
  await page.locator("#explorer .request-body-param-user-input").fill(body);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() !== "GET"),
    page.locator("#explorer .btn-execute").click(),
  ]);
  return answer.status();
};

/** What axe-core finds. The policy of the page blocks scripts that are added to it, so it goes through the debugger. */
export const axeViolations = async (page: Page): Promise<unknown> => {
  const session = await page.context().newCDPSession(page);
  const axe = readFileSync(join(project, "node_modules/axe-core/axe.min.js"), "utf8");
  await session.send("Runtime.evaluate", { expression: axe });
  const expression = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))";
  const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  return result.value;
};

/** Whether a page is wider than its window. */
export const isTooWide = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
