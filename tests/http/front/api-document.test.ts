/** The API document as a file over HTTP (decisions 0002, 0107). */
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { frontFiles } from "#core/service/site/files.ts";
import { serveFront } from "#core/service/site/serve.ts";
import { world } from "#tests/support/world.ts";
import { buildFront } from "../../../packages/front/build.ts";

const { ask } = world();

/** The answer of the function as the gateway gets it. */
const answered = async (headers: Readonly<Record<string, string>>, method = "GET") => {
  const event = { rawPath: "/openapi.json", headers, requestContext: { http: { method } } };
  const serve = serveFront(frontFiles(await buildFront()));
  const { body = "", ...answer } = await serve(event as unknown as Parameters<typeof serve>[0]);
  return { ...answer, bytes: Buffer.from(body, "base64") };
};

test("is compressed, and may be kept for an hour, after which its entity tag saves the transfer", async () => {
  const plain = await answered({});
  const { statusCode, headers = {}, bytes } = await answered({ "accept-encoding": "gzip, br" });
  expect([statusCode, headers["content-type"], headers["content-encoding"]]).toEqual([200, "application/json", "br"]);
  expect(brotliDecompressSync(bytes)).toEqual(plain.bytes);
  expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect(headers["cache-control"]).toBe("public, max-age=3600");
  const again = await answered({ "accept-encoding": "gzip, br", "if-none-match": String(headers.etag) });
  expect([again.statusCode, again.bytes.length, again.headers?.["cache-control"]]).toEqual([
    304,
    0,
    "public, max-age=3600",
  ]);
});

test("is there once for all tenants, for GET and HEAD alone, and asks for no credential", async () => {
  const wrong = { username: "admin", password: "wrong-password" };
  expect((await ask("GET", "/openapi.json", { as: wrong })).status).toBe(200);
  const post = await ask("POST", "/openapi.json", { as: null, body: {} });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const statuses = ["/openapi.json/further", "/t/carbon.super/openapi.json", "/OPENAPI.json"].map(
    async (path) => (await ask("GET", path, { as: null })).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
});

test("returns 200 without a credential, with every operation", async () => {
  const answer = await ask("GET", "/openapi.json", { as: null });
  expect(answer.status).toBe(200);
  expect(answer.body.openapi).toBe("3.1.0");
  const ids = Object.values(answer.body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids.sort()).toEqual(Object.keys(operations).sort());
});

test("is below 3 MB, so that it fits an answer of Lambda (6 MB) for long", async () => {
  const { text } = await ask("GET", "/openapi.json", { as: null });
  expect(Buffer.byteLength(text)).toBeLessThan(3_000_000);
});

test("names the scope of each operation (AC-005)", async () => {
  const { body } = await ask("GET", "/openapi.json", { as: null });
  type Described = Record<string, { operationId: string; "x-required-scope": string }>;
  const scopes = Object.values(body.paths as Record<string, Described>).flatMap((path) =>
    Object.values(path).map((described) => [described.operationId, described["x-required-scope"]]),
  );
  expect(Object.fromEntries(scopes)).toEqual(
    Object.fromEntries(Object.entries(operations).map(([id, { scope }]) => [id, scope])),
  );
});

test("resolves every reference inside the document", async () => {
  const { body, text } = await ask("GET", "/openapi.json", { as: null });
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(references.length).toBeGreaterThan(10);
  for (const name of new Set(references)) expect(body.components.schemas, name).toHaveProperty([name as string]);
});
