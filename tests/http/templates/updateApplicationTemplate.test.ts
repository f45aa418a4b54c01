import { describe, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";
import { addTemplate, allTemplates, SAML_STARTER, TEMPLATES } from "./support.ts";

const api = world();
const { ask } = api;
const application = { name: "b" };
const read = async (id: string) => (await ask("GET", `${TEMPLATES}/${id}`)).body;
const put = (id: string, body: unknown) => ask("PUT", `${TEMPLATES}/${id}`, { body });
const listed = async (name: string) => (await allTemplates(api)).filter((template) => template.name === name);

describe("200", () => {
  test("replaces all members: absent ones are removed", async () => {
    const id = await addTemplate(api, { name: "whole", description: "old", types: ["a"], displayOrder: 1 });
    const answer = await put(id, { name: "whole", category: "VENDOR", application, id: "mine" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await read(id)).toEqual({ id, name: "whole", category: "VENDOR", application });
    expect(await listed("whole")).toEqual([{ id, name: "whole", category: "VENDOR", self: expect.any(String) }]);
  });
  test("a rename frees the old name at once", async () => {
    const id = await addTemplate(api, { name: "before" });
    expect((await put(id, { name: "after", application })).status).toBe(200);
    expect([(await listed("before")).length, (await listed("after")).length]).toEqual([0, 1]);
    expect(await addTemplate(api, { name: "before" })).not.toBe(id);
  });
  test("concurrent updates succeed, and one of them is stored completely", async () => {
    const id = await addTemplate(api, { name: "contended" });
    const names = Array.from({ length: 12 }, (_, at) => `contended ${at % 4}`);
    const answers = await Promise.all(
      names.map((name, at) => put(id, { name, description: `${name}, ${at}`, application: { name: `${at}` } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { name, description, application: kept } = await read(id);
    expect(description).toBe(`${name}, ${kept.name}`);
    const rows = (await allTemplates(api)).filter((template) => template.id === id);
    expect(rows).toEqual([{ id, name, description, self: expect.any(String) }]);
  });
});

describe("404", () => {
  test.each([
    ["an unknown one", "00000000-0000-0000-0000-000000000000", /carbon\.super/],
    ["a starter template", SAML_STARTER, /starter/],
  ])("%s", async (_, id, description) => {
    const answer = await put(id, { name: "x", application });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "TMM_00021", description: expect.stringMatching(description) });
  });
});

describe("a refused request changes nothing", () => {
  test.each<[string, unknown, number, string]>([
    ["the name of another", { name: "neighbour", application }, 409, "TMM_00014"],
    ["a blank name", { name: "", application }, 400, "TMM_00007"],
    ["no application", { name: "mine" }, 400, "UE-10000"],
    ["no body", undefined, 400, "UE-10000"],
  ])("%s", async (what, body, status, code) => {
    if ((await listed("neighbour")).length === 0) await addTemplate(api, { name: "neighbour" });
    const id = await addTemplate(api, { name: `refused ${what}`, description: "stays" });
    const before = await read(id);
    const answer = await ask("PUT", `${TEMPLATES}/${id}`, body === undefined ? { raw: "" } : { body });
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    if (status === 409)
      expect(answer.body.message).toBe(`Error while updating the application template with id ${id}.`);
    expect(await read(id)).toEqual(before);
  });
});
