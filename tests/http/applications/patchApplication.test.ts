import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const patch = (id: string, body: unknown) => ask("PATCH", `${APPLICATIONS}/${id}`, { body });
const read = async (id: string) => (await ask("GET", `${APPLICATIONS}/${id}`)).body;
const upstreamBody = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../data/wso2/${name}.json`, import.meta.url), "utf8"));

describe("200", () => {
  test("returns no body and changes only the members of the body", async () => {
    const steps = [{ id: 1, options: [{ idp: "LOCAL", authenticator: "totp" }] }];
    const id = await create({
      name: "whole",
      description: "old",
      isManagementApp: true,
      accessUrl: "https://a",
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: [{ applicationClaim: "a", localClaim: { uri: "b" } }],
        role: { mappings: [{ localRole: "l", applicationRole: "r" }] },
      },
      authenticationSequence: { type: "USER_DEFINED", steps, script: "s" },
      advancedConfigurations: { saas: true },
      provisioningConfigurations: { inboundProvisioning: { proxyMode: true } },
    });
    const before = await read(id);
    const answer = await patch(id, { description: "new" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await read(id)).toEqual({ ...before, description: "new" });
    for (const body of [
      {},
      { claimConfiguration: {} },
      { claimConfiguration: { subject: {}, role: {} } },
      { authenticationSequence: {} },
      { advancedConfigurations: {} },
      { provisioningConfigurations: {} },
      { provisioningConfigurations: { inboundProvisioning: {} } },
      { description: null, isManagementApp: false, inboundProtocolConfiguration: { oidc: {} } },
    ]) {
      expect((await patch(id, body)).status).toBe(200);
      expect(await read(id), JSON.stringify(body)).toEqual({ ...before, description: "new" });
    }
  });

  test("accepts the bodies of WSO2's clients", async () => {
    const id = await create({ name: "upstream", accessUrl: "https://a" });
    const advanced = await upstreamBody("patch-application-advanced-configuration");
    expect((await patch(id, advanced)).status).toBe(200);
    expect(await read(id)).toMatchObject(advanced);
    const claims = await upstreamBody("update-claim-configuration");
    expect((await patch(id, claims)).status).toBe(200);
    expect(await read(id)).toMatchObject({ ...advanced, ...claims });
  });

  test("a return to the default sequence removes steps and script", async () => {
    const id = await create({ name: "sequence" });
    const steps = [{ id: 1, options: [{ idp: "LOCAL", authenticator: "totp" }] }];
    await patch(id, { authenticationSequence: { type: "USER_DEFINED", steps, script: "s" } });
    expect((await read(id)).authenticationSequence).toMatchObject({ type: "USER_DEFINED", steps, script: "s" });
    await patch(id, { authenticationSequence: { type: "DEFAULT" } });
    const { authenticationSequence } = await read(id);
    expect(authenticationSequence.steps[0].options[0].authenticator).toBe("BasicAuthenticator");
    expect(authenticationSequence).not.toHaveProperty("script");
  });

  test("a rename claims the new name and frees the old one at once", async () => {
    const id = await create({ name: "before" });
    expect((await patch(id, { name: "after" })).status).toBe(200);
    expect((await ask("POST", APPLICATIONS, { body: { name: "before" } })).status).toBe(201);
    expect((await ask("POST", APPLICATIONS, { body: { name: "after" } })).status).toBe(409);
    expect((await patch(id, { name: "after" })).status).toBe(200);
  });

  test("concurrent changes of different fields are all stored", async () => {
    const id = await create({ name: "contended", accessUrl: "https://a" });
    const switches = ["saas", "skipLoginConsent", "skipLogoutConsent", "useExternalConsentPage", "fragment"];
    const bodies: Record<string, unknown>[] = [
      { description: "d" },
      { imageUrl: "https://i" },
      { logoutReturnUrl: "https://l" },
      { templateId: "t" },
      { name: "contended no more" },
      { claimConfiguration: { dialect: "LOCAL", subject: { includeUserDomain: true } } },
      { claimConfiguration: { role: { includeUserDomain: false } } },
      { provisioningConfigurations: { outboundProvisioningIdps: [{ idp: "i", connector: "c" }] } },
      { provisioningConfigurations: { inboundProvisioning: { proxyMode: true } } },
      ...switches.map((name) => ({ advancedConfigurations: { [name]: true } })),
    ];
    const answers = await Promise.all(bodies.map((body) => patch(id, body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    const after = await read(id);
    for (const body of bodies) expect(after).toMatchObject(body);
  });
});

describe("404", () => {
  test("an unknown id, also with a body that has an invalid name", async () => {
    const answer = await patch("00000000-0000-0000-0000-000000000000", { name: "Console" });
    expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
  });
});

describe("a refused request changes nothing", () => {
  test.each<[string, unknown, number, string]>([
    ["another's name", { name: "neighbour", description: "x" }, 409, "APP-60007"],
    ["the resident application's name", { name: "wso2carbon-local-sp" }, 403, "APP-60008"],
    ["a portal's name", { name: "My Account" }, 400, "APP-60516"],
    ["a blank name", { name: " " }, 400, "APP-60001"],
    ["a name with other letters", { name: "a/b" }, 400, "APP-60001"],
    ["a wrong type", { description: 1 }, 400, "UE-10000"],
    ["discoverable without accessUrl", { advancedConfigurations: { discoverableByEndUsers: true } }, 400, "APP-60001"],
    [
      "properties of the server",
      { advancedConfigurations: { additionalSpProperties: [{ name: "x" }] } },
      400,
      "APP-60506",
    ],
    ["own steps that are none", { authenticationSequence: { type: "USER_DEFINED" } }, 400, "APP-60001"],
    ["no body", undefined, 400, "UE-10000"],
  ])("%s", async (_, body, status, code) => {
    await ask("POST", APPLICATIONS, { body: { name: "neighbour" } });
    const id = await create({ name: `subject ${code} ${status} ${Math.random()}`.slice(0, 60), description: "kept" });
    const before = await read(id);
    const answer = await patch(id, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await read(id)).toEqual(before);
  });
});
