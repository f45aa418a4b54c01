import { expect, test } from "vitest";
import { operations } from "#core/catalogue.ts";
import { world } from "#tests/support/world.ts";

const { ask } = world();

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
