import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";
import { addTemplate, allTemplates, SAML_STARTER, TEMPLATES } from "./support.ts";

const api = world();
const { ask } = api;

test("returns 204, frees the name and leaves no row", async () => {
  const id = await addTemplate(api, { name: "short-lived" });
  const answer = await ask("DELETE", `${TEMPLATES}/${id}`);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await ask("GET", `${TEMPLATES}/${id}`)).status).toBe(404);
  expect((await allTemplates(api)).some((template) => template.id === id)).toBe(false);
  const items = await tableOf(api.service).getMany([
    keys.template(TENANT, id),
    keys.templateEntry(TENANT, "short-lived"),
  ]);
  expect(items).toEqual([undefined, undefined]);
  expect(await addTemplate(api, { name: "short-lived" })).not.toBe(id);
});

test("returns 404 for a repeated delete, an unknown id and a starter template", async () => {
  const id = await addTemplate(api, { name: "twice" });
  expect((await ask("DELETE", `${TEMPLATES}/${id}`)).status).toBe(204);
  for (const path of [id, "00000000-0000-0000-0000-000000000000", SAML_STARTER]) {
    const answer = await ask("DELETE", `${TEMPLATES}/${path}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "TMM_00021", message: "Template not found" });
  }
  expect((await ask("GET", `${TEMPLATES}/${SAML_STARTER}`)).status).toBe(200);
});

test("a concurrent delete and rename leave no row", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await addTemplate(api, { name: `race ${round}` });
    const [renamed, removed] = await Promise.all([
      ask("PUT", `${TEMPLATES}/${id}`, { body: { name: `raced ${round}`, application: { name: "a" } } }),
      ask("DELETE", `${TEMPLATES}/${id}`),
    ]);
    expect([200, 404]).toContain(renamed.status);
    expect(removed.status).toBe(204);
    await addTemplate(api, { name: `race ${round}` });
    await addTemplate(api, { name: `raced ${round}` });
  }
});
