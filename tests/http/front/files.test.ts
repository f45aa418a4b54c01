/** The page at `/`, its documents and parts as files over HTTP (decision 0107). */
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const get = (path: string, headers: Readonly<Record<string, string>> = { "accept-encoding": "identity" }) =>
  ask("GET", path, { as: null, headers });
const linksIn = (html: string) =>
  [...html.matchAll(/(?:href|src)="(\/[^"#]*)(?:#[^"]*)?"/g)].map(([, path]) => path ?? "");

const documents = [
  ...readdirSync("docs").filter((name) => name.endsWith(".md") && name !== "README.md"),
  ...readdirSync("docs/guides").map((name) => `guides/${name}`),
  "start",
  "changelog",
].map((name) => `/docs/${name.replace(/\.md$/, "")}`);

describe("the pages", () => {
  test.each(["/", "/docs", "/docs/", "/reference", ...documents])(
    "%s is there, and so is all that it links to",
    async (path) => {
      const { status, headers, text } = await get(path);
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toMatch(/<title>.+<\/title>/);
      expect(text).not.toContain("<th></th>");
      // `npm start` has the demo, and the page shows the link where it is there.
      const targets = [...new Set(linksIn(text))].filter((target) => target !== "/demo");
      expect(targets.length).toBeGreaterThanOrEqual(5);
      const statuses = await Promise.all(targets.map(async (target) => [target, (await get(target)).status]));
      expect(statuses.filter(([, answer]) => answer !== 200)).toEqual([]);
    },
  );

  test.each(documents)("%s has the anchors that pages link to", async (path) => {
    const { text } = await get(path);
    const anchors = [...text.matchAll(/href="([^"#]*)#([^"]*)"/g)].map(
      ([, page, anchor]) => [page || path, anchor] as const,
    );
    for (const [page, anchor] of anchors) {
      if (!page.startsWith("/")) continue;
      expect((await get(page)).text, `${page}#${anchor}`).toContain(`id="${anchor}"`);
    }
  });

  test.each(["/", "/docs", "/reference"])(
    "%s has no inline script or style, and names no other origin to load from",
    async (path) => {
      const { text } = await get(path);
      expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/i);
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\/(?!127)/);
    },
  );
});

describe("the headers", () => {
  const policyOf = async (path: string) => (await get(path)).headers.get("content-security-policy") ?? "";

  test("forbid scripts, connections and frames of other origins, and set no cookie", async () => {
    for (const path of ["/", "/reference", "/docs/tokens"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      for (const part of [
        "default-src 'none'",
        "script-src 'self';",
        "connect-src 'self';",
        "frame-ancestors 'none'",
      ]) {
        expect(policy, path).toContain(part);
      }
      expect(policy.match(/unsafe-\w+/g) ?? []).toEqual(path === "/reference" ? ["unsafe-inline"] : []);
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(await policyOf("/reference")).toContain("style-src-attr 'unsafe-inline'");
  });

  test("let browsers keep assets for good, and ask again for pages", async () => {
    const { text } = await get("/");
    const asset = linksIn(text).find((path) => path.startsWith("/assets/")) ?? "";
    expect((await get(asset)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const page = await get("/");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const again = await get("/", { "accept-encoding": "identity", "if-none-match": page.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

describe("compression", () => {
  const raw = (path: string, encoding: string) =>
    new Promise<{ coding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      request(new URL(path, api.url), { headers: { "accept-encoding": encoding } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ coding: answer.headers["content-encoding"], bytes: Buffer.concat(chunks) }));
      })
        .on("error", reject)
        .end();
    });

  test("is the best one that the request accepts, with the same content", async () => {
    const plain = await raw("/", "identity");
    const br = await raw("/", "gzip, br");
    const gzip = await raw("/", "gzip, br;q=0");
    expect([plain.coding, br.coding, gzip.coding]).toEqual([undefined, "br", "gzip"]);
    expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  });

  test("keeps the reference with the API document below 600 KB", async () => {
    const { bytes } = await raw("/reference", "identity");
    const html = bytes.toString();
    const parts = [
      ...linksIn(html).filter((path) => path.startsWith("/assets/")),
      /data-document="([^"]+)"/.exec(html)?.[1] ?? "",
    ];
    expect(parts.length).toBeGreaterThanOrEqual(5);
    const sizes = await Promise.all(["/reference", ...parts].map(async (path) => (await raw(path, "br")).bytes.length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
  });
});

describe("what is not there", () => {
  test.each([
    ["/docs/unknown", 404],
    ["/docs/../package.json", 404],
    ["/assets/index.json", 404],
    ["/assets/", 404],
    ["/reference/further", 404],
    ["/docs/constructor", 404],
  ])("%s is %i", async (path, status) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
  });

  test("an unknown document is a page that leads on", async () => {
    const { text, headers } = await get("/docs/unknown");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(linksIn(text)).toEqual(expect.arrayContaining(["/", "/reference", "/docs"]));
  });

  test("other methods are 405, and a page has no tenant", async () => {
    const answer = await ask("POST", "/", { as: null, body: {} });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await get("/t/carbon.super/docs")).status).toBe(404);
  });
});
