/** POST /applications?template=, of which createApplication.test.ts tests the rest. */
import { describe, expect, test } from "vitest";
import { addTemplate } from "#tests/http/templates/support.ts";
import { APPLICATIONS, type Ask, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const use = (template: string, body: Ask["body"]) =>
  ask("POST", `${APPLICATIONS}?${new URLSearchParams({ template })}`, { body });
const used = async (template: string, body: Ask["body"]) => {
  const { status, headers, text } = await use(template, body);
  if (status !== 201) throw new Error(`create returned ${status}: ${text}`);
  return (await ask("GET", new URL(headers.get("location") ?? "").pathname)).body;
};

describe("201", () => {
  test("members of the request override the template's", async () => {
    const template = await addTemplate(api, {
      name: "Company standard",
      application: {
        name: "not this one",
        description: "from the template",
        accessUrl: "https://example.com/template",
        templateId: "nor this",
        advancedConfigurations: { saas: true, skipLoginConsent: true },
        claimConfiguration: { requestedClaims: [{ claim: { uri: "http://wso2.org/claims/emailaddress" } }] },
      },
    });
    const body = {
      name: "Started by id",
      accessUrl: "https://example.com/mine",
      advancedConfigurations: { skipLoginConsent: false },
    };
    const shown = await used(template, body);
    expect(shown).toMatchObject({
      ...body,
      description: "from the template",
      templateId: template,
      advancedConfigurations: { saas: true, skipLoginConsent: false },
      claimConfiguration: {
        requestedClaims: [{ claim: { uri: "http://wso2.org/claims/emailaddress" }, mandatory: false }],
      },
    });
    expect(await used("Company standard", { name: "Started by name", templateId: "own" })).toMatchObject({
      description: "from the template",
      templateId: "own",
    });
  });
  test("creates from a starter template, by id and by name", async () => {
    for (const [template, name] of [
      ["custom-application", "by id"],
      ["Custom application", "by name"],
    ] as const) {
      const shown = await used(template, { name });
      expect(shown).toMatchObject({ name, templateId: "custom-application" });
      expect(shown.authenticationSequence.steps).toHaveLength(2);
    }
  });
  test("prefers a template of the tenant to a starter template of the same name", async () => {
    const id = await addTemplate(api, { name: "Custom application", application: { name: "a", description: "own" } });
    expect(await used("Custom application", { name: "own wins" })).toMatchObject({
      templateId: id,
      description: "own",
    });
  });
  test("every starter template creates an application from the members that it omits", async () => {
    const { templates } = (await ask("GET", `${APPLICATIONS}/templates?limit=100`)).body;
    const brought: Record<string, unknown> = {
      oidc: { oidc: { callbackURLs: ["https://mine.example/cb"] } },
      saml: {
        saml: {
          manualConfiguration: { issuer: "https://mine.example", assertionConsumerUrls: ["https://mine.example/acs"] },
        },
      },
      "passive-sts": { passiveSts: { realm: "mine", replyTo: "https://mine.example/reply" } },
      "ws-trust": { wsTrust: { audience: "mine", certificateAlias: "wso2carbon" } },
    };
    for (const [index, { id, name, authenticationProtocol }] of templates.entries()) {
      const inboundProtocolConfiguration = brought[authenticationProtocol];
      const shown = await used(id, {
        name: `Made of template ${index}`,
        ...(inboundProtocolConfiguration ? { inboundProtocolConfiguration } : {}),
      });
      expect(shown.inboundProtocols.length, name).toBe(inboundProtocolConfiguration ? 1 : 0);
      if (authenticationProtocol !== "oidc") continue;
      const client = (await ask("GET", shown.inboundProtocols[0].self)).body;
      expect(client.callbackURLs).toEqual(["https://mine.example/cb"]);
      expect(client.grantTypes.length).toBeGreaterThan(0);
    }
  });
  test("ignores a blank template", async () => {
    expect(await used(" ", { name: "blank" })).not.toHaveProperty("templateId");
  });
});

describe("400 without a new application", () => {
  test.each<[string, string, unknown, string, RegExp]>([
    ["an unknown template", "no-such-template", { name: "x" }, "APP-60001", /'no-such-template'.*templates/],
    ["no name in the body", "custom-application", {}, "UE-10000", /body\.name/],
    ["a name that is none", "custom-application", { name: "a@b" }, "APP-60001", /a@b/],
    ["a template beyond any length", "x".repeat(256), { name: "x" }, "UE-10000", /template/],
  ])("%s", async (_, template, body, code, description) => {
    const total = async () => (await ask("GET", APPLICATIONS)).body.totalResults;
    const before = await total();
    const answer = await use(template, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, description: expect.stringMatching(description) });
    expect(await total()).toBe(before);
  });
  test("reports a template with settings that are invalid here", async () => {
    const template = await addTemplate(api, {
      name: "unfinished",
      application: { name: "a", advancedConfigurations: { discoverableByEndUsers: true } },
    });
    expect((await use(template, { name: "found" })).body).toMatchObject({
      code: "APP-60001",
      description: expect.stringMatching(/accessURL/),
    });
    expect((await use(template, { name: "found", accessUrl: "https://example.com" })).status).toBe(201);
  });
});
