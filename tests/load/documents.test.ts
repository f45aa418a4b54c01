/** Every document in a real browser, as wide as a phone. Skipped where there is no Chromium. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { axeViolations, chromiumPath, isTooWide, openBrowser } from "#tests/support/chromium.ts";
import { project } from "#tests/support/patient.ts";
import { world } from "#tests/support/world.ts";

const service = world();
const namesIn = (folder: string) => readdirSync(join(project, folder)).filter((name) => name.endsWith(".md"));
const documents = [...namesIn("docs"), ...namesIn("docs/guides").map((name) => `guides/${name}`)]
  .filter((name) => name !== "README.md")
  .map((name) => `/docs/${name.replace(/\.md$/, "")}`);

test.skipIf(!chromiumPath)(
  "axe-core objects to nothing in any document, and none is wider than a phone",
  {
    timeout: 600_000,
  },
  async () => {
    expect(documents.length).toBeGreaterThan(30);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
      for (const path of documents) {
        await page.goto(`${service.url}${path}`);
        expect([await axeViolations(page), await isTooWide(page)], path).toEqual([[], false]);
      }
    } finally {
      await browser.close();
    }
  },
);
