/** Chromium of this machine, without a window: for tests of pages. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program, or `undefined` where there is none. `CHROMIUM` names another one. */
export const chromiumPath = process.env.CHROMIUM ?? places.find((path) => existsSync(path));

/** Starts it. Throws where there is none. */
export const openBrowser = (): Promise<Browser> =>
  // Its sandbox needs rights that containers do not have; it opens pages of this project alone.
  chromium.launch({ executablePath: chromiumPath ?? "chromium", args: ["--no-sandbox"] });

/** Waits until the reference of the API shows the document. */
export const referenceShown = (page: Page): Promise<void> =>
  page.locator("#operation optgroup").first().waitFor({ state: "attached" });

/** Enters the name and the password of a user in the reference. */
export const useCredential = async (page: Page, username: string, password: string): Promise<void> => {
  await page.fill("input[name=user]", username);
  await page.fill("input[name=password]", password);
  await page.click("#credential button");
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
