import { describe, expect, test } from "vitest";
import { starterTemplates } from "#core/applications/templates/starter.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { addTemplate, SAML_STARTER, TEMPLATES } from "./support.ts";

const api = world();
const { ask } = api;

describe("200", () => {
  test("returns a template with its application and without self", async () => {
    const fields = {
      name: "read me",
      description: "d",
      image: "https://example.com/i.png",
      authenticationProtocol: "oidc",
      types: ["react"],
      category: "VENDOR",
      templateGroup: "g",
      displayOrder: -3,
      application: { name: "a", accessUrl: "https://example.com" },
    };
    const id = await addTemplate(api, fields);
    for (const path of [`${TEMPLATES}/${id}`, `/t/carbon.super${TEMPLATES}/${id}/`]) {
      expect((await ask("GET", path)).body).toEqual({ ...fields, id });
    }
  });
  test("omits members that were never set", async () => {
    const id = await addTemplate(api, { name: "bare" });
    expect((await ask("GET", `${TEMPLATES}/${id}`)).body).toEqual({ id, name: "bare", application: { name: "a" } });
  });
  test.each(starterTemplates.map(({ id, name }) => [id, name]))("the starter template %s, %s", async (id, name) => {
    const { status, body } = await ask("GET", `${TEMPLATES}/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, name, application: { name: expect.any(String) } });
  });
  test("returns the starter template of WSO2's test", async () => {
    expect((await ask("GET", `${TEMPLATES}/${SAML_STARTER}`)).body).toMatchObject({
      name: "SAML web application",
      authenticationProtocol: "saml",
      category: "DEFAULT",
    });
  });
});

test.each(["00000000-0000-0000-0000-000000000000", "constructor", "__proto__", "a%23b", "read%20me"])(
  "404: %s",
  async (id) => {
    const answer = await ask("GET", `${TEMPLATES}/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "TMM_00021", message: "Template not found" });
    expect(answer.body.description).toContain("carbon.super");
  },
);

test("returns 400 for a text that cannot be an id", async () => {
  expect((await ask("GET", `${TEMPLATES}/${"x".repeat(300)}`)).status).toBe(400);
});

test("the collection path is not an application id", async () => {
  expect((await ask("DELETE", TEMPLATES)).status).toBe(405);
  expect((await ask("GET", `${APPLICATIONS}/templates`)).body).toHaveProperty("templates");
});
