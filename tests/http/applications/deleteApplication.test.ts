import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();

test("returns 204, deletes the application and frees its name at once", async () => {
  const id = await create({ name: "short-lived" });
  const answer = await ask("DELETE", `${APPLICATIONS}/${id}`);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await ask("GET", `${APPLICATIONS}/${id}`)).status).toBe(404);
  expect((await ask("GET", `${APPLICATIONS}?filter=name+eq+short-lived`)).body.totalResults).toBe(0);
  expect(await create({ name: "short-lived" })).not.toBe(id);
});

test("returns 204 for a repeated delete and for an unknown id", async () => {
  const id = await create({ name: "twice" });
  for (const path of [id, id, "00000000-0000-0000-0000-000000000000"]) {
    expect((await ask("DELETE", `${APPLICATIONS}/${path}`)).status).toBe(204);
  }
});

test("a concurrent delete and rename leave no application or the renamed one, never a part", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await create({ name: `race ${round}` });
    const [renamed] = await Promise.all([
      ask("PATCH", `${APPLICATIONS}/${id}`, { body: { name: `raced ${round}` } }),
      ask("DELETE", `${APPLICATIONS}/${id}`),
    ]);
    expect([200, 404]).toContain(renamed.status);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).status).toBe(404);
    for (const name of [`race ${round}`, `raced ${round}`]) {
      expect((await ask("POST", APPLICATIONS, { body: { name } })).status, name).toBe(201);
    }
  }
});
