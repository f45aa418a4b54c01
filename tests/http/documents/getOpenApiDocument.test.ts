import { expect, test } from "vitest";
import { operations } from "#core/catalogue.ts";
import { world } from "#tests/support/world.ts";

const { ask } = world();

test("200: anybody may read the document, and it names every operation", async () => {
  const answer = await ask("GET", "/openapi.json", { as: null });
  expect(answer.status).toBe(200);
  expect(answer.body.openapi).toBe("3.1.0");
  const ids = Object.values(answer.body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids.sort()).toEqual(Object.keys(operations).sort());
});

test("every reference inside it leads somewhere", async () => {
  const { body, text } = await ask("GET", "/openapi.json", { as: null });
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(references.length).toBeGreaterThan(10);
  for (const name of new Set(references)) expect(body.components.schemas, name).toHaveProperty([name as string]);
});
