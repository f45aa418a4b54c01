import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";
import { addTemplate, allTemplates, TEMPLATES } from "./support.ts";

const api = world();
const { ask } = api;
const application = { name: "a" };
const read = async (id: string) => (await ask("GET", `${TEMPLATES}/${id}`)).body;

describe("201", () => {
  test("accepts the test body of WSO2 and returns it unchanged", async () => {
    const file = new URL("../../data/wso2/create-application-template.json", import.meta.url);
    const body = JSON.parse(await readFile(file, "utf8"));
    const answer = await ask("POST", TEMPLATES, { body });
    expect([answer.status, answer.text]).toEqual([201, ""]);
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.pathname).toMatch(/^\/t\/carbon\.super\/api\/server\/v1\/applications\/templates\/[0-9a-f-]{36}$/);
    const id = location.pathname.split("/").at(-1);
    expect((await ask("GET", location.pathname)).body).toEqual({ ...body, id });
  });

  test("stores the application without nulls, unknown members and secrets", async () => {
    const kept = {
      name: "a@b",
      claimConfiguration: { dialect: "CUSTOM", subject: { claim: { uri: "nowhere" } } },
      authenticationSequence: { type: "USER_DEFINED", steps: [{ id: 7, options: [{ idp: "I", authenticator: "x" }] }] },
      advancedConfigurations: { discoverableByEndUsers: true },
      inboundProtocolConfiguration: {
        oidc: { grantTypes: ["own_grant"], huge: 1e300, "": { constructor: [] } },
        saml: { metadataURL: "http://127.0.0.1/" },
        passiveSts: { realm: "r" },
        custom: [{ name: "cas", configName: "c" }],
      },
    };
    const { inboundProtocolConfiguration: inbound, ...rest } = kept;
    const id = await addTemplate(api, {
      name: "kept",
      id: "mine",
      unknown: 1,
      description: null,
      application: {
        ...rest,
        unknown: { a: 1 },
        inboundProtocolConfiguration: { ...inbound, oidc: { ...inbound.oidc, clientSecret: "s3cret" }, ldap: {} },
      },
    });
    expect(await read(id)).toEqual({ id, name: "kept", application: kept });
  });

  test.each([
    ['any character: \u0000 #/%?"\\ \u{1F600}'],
    ["\u{10FFFF}\u{10FFFF}last"],
    ["x".repeat(255)],
    ["€".repeat(255)],
  ])("the name %j", async (name) => {
    const id = await addTemplate(api, { name });
    expect((await read(id)).name).toBe(name);
    expect((await allTemplates(api)).filter((template) => template.id === id)).toHaveLength(1);
  });

  test("accepts the name of a starter template", async () => {
    await addTemplate(api, { name: "SAML web application" });
  });
});

describe("400", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["no name", { application }, "UE-10000", /body\.name is required/],
    ["no application", { name: "x" }, "UE-10000", /body\.application is required/],
    [
      "an application without a name",
      { name: "x", application: {} },
      "UE-10000",
      /body\.application\.name is required/,
    ],
    ["a blank name", { name: "  ", application }, "TMM_00007", /needs a name/],
    ["256 characters", { name: "x".repeat(256), application }, "UE-10000", /body\.name/],
    ["an unknown category", { name: "x", category: "OTHER", application }, "UE-10000", /category/],
    ["a fraction for an order", { name: "x", displayOrder: 1.5, application }, "UE-10000", /displayOrder/],
    ["an order that no number holds", { name: "x", displayOrder: 1e300, application }, "UE-10000", /displayOrder/],
    ["text for types", { name: "x", types: "react", application }, "UE-10000", /types/],
    ["a list of templates", [], "UE-10000", /body/],
    [
      "a dialect nobody knows",
      { name: "x", application: { name: "a", claimConfiguration: { dialect: "X" } } },
      "UE-10000",
      /dialect/,
    ],
    [
      "text for a protocol",
      { name: "x", application: { name: "a", inboundProtocolConfiguration: { oidc: "yes" } } },
      "UE-10000",
      /oidc/,
    ],
    [
      "more than an item holds",
      { name: "x", application: { name: "a", inboundProtocolConfiguration: { oidc: { a: "x".repeat(300_000) } } } },
      "UE-10000",
      /at most 300000/,
    ],
  ])("%s", async (_, body, code, description) => {
    const before = (await allTemplates(api)).length;
    const answer = await ask("POST", TEMPLATES, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, description: expect.stringMatching(description) });
    expect(await allTemplates(api)).toHaveLength(before);
  });
});

describe("409", () => {
  test("one of many concurrent requests gets the name", async () => {
    const before = (await allTemplates(api)).length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        ask("POST", TEMPLATES, { body: { name: "wanted", application: { name: `${at}` } } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(49);
    expect(refused[0]?.body).toMatchObject({
      code: "TMM_00014",
      message: "Error while adding the new application template.",
      description: "Template with the name: wanted already exists.",
    });
    expect(await allTemplates(api)).toHaveLength(before + 1);
  });
  test("names are case-sensitive", async () => {
    await addTemplate(api, { name: "Case" });
    await addTemplate(api, { name: "case" });
  });
});
