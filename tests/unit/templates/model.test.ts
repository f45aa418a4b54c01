import { describe, expect, test } from "vitest";
import { NewApplication } from "#core/applications/registry/shapes.ts";
import { overTemplate, type Template } from "#core/applications/templates/model.ts";
import { NewTemplate } from "#core/applications/templates/shapes.ts";
import { starterTemplates } from "#core/applications/templates/starter.ts";

const templateOf = (application: Partial<Template["application"]>): Template => ({
  id: "the-id",
  name: "Template",
  application: { name: "Sample", ...application },
});
const claim = (uri: string) => ({ uri });

describe("an application merged into a template", () => {
  test("has the members of the body, and the template's for the rest", () => {
    const template = templateOf({ description: "from the template", accessUrl: "https://t", isManagementApp: true });
    expect(overTemplate(template, { name: "Mine", accessUrl: "https://b", imageUrl: undefined })).toEqual({
      name: "Mine",
      description: "from the template",
      accessUrl: "https://b",
      isManagementApp: true,
      templateId: "the-id",
    });
  });
  test("has the template's id or the body's, never an id inside the template", () => {
    const template = templateOf({ templateId: "another" });
    expect(overTemplate(template, { name: "a" })).toMatchObject({ templateId: "the-id" });
    expect(overTemplate(template, { name: "a", templateId: "mine" })).toMatchObject({ templateId: "mine" });
  });
  test("merges parts one level deep", () => {
    const template = templateOf({
      advancedConfigurations: { saas: true, certificate: { type: "JWKS", value: "https://t/jwks" } },
      claimConfiguration: { dialect: "LOCAL", subject: { claim: claim("a"), includeUserDomain: true } },
    });
    const body = {
      name: "a",
      advancedConfigurations: { skipLoginConsent: true },
      claimConfiguration: { subject: { claim: { id: "b" } } },
    };
    expect(overTemplate(template, body)).toMatchObject({
      advancedConfigurations: {
        saas: true,
        skipLoginConsent: true,
        certificate: { type: "JWKS", value: "https://t/jwks" },
      },
      claimConfiguration: { dialect: "LOCAL", subject: { claim: { id: "b" } } },
    });
    expect(overTemplate(template, body)).not.toHaveProperty("claimConfiguration.subject.includeUserDomain");
  });
  test("replaces lists, also by an empty list", () => {
    const template = templateOf({
      claimConfiguration: { requestedClaims: [{ claim: claim("a") }], claimMappings: [] },
    });
    const over = (requestedClaims: unknown[]) =>
      overTemplate(template, { name: "a", claimConfiguration: { requestedClaims } });
    expect(over([{ claim: claim("b") }])).toMatchObject({
      claimConfiguration: { requestedClaims: [{ claim: claim("b") }] },
    });
    expect(over([])).toMatchObject({ claimConfiguration: { requestedClaims: [], claimMappings: [] } });
  });
  test("with steps in the body has the type of those steps", () => {
    const template = templateOf({ authenticationSequence: { type: "DEFAULT", script: "s" } });
    const steps = [{ id: 1, options: [] }];
    const over = (authenticationSequence: unknown) => overTemplate(template, { name: "a", authenticationSequence });
    expect(over({ steps }).authenticationSequence).toEqual({ steps, script: "s" });
    expect(over({ subjectStepId: 1 }).authenticationSequence).toEqual({
      type: "DEFAULT",
      script: "s",
      subjectStepId: 1,
    });
    expect(over({ type: "USER_DEFINED", steps }).authenticationSequence).toEqual({
      type: "USER_DEFINED",
      steps,
      script: "s",
    });
  });
  test("adds members that the template's protocol omits", () => {
    const template = templateOf({
      inboundProtocolConfiguration: {
        oidc: { grantTypes: ["authorization_code"], pkce: { mandatory: true, supportPlainTransformAlgorithm: true } },
      },
    });
    const over = {
      oidc: { callbackURLs: ["https://a/cb"], pkce: { supportPlainTransformAlgorithm: false } },
      passiveSts: { realm: "r" },
    };
    expect(overTemplate(template, { name: "a", inboundProtocolConfiguration: over })).toMatchObject({
      inboundProtocolConfiguration: {
        oidc: {
          grantTypes: ["authorization_code"],
          callbackURLs: ["https://a/cb"],
          pkce: { mandatory: true, supportPlainTransformAlgorithm: false },
        },
        passiveSts: { realm: "r" },
      },
    });
  });
  test("uses the SAML source of the body only", () => {
    const template = templateOf({
      inboundProtocolConfiguration: { saml: { manualConfiguration: { issuer: "a", attributeProfile: {} } } },
    });
    const over = (saml: unknown) =>
      overTemplate(template, { name: "a", inboundProtocolConfiguration: { saml } }).inboundProtocolConfiguration;
    expect(over({ metadataFile: "PD94" })).toEqual({ saml: { metadataFile: "PD94" } });
    expect(over({ manualConfiguration: { issuer: "b" } })).toEqual({
      saml: { manualConfiguration: { issuer: "b", attributeProfile: {} } },
    });
  });
  test("does not modify template and body", () => {
    const template = templateOf({ advancedConfigurations: { saas: true } });
    const body = { name: "a", advancedConfigurations: { saas: false } };
    const before = structuredClone([template, body]);
    overTemplate(template, body);
    expect([template, body]).toEqual(before);
  });
});

describe("the starter templates", () => {
  test.each(starterTemplates.map((template) => [template.name, template] as const))("%s", (_, template) => {
    const { id, ...fields } = template;
    expect(NewTemplate.parse(fields)).toEqual(fields);
    // The members that no template can provide come from the body.
    const own = {
      saml: {
        inboundProtocolConfiguration: { saml: { manualConfiguration: { issuer: "i", assertionConsumerUrls: ["u"] } } },
      },
      "passive-sts": { inboundProtocolConfiguration: { passiveSts: { realm: "r", replyTo: "u" } } },
    };
    const brought = own[template.authenticationProtocol as keyof typeof own] ?? {};
    expect(NewApplication.safeParse(overTemplate(template, { name: "mine", ...brought })).error).toBeUndefined();
    expect(id).toMatch(/^[a-z0-9-]{1,36}$/);
  });
  test("have unique ids and names", () => {
    expect(new Set(starterTemplates.map(({ id }) => id)).size).toBe(starterTemplates.length);
    expect(new Set(starterTemplates.map(({ name }) => name)).size).toBe(starterTemplates.length);
  });
  test("contain no client secret, no client id and no foreign URL", () => {
    const texts = JSON.stringify(starterTemplates);
    expect(texts).not.toMatch(/clientSecret|clientId/);
    expect(
      texts.match(/https?:\/\/[^"\\]+/g)?.filter((url) => !/^http:\/\/(www\.w3\.org|127)/.test(url)) ?? [],
    ).toEqual([]);
  });
});
