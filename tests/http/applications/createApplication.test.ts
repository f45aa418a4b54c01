import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const upstreamBody = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../data/wso2/${name}.json`, import.meta.url), "utf8"));
const read = async (id: string) => (await ask("GET", `${APPLICATIONS}/${id}`)).body;
const total = async () => (await ask("GET", APPLICATIONS)).body.totalResults;

describe("201", () => {
  test("returns the absolute location of the new application and no body", async () => {
    const answer = await ask("POST", APPLICATIONS, { body: { name: "minimal" } });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe("");
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.pathname).toMatch(/^\/t\/carbon\.super\/api\/server\/v1\/applications\/[0-9a-f-]{36}$/);
    expect((await ask("GET", location.pathname)).body.name).toBe("minimal");
  });

  test("an application with only a name has every default", async () => {
    const id = await create({ name: "defaults" });
    expect(await read(id)).toEqual({
      id,
      name: "defaults",
      clientId: "",
      issuer: "",
      realm: "",
      applicationVersion: "v2.0.0",
      isManagementApp: false,
      isB2BSelfServiceApp: false,
      enhancedOrgAuthenticationEnabled: false,
      associatedRoles: { allowedAudience: "ORGANIZATION" },
      applicationEnabled: true,
      claimConfiguration: {
        dialect: "LOCAL",
        claimMappings: [],
        requestedClaims: [],
        subject: {
          claim: { uri: "http://wso2.org/claims/userid" },
          includeUserDomain: false,
          includeTenantDomain: false,
          useMappedLocalSubject: false,
          mappedLocalSubjectMandatory: false,
        },
        role: { includeUserDomain: true, claim: { uri: "http://wso2.org/claims/role" } },
      },
      inboundProtocols: [],
      authenticationSequence: {
        type: "DEFAULT",
        steps: [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }],
        requestPathAuthenticators: [],
        subjectStepId: 1,
        attributeStepId: 1,
      },
      advancedConfigurations: {
        saas: false,
        discoverableByEndUsers: false,
        skipLoginConsent: false,
        skipLogoutConsent: false,
        useExternalConsentPage: false,
        returnAuthenticatedIdpList: false,
        enableAuthorization: false,
        fragment: false,
        enableAPIBasedAuthentication: false,
        attestationMetaData: { enableClientAttestation: false },
        additionalSpProperties: [],
      },
      provisioningConfigurations: { outboundProvisioningIdps: [] },
      access: "WRITE",
    });
  });

  test("accepts the test body of WSO2", async () => {
    const body = await upstreamBody("create-basic-application");
    const shown = await read(await create(body));
    expect(shown).toMatchObject(body);
  });

  test("stores every required field", async () => {
    const body = {
      name: "Everything 1.0_a-b",
      description: "",
      imageUrl: " https://example.com/logo.png ",
      accessUrl: "https://example.com/login",
      logoutReturnUrl: "https://example.com/bye",
      templateId: "custom",
      isManagementApp: true,
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: [
          { applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } },
          { applicationClaim: "who", localClaim: { id: "aHR0cDovL3dzbzI", displayName: "User name" } },
        ],
        requestedClaims: [{ claim: { uri: "mail" }, mandatory: true }],
        subject: {
          claim: { uri: "who" },
          includeUserDomain: true,
          includeTenantDomain: true,
          useMappedLocalSubject: true,
        },
        role: {
          mappings: [{ localRole: "admin", applicationRole: "boss" }],
          includeUserDomain: false,
          claim: { uri: "mail" },
        },
      },
      authenticationSequence: {
        type: "USER_DEFINED",
        steps: [
          { id: 2, options: [{ idp: "Google", authenticator: "GoogleOIDCAuthenticator" }] },
          { id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] },
        ],
        requestPathAuthenticators: ["BasicAuthRequestPathAuthenticator"],
        script: "var onLoginRequest = function(context) { executeStep(1); };",
        subjectStepId: 2,
        attributeStepId: 9,
      },
      advancedConfigurations: {
        saas: true,
        discoverableByEndUsers: true,
        skipLoginConsent: true,
        certificate: { type: "JWKS", value: "https://example.com/jwks" },
        additionalSpProperties: [],
      },
      provisioningConfigurations: {
        inboundProvisioning: { proxyMode: false, provisioningUserstoreDomain: "PRIMARY" },
        outboundProvisioningIdps: [{ idp: "Google", connector: "googleapps", jit: true }],
      },
    };
    const shown = await read(await create(body));
    expect(shown).toMatchObject({
      ...body,
      imageUrl: "https://example.com/logo.png",
      authenticationSequence: {
        ...body.authenticationSequence,
        steps: [body.authenticationSequence.steps[1], body.authenticationSequence.steps[0]],
        attributeStepId: 1,
      },
      provisioningConfigurations: {
        ...body.provisioningConfigurations,
        outboundProvisioningIdps: [
          { idp: "Google", connector: "googleapps", blocking: false, rules: false, jit: true },
        ],
      },
    });
  });

  test("maps requested claims without mappings to themselves", async () => {
    const claim = { uri: "http://wso2.org/claims/emailaddress" };
    const shown = await read(
      await create({ name: "requested", claimConfiguration: { requestedClaims: [{ claim, mandatory: true }] } }),
    );
    expect(shown.claimConfiguration).toMatchObject({
      claimMappings: [{ applicationClaim: claim.uri, localClaim: claim }],
      requestedClaims: [{ claim, mandatory: true }],
    });
  });

  test("ignores null and unknown members", async () => {
    const id = await create({
      name: "nulls",
      description: null,
      claimConfiguration: null,
      unheardOf: { a: 1 },
      id: "mine",
    });
    const shown = await read(id);
    expect(shown.id).toBe(id);
    expect(shown).not.toHaveProperty("description");
    expect(shown).not.toHaveProperty("unheardOf");
  });

  test("stores a script as text and never executes it", async () => {
    const script = "while (true) {}; process.exit(1); require('fs')";
    const body = {
      name: "scripted",
      authenticationSequence: {
        type: "USER_DEFINED",
        script,
        steps: [{ id: 1, options: [{ idp: "LOCAL", authenticator: "totp" }] }],
      },
    };
    expect((await read(await create(body))).authenticationSequence.script).toBe(script);
  });

  test("a tenant path addresses the same collection", async () => {
    const { status, headers } = await ask("POST", `/t/carbon.super${APPLICATIONS}`, {
      body: { name: "by tenant path" },
    });
    expect(status).toBe(201);
    expect((await ask("GET", new URL(headers.get("location") ?? "").pathname)).status).toBe(200);
  });
});

describe("400", () => {
  const step = (authenticator: string, id = 1) => ({ id, options: [{ idp: "LOCAL", authenticator }] });
  const sequence = (steps: unknown[]) => ({ name: "x", authenticationSequence: { type: "USER_DEFINED", steps } });
  test.each<[string, unknown, string, RegExp]>([
    ["no name", {}, "UE-10000", /body\.name/],
    ["a null name", { name: null }, "UE-10000", /body\.name/],
    ["a number for a name", { name: 1 }, "UE-10000", /body\.name/],
    ["a blank name", { name: "  " }, "APP-60001", /cannot be empty/],
    ["a letter that names do not have", { name: "test@failing.com" }, "APP-60001", /test@failing\.com/],
    ["256 characters", { name: "a".repeat(256) }, "APP-60001", /255/],
    ["the name of a portal", { name: "My Account" }, "APP-60515", /portal/],
    ["the other portal's", { name: "Console" }, "APP-60515", /portal/],
    ["a description of 1,025 characters", { name: "x", description: "d".repeat(1025) }, "UE-10000", /description/],
    ["an array for a body", [], "UE-10000", /body/],
    ["a text for a body", "name", "UE-10000", /body/],
    ["null for a body", null, "UE-10000", /body/],
    ["text for a switch", { name: "x", advancedConfigurations: { saas: "true" } }, "UE-10000", /saas/],
    ["a dialect that is none", { name: "x", claimConfiguration: { dialect: "FOREIGN" } }, "UE-10000", /dialect/],
    [
      "a claim without uri",
      { name: "x", claimConfiguration: { requestedClaims: [{ claim: { displayName: "a" } }] } },
      "UE-10000",
      /uri/,
    ],
    [
      "discoverable without accessUrl",
      { name: "x", advancedConfigurations: { discoverableByEndUsers: true } },
      "APP-60001",
      /accessURL/,
    ],
    [
      "properties of the server",
      { name: "x", advancedConfigurations: { additionalSpProperties: [{ name: "a", value: "b" }] } },
      "APP-60506",
      /additionalSpProperties/,
    ],
    [
      "a certificate that is none",
      { name: "x", advancedConfigurations: { certificate: { type: "PEM", value: "abc" } } },
      "APP-60001",
      /PEM/,
    ],
    [
      "a JWKS that is no URL",
      { name: "x", advancedConfigurations: { certificate: { type: "JWKS", value: "abc" } } },
      "APP-60001",
      /JWKS/,
    ],
    [
      "a subject at odds with itself",
      {
        name: "x",
        claimConfiguration: { subject: { useMappedLocalSubject: false, mappedLocalSubjectMandatory: true } },
      },
      "APP-60513",
      /mappedLocalSubjectMandatory/,
    ],
    [
      "a custom subject claim that is not mapped",
      { name: "x", claimConfiguration: { dialect: "CUSTOM", subject: { claim: { uri: "u" } } } },
      "APP-60001",
      /Application Claim URI 'u'/,
    ],
    [
      "a claim mapped twice",
      {
        name: "x",
        claimConfiguration: {
          claimMappings: [
            { applicationClaim: "a", localClaim: { uri: "b" } },
            { applicationClaim: "a", localClaim: { uri: "c" } },
          ],
        },
      },
      "APP-60001",
      /more than once/,
    ],
    ["own steps that are none", sequence([]), "APP-60001", /cannot be empty/],
    ["a step without options", sequence([{ id: 1, options: [] }]), "UE-10000", /options/],
    ["an unknown authenticator", sequence([step("Magic")]), "APP-60001", /Magic is not available/],
    ["steps with a gap", sequence([step("totp"), step("totp", 3)]), "APP-60001", /consecutive/],
    ["two steps of one number", sequence([step("totp", 2), step("totp", 2)]), "APP-60001", /consecutive/],
    ["steps that only prepare", sequence([step("IdentifierExecutor")]), "APP-60001", /No authenticator/],
    [
      "an unknown request-path authenticator",
      { name: "x", authenticationSequence: { requestPathAuthenticators: ["x"] } },
      "APP-60001",
      /not available/,
    ],
    [
      "more than an item holds",
      {
        name: "x",
        claimConfiguration: {
          claimMappings: Array.from({ length: 900 }, (_, i) => ({
            applicationClaim: `${i}${"c".repeat(400)}`,
            localClaim: { uri: "u" },
          })),
        },
      },
      "APP-60001",
      /bytes/,
    ],
  ])("%s", async (_, body, code, description) => {
    const before = await total();
    const answer = await ask("POST", APPLICATIONS, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      code,
      message: expect.any(String),
      description: expect.stringMatching(description),
      traceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await total()).toBe(before);
  });

  test.each<[string, string | Uint8Array]>([
    ["not JSON", "{name:1}"],
    ["cut off", '{"name":"x"'],
    ["empty", ""],
    ["two texts", '{"name":"x"}{"name":"y"}'],
    ["a name given twice", '{"name":"x","name":"admin"}'],
    ["__proto__", '{"name":"x","__proto__":{"isManagementApp":true}}'],
    ["not UTF-8", Uint8Array.from([0x7b, 0xff, 0x7d])],
    ["deep", `{"name":"x","claimConfiguration":${"[".repeat(5000)}${"]".repeat(5000)}}`],
    ["half a surrogate pair", '{"name":"x","description":"\\ud800"}'],
    ["a byte order mark", '\uFEFF{"name":"x"}'],
    ["a trailing comma", '{"name":"x",}'],
  ])("a body that is %s", async (_, raw) => {
    const answer = await ask("POST", APPLICATIONS, { raw });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("UE-10000");
  });
});

describe("409", () => {
  test("one of many concurrent requests gets the name", async () => {
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask("POST", APPLICATIONS, { body: { name: "wanted" } })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(49);
    expect(refused[0]?.body).toMatchObject({
      code: "APP-60007",
      message: "Error creating application.",
      description: "An application with name: 'wanted' already exists in tenantDomain: carbon.super",
    });
    expect(await total()).toBe(before + 1);
  });
  test.each(["wso2carbon-local-sp", "default"])("the reserved name %s", async (name) => {
    expect((await ask("POST", APPLICATIONS, { body: { name } })).status).toBe(409);
  });
  test("names are case-sensitive", async () => {
    await create({ name: "Case" });
    expect((await ask("POST", APPLICATIONS, { body: { name: "case" } })).status).toBe(201);
  });
});

describe("413, 415", () => {
  test("a body above 1 MiB, and one of 7 MB that the gateway refuses", async () => {
    const small = await ask("POST", APPLICATIONS, { body: { name: "x", description: "d".repeat(1_100_000) } });
    expect(small.status).toBe(413);
    expect(small.body.description).toMatch(/1048576/);
    const large = await ask("POST", APPLICATIONS, { raw: `{"name":"${"x".repeat(7_000_000)}"}` });
    expect(large.status).toBe(413);
    expect(Object.keys(large.body).sort()).toEqual(["code", "description", "message", "traceId"]);
  });
  test.each(["text/plain", "application/jsonx", "application/json; charset=utf-16", "application/xml"])(
    "the media type %s",
    async (type) => {
      const answer = await ask("POST", APPLICATIONS, { raw: '{"name":"typed"}', headers: { "content-type": type } });
      expect(answer.status).toBe(415);
    },
  );
  test.each(["application/json ; charset=utf-8", "Application/JSON", "application/vnd.api+json"])(
    "not the media type %s",
    async (type) => {
      const body = JSON.stringify({ name: `typed ${type.replace(/\W/g, " ")}` });
      expect((await ask("POST", APPLICATIONS, { raw: body, headers: { "content-type": type } })).status).toBe(201);
    },
  );
  test("checks the media type before the body", async () => {
    const headers = { "content-type": "application/xml" };
    expect((await ask("POST", APPLICATIONS, { raw: '<a b="', headers })).status).toBe(415);
  });
  test("an error message repeats at most a short part of the request", async () => {
    const steps = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${index}${"x".repeat(30_000)}`, 1]));
    const answer = await ask("POST", APPLICATIONS, {
      body: { name: "x", claimConfiguration: { role: steps, dialect: 1 } },
    });
    expect(answer.text.length).toBeLessThan(2_000);
  });
  test("a compressed body", async () => {
    const headers = { "content-encoding": "gzip", "content-type": "application/json" };
    expect((await ask("POST", APPLICATIONS, { raw: "abc", headers })).status).toBe(415);
  });
});
